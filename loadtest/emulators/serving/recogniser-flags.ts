import { loadPhrasebook } from '../recognition/phrasebook.js';
import { SERVER_FLAGS, serverOptions, type Values } from './flags.js';
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

/** Flags of a recogniser with keys, a phrasebook and delays; `finalDelay` is the vendor's. */
export function recogniserFlags(finalDelay: { readonly help: string; readonly default: string }) {
  return {
    ...SERVER_FLAGS,
    ...PHRASEBOOK_FLAG,
    'interim-delay-ms': { help: 'from a word to its text', default: '100' },
    'final-delay-ms': finalDelay,
  };
}

export async function recogniserOptions(values: Values<ReturnType<typeof recogniserFlags>>) {
  return {
    ...serverOptions(values),
    ...(await phrasebookOption(values)),
    interimDelayMs: numberOption('interim-delay-ms', values['interim-delay-ms']),
    finalDelayMs: numberOption('final-delay-ms', values['final-delay-ms']),
  };
}
