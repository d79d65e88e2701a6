import { ProviderError } from '../../provider-error.js';
import { type ConnectionEnd, connectionError } from '../../provider-socket.js';

export const PROVIDER = 'deepgram';

export function ttsError(code: string, message: string, retryable: boolean, cause?: unknown): ProviderError {
  return new ProviderError({ provider: PROVIDER, kind: 'tts', code, message, retryable, cause });
}

/**
 * Maps the end of a connection: an internal error (1011, NET- codes) is the vendor's, and 1008 (DATA- codes) ours
 * (developers.deepgram.com, "TTS Troubleshooting WebSocket, NET, and DATA Errors").
 */
export function errorOfEnd(end: ConnectionEnd): ProviderError {
  if (end.closeCode === 1011) {
    return ttsError('unavailable', 'deepgram failed', true, new Error(end.reason));
  }
  return connectionError('tts', PROVIDER, end);
}
