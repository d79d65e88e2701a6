import { fluxParams, novaParams } from '../params/deepgram.js';
import { needsKey, noAccount, type ProviderEntry } from '../provider-entry.js';

/** The ten of Deepgram's multilingual models (developers.deepgram.com, "Multilingual Codeswitching"). */
const MULTILINGUAL = ['en', 'es', 'fr', 'de', 'hi', 'ru', 'pt', 'ja', 'it', 'nl'];
/** developers.deepgram.com/changelog, Nova-3, August 2025 to March 2026. */
const NOVA_3 = [
  ...MULTILINGUAL,
  ...'be bg bn bs ca cs da el et fi hr hu id kn ko lt lv mk mr ms no pl ro sk sl sr sv ta te th tl tr uk vi zh'.split(
    ' ',
  ),
];

/** Speech to text. */
export const deepgramSpeechToText = {
  kind: 'stt',
  name: 'deepgram',
  vendor: 'deepgram',
  defaultModel: 'nova-3',
  models: [
    { family: 'nova-3', capabilities: ['end_of_turn', 'language_choice'], languages: NOVA_3 },
    {
      family: 'flux',
      capabilities: ['end_of_turn', 'eager_end_of_turn'],
      languages: ['en'],
      params: fluxParams,
    },
    {
      family: 'flux-general-multi',
      capabilities: ['end_of_turn', 'eager_end_of_turn', 'language_choice'],
      languages: MULTILINGUAL,
      params: fluxParams,
    },
  ],
  takesAnyModel: false,
  params: novaParams,
  credentials: noAccount,
  isReachable: needsKey,
  price: {
    asOf: '2026-06',
    // Streaming: Nova-3; Flux in English, and multilingual.
    source: 'https://deepgram.com/pricing',
    byModel: { '': 0.0077, flux: 0.0065, 'flux-general-multi': 0.0078 },
  },
  note: '',
} as const satisfies ProviderEntry<'stt'>;
