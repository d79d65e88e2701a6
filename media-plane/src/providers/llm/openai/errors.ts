import { APIConnectionError, APIConnectionTimeoutError, APIError } from 'openai';
import { ProviderError } from '../../provider-error.js';
import { classifyStatus } from '../../provider-socket.js';

export const PROVIDER = 'openai';

function llmError(code: string, message: string, retryable: boolean, cause?: unknown): ProviderError {
  return new ProviderError({ provider: PROVIDER, kind: 'llm', code, message, retryable, cause });
}

/** Maps an error of the SDK to a `ProviderError`. */
export function toProviderError(error: unknown): ProviderError {
  if (error instanceof ProviderError) return error;
  if (error instanceof APIConnectionTimeoutError) {
    return llmError('timed_out', 'the language model did not answer in time', true, error);
  }
  if (error instanceof APIConnectionError) {
    return unreachable(error);
  }
  if (error instanceof APIError) return fromApiError(error);
  // A body that ends too early is a TypeError ("terminated") of fetch.
  if (error instanceof TypeError) return disconnected(error);
  return llmError('protocol_violation', 'the language model answered something unreadable', true, error);
}

function fromApiError(error: APIError): ProviderError {
  // Billing failures share the type; their codes differ (credits, or a limit of project or organisation).
  if (error.type === 'insufficient_quota' || error.code === 'insufficient_quota') {
    return llmError('rate_limited', 'the language model account has no quota left', false, error);
  }
  // An error event inside the stream carries no status.
  const { code, retryable } = classifyStatus(error.status ?? 500);
  const where = error.status === undefined ? 'in mid-answer' : `HTTP ${error.status}`;
  return new ProviderError({
    provider: PROVIDER,
    kind: 'llm',
    code,
    message: `the language model refused or failed (${where})`,
    retryable,
    retryAfterSeconds: retryAfterSeconds(error.headers),
    cause: error,
  });
}

/** Reads `Retry-After` in seconds, or OpenAI's finer `retry-after-ms`; undefined without one, and for a date. */
function retryAfterSeconds(headers: Headers | undefined): number | undefined {
  const seconds = Number(headers?.get('retry-after') ?? Number.NaN);
  const ms = Number(headers?.get('retry-after-ms') ?? Number.NaN);
  const value = ms >= 0 ? ms / 1000 : seconds;
  return value >= 0 ? value : undefined;
}

/** Creates the error of a connection that was to be opened ahead. */
export function unreachable(cause: unknown): ProviderError {
  return llmError('unavailable', 'the language model could not be reached', true, cause);
}

export function disconnected(cause?: unknown): ProviderError {
  return llmError('disconnected', 'the language model broke off in mid-answer', true, cause);
}
