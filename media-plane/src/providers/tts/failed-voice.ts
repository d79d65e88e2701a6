import type { ProviderError } from '../provider-error.js';
import type { Voice } from './port.js';

/** Creates a voice that fails where every voice does: when it is to speak. */
export function failedVoice(error: ProviderError): Voice {
  return {
    characters: 0,
    speak: () => ({ [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(error) }) }),
    close() {},
  };
}
