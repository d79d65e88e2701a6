import { elevenLabsParams } from '../params/elevenlabs.js';
import { needsKey, noAccount, type ProviderEntry } from '../provider-entry.js';

/** elevenlabs.io/docs/overview/models. */
const MULTILINGUAL_V2 =
  'en ja zh de hi fr ko pt it es id nl tr fil pl sv bg ro ar cs el fi hr ms sk da ta uk ru'.split(' ');
const V2_5 = [...MULTILINGUAL_V2, 'hu', 'no', 'vi'];

/**
 * Its sockets take partial text and keep the audio consistent (api-reference, "WebSocket"). Of its models only the
 * large one reads figures rightly: the small ones say "$1,000,000" as "one thousand thousand dollars" (best-practices,
 * "Normalization").
 */
const EVERY_MODEL = ['word_timings', 'starts_mid_clause'] as const;

/** Flash: about 75 ms, without application and network. */
const FLASH = {
  ms: 75,
  by: 'vendor',
  source: 'https://elevenlabs.io/docs/overview/models',
  asOf: '2026-11',
} as const;
/** Turbo: around 300 ms. */
const TURBO = {
  ms: 300,
  by: 'vendor',
  source:
    'https://help.elevenlabs.io/hc/en-us/articles/19954594946705-Do-you-offer-an-AI-model-for-conversational-purposes-or-for-chatbots',
  asOf: '2026-11',
} as const;

/** Text to speech. */
export const elevenLabsTextToSpeech = {
  kind: 'tts',
  name: 'elevenlabs',
  vendor: 'elevenlabs',
  defaultModel: 'eleven_flash_v2_5',
  models: [
    {
      family: 'eleven_flash_v2_5',
      capabilities: [...EVERY_MODEL, 'language_choice'],
      languages: V2_5,
      latency: FLASH,
    },
    {
      family: 'eleven_turbo_v2_5',
      capabilities: [...EVERY_MODEL, 'language_choice'],
      languages: V2_5,
      latency: TURBO,
    },
    {
      family: 'eleven_multilingual_v2',
      capabilities: [...EVERY_MODEL, 'reads_figures'],
      languages: MULTILINGUAL_V2,
    },
    { family: 'eleven_flash_v2', capabilities: [...EVERY_MODEL], languages: ['en'], latency: FLASH },
    { family: 'eleven_turbo_v2', capabilities: [...EVERY_MODEL], languages: ['en'], latency: TURBO },
  ],
  takesAnyModel: true,
  params: elevenLabsParams,
  credentials: noAccount,
  isReachable: needsKey,
  price: {
    asOf: '2026-06',
    // Multilingual v2 and v3 0.10 for 1,000 characters, Flash and Turbo 0.05.
    source: 'https://elevenlabs.io/pricing/api',
    byModel: { '': 0.1, eleven_flash: 0.05, eleven_turbo: 0.05 },
  },
  note: '',
} as const satisfies ProviderEntry<'tts'>;
