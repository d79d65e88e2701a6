import { ProviderError } from '../../provider-error.js';
import { type ConnectionEnd, connectionError } from '../../provider-socket.js';
import type { ServerMessage } from './messages.js';

export const PROVIDER = 'elevenlabs';

export function ttsError(code: string, message: string, retryable: boolean, cause?: unknown): ProviderError {
  return new ProviderError({ provider: PROVIDER, kind: 'tts', code, message, retryable, cause });
}

/** Maps a message with an `error` field to an error; the vendor closes with 1008 after it. */
export function errorOfMessage({
  error = '',
  message = '',
}: Pick<ServerMessage, 'error' | 'message'>): ProviderError {
  const cause = new Error(`${error}: ${message}`);
  if (/api_key|unauthorized|authorization|unusual_activity/.test(error)) {
    return ttsError('unauthorized', 'elevenlabs refused the API key', false, cause);
  }
  if (/quota/.test(error)) {
    return ttsError('rate_limited', 'the elevenlabs account has no quota left', false, cause);
  }
  if (/too_many|rate_limit|busy|max_active/.test(error)) {
    return ttsError('rate_limited', 'elevenlabs has no room for this request now', true, cause);
  }
  if (/timeout/.test(error)) {
    return ttsError('timed_out', 'elevenlabs waited too long for text', true, cause);
  }
  if (/internal|server_error|unavailable/.test(error)) {
    return ttsError('unavailable', 'elevenlabs failed', true, cause);
  }
  return ttsError('bad_request', 'elevenlabs refused the request', false, cause);
}

/** Maps the end of a connection that closed before its audio was complete to an error. */
export function errorOfEnd(end: ConnectionEnd): ProviderError {
  if (end.closeCode === 1008 && /api key|api_key/i.test(end.reason)) {
    return ttsError('unauthorized', 'elevenlabs refused the API key', false, new Error(end.reason));
  }
  if (end.closeCode === 1008 && /timeout/i.test(end.reason)) {
    return ttsError('timed_out', 'elevenlabs waited too long for text', true, new Error(end.reason));
  }
  return connectionError('tts', PROVIDER, end);
}
