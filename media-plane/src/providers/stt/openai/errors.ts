import { ProviderError } from '../../provider-error.js';

export const PROVIDER = 'openai';

function sttError(code: string, message: string, retryable: boolean, cause: unknown): ProviderError {
  return new ProviderError({ provider: PROVIDER, kind: 'stt', code, message, retryable, cause });
}

/** Maps an error after which the session cannot be used. */
export function errorOfSession(name: string, message: string): ProviderError {
  const code = /api_key|auth/.test(name) ? 'unauthorized' : 'bad_request';
  const cause = new Error(`${name}: ${message}`);
  return sttError(code, 'openai refused the transcription session', false, cause);
}

/** Returns whether a failure speaks of the item's sound, not of the service: a noise fails wherever it is heard. */
export function isOfItemAlone(name: string): boolean {
  return name === 'audio_unintelligible';
}

/** Maps an item's failure to an error; what is not the account's may pass. */
export function errorOfItem(name: string, message: string): ProviderError {
  const cause = new Error(`${name}: ${message}`);
  if (/api_key|auth/.test(name)) return sttError('unauthorized', 'openai refused the API key', false, cause);
  if (/quota|billing/.test(name)) {
    return sttError('rate_limited', 'the openai account has no quota left', false, cause);
  }
  const code = /rate_limit/.test(name) ? 'rate_limited' : 'unavailable';
  return sttError(code, 'openai does not transcribe what it hears', true, cause);
}
