import { ProviderError } from '../../provider-error.js';
import type { ConnectionEnd } from '../../provider-socket.js';

export const PROVIDER = 'assemblyai';

function sttError(code: string, message: string, retryable: boolean, cause?: unknown): ProviderError {
  return new ProviderError({ provider: PROVIDER, kind: 'stt', code, message, retryable, cause });
}

/**
 * Names the reason for which the service closed a session (assemblyai.com/docs, "Streaming API", close codes); undefined
 * for what every WebSocket has.
 */
export function errorOfEnd({ closeCode, reason }: ConnectionEnd): ProviderError | undefined {
  const cause = new Error(`${closeCode}: ${reason}`);
  switch (closeCode) {
    case 1008:
      return /too many|concurren/i.test(reason)
        ? sttError('rate_limited', 'assemblyai has no room for this session now', true, cause)
        : sttError('unauthorized', 'assemblyai refused the API key', false, cause);
    case 3005:
      return sttError('unavailable', 'assemblyai failed', true, cause);
    case 3006:
    case 3007:
      return sttError('bad_request', 'assemblyai refused what it was sent', false, cause);
    case 3008:
      return sttError('disconnected', "assemblyai's session reached its longest duration", true, cause);
    case 3009:
      return sttError('rate_limited', 'assemblyai has no room for this session now', true, cause);
    default:
      return undefined;
  }
}
