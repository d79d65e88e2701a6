import { deepgramSpeechParams, fluxParams, novaParams } from '../params/deepgram.js';
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

/** Its own end of the turn, p50 at the defaults. */
const FLUX_END = {
  ms: 260,
  by: 'vendor',
  source: 'https://developers.deepgram.com/docs/flux/nova-3-migration',
  asOf: '2026-11',
} as const;

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
      capabilities: ['end_of_turn', 'eager_end_of_turn', 'decides_turns'],
      languages: ['en'],
      params: fluxParams,
      latency: FLUX_END,
    },
    {
      family: 'flux-general-multi',
      capabilities: ['end_of_turn', 'eager_end_of_turn', 'decides_turns', 'language_choice'],
      languages: MULTILINGUAL,
      params: fluxParams,
      latency: FLUX_END,
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

/** developers.deepgram.com, "Voices and Languages". */
const AURA_2 = ['en', 'es', 'de', 'fr', 'nl', 'it', 'ja'];

/** Text to speech: Aura voices. A model is a voice in one language. */
export const deepgramTextToSpeech = {
  kind: 'tts',
  name: 'deepgram',
  vendor: 'deepgram',
  defaultModel: 'aura-2-thalia-en',
  models: [
    { family: 'aura-2-', capabilities: [], languages: AURA_2 },
    { family: 'aura-', capabilities: [], languages: ['en'] },
  ],
  takesAnyModel: false,
  params: deepgramSpeechParams,
  credentials: noAccount,
  isReachable: needsKey,
  mustBeNamed: true,
  price: {
    asOf: '2026-06',
    // Aura-2 0.030 for 1,000 characters, Aura-1 0.015.
    source: 'https://deepgram.com/pricing',
    byModel: { '': 0.03, 'aura-': 0.015, 'aura-2-': 0.03 },
  },
  note: 'Aura. Used only where an agent names it.',
} as const satisfies ProviderEntry<'tts'>;
