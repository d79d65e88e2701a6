import { loadPhrasebook } from '../deepgram/phrasebook.js';
import type { Values } from './flags.js';
import { numberOption } from './options.js';

/** Flag of what a recogniser knows. */
export const PHRASEBOOK_FLAG = {
  phrasebook: {
    help: 'URL of what can be recognised (GET /phrasebook of the simulated carrier)',
    default: '',
  },
};

export async function phrasebookOption({ phrasebook }: Values<typeof PHRASEBOOK_FLAG>) {
  return { phrasebook: phrasebook === '' ? [] : await loadPhrasebook(phrasebook) };
}

/** Flags of a recogniser's delays; `finalDelay` is the vendor's. */
export function recogniserDelayFlags(finalDelay: { readonly help: string; readonly default: string }) {
  return {
    'interim-delay-ms': { help: 'from a word to its text', default: '100' },
    'final-delay-ms': finalDelay,
  };
}

export function recogniserDelayOptions(values: Values<ReturnType<typeof recogniserDelayFlags>>) {
  return {
    interimDelayMs: numberOption('interim-delay-ms', values['interim-delay-ms']),
    finalDelayMs: numberOption('final-delay-ms', values['final-delay-ms']),
  };
}
