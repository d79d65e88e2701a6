import { ProviderError } from '../../provider-error.js';
import { type ConnectionEnd, connectionError } from '../../provider-socket.js';

export const PROVIDER = 'gemini';

export function liveError(code: string, message: string, retryable: boolean, cause?: unknown): ProviderError {
  return new ProviderError({ provider: PROVIDER, kind: 'realtime', code, message, retryable, cause });
}

/**
 * Maps the end of a connection to an error. The service accepts every handshake and says what is wrong in the close
 * frame's reason; its codes say little (1007, 1008 and 1011 for keys, quotas, models and time limits alike).
 */
export function errorOfEnd(end: ConnectionEnd): ProviderError {
  const { reason, closeCode, status } = end;
  if (status !== undefined || closeCode === undefined || closeCode === 1006) {
    return connectionError('realtime', PROVIDER, end);
  }
  const cause = new Error(`${closeCode}: ${reason}`);
  if (/api key|unregistered callers|permission|credential|unauthenticated/i.test(reason)) {
    return liveError('unauthorized', 'gemini refused the API key', false, cause);
  }
  if (/quota|billing|credits|prepay/i.test(reason)) {
    return liveError('rate_limited', 'the gemini account has no quota left', false, cause);
  }
  if (/resource\w*[ _](?:has been )?exhausted|rate limit|too many/i.test(reason)) {
    return liveError('rate_limited', 'gemini has no room for this session now', true, cause);
  }
  if (/GoAway|deadline|operation was aborted|session duration/i.test(reason)) {
    return liveError('disconnected', 'gemini ended the session', true, cause);
  }
  if (/is not found for API version|location is not supported/i.test(reason)) {
    return liveError('bad_request', 'gemini does not offer this model here', false, cause);
  }
  if (closeCode === 1007 || closeCode === 1008) {
    return liveError('bad_request', 'gemini refused a message of the session', false, cause);
  }
  if (closeCode === 1011) return liveError('unavailable', 'gemini failed', true, cause);
  return liveError('disconnected', 'gemini closed the connection', true, cause);
}
