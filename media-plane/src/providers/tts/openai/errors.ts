import { APIConnectionError, APIConnectionTimeoutError, APIError } from 'openai';
import { ProviderError } from '../../provider-error.js';
import { classifyStatus, retryAfterSeconds } from '../../provider-socket.js';

export const PROVIDER = 'openai';

export function ttsError(code: string, message: string, retryable: boolean, cause?: unknown): ProviderError {
  return new ProviderError({ provider: PROVIDER, kind: 'tts', code, message, retryable, cause });
}

/** Maps an error of the SDK, or of a body that ends too early, to a `ProviderError`. */
export function toTtsError(error: unknown): ProviderError {
  if (error instanceof ProviderError) return error;
  if (error instanceof APIConnectionTimeoutError) {
    return ttsError('timed_out', 'openai did not answer in time', true, error);
  }
  if (error instanceof APIConnectionError) {
    return ttsError('unavailable', 'openai could not be reached', true, error);
  }
  if (!(error instanceof APIError))
    return ttsError('disconnected', 'openai broke off in mid-speech', true, error);
  if (error.type === 'insufficient_quota' || error.code === 'insufficient_quota') {
    return ttsError('rate_limited', 'the openai account has no quota left', false, error);
  }
  const status = error.status ?? 500;
  const { code, retryable } = classifyStatus(status);
  return new ProviderError({
    provider: PROVIDER,
    kind: 'tts',
    code,
    message: `openai refused or failed (HTTP ${status})`,
    retryable,
    retryAfterSeconds: retryAfterSeconds(error.headers?.get('retry-after')),
    cause: error,
  });
}
