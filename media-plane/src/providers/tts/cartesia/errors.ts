import { ProviderError } from '../../provider-error.js';
import { type ConnectionEnd, classifyStatus, connectionError } from '../../provider-socket.js';

export const PROVIDER = 'cartesia';

export function ttsError(code: string, message: string, retryable: boolean, cause?: unknown): ProviderError {
  return new ProviderError({ provider: PROVIDER, kind: 'tts', code, message, retryable, cause });
}

/** Maps an `error` message, which carries an HTTP status (docs.cartesia.ai, "API errors"). */
export function errorOfMessage(status: number, name: string, message: string): ProviderError {
  const cause = new Error(`${name}: ${message}`);
  if (/quota|credit/.test(name)) {
    return ttsError('rate_limited', 'the cartesia account has no credits left', false, cause);
  }
  const { code, retryable } = classifyStatus(status);
  return ttsError(code, `cartesia refused or failed (${status})`, retryable, cause);
}

/** Maps the end of a connection: an internal error is the vendor's. */
export function errorOfEnd(end: ConnectionEnd): ProviderError {
  if (end.closeCode === 1011) return ttsError('unavailable', 'cartesia failed', true, new Error(end.reason));
  return connectionError('tts', PROVIDER, end);
}
