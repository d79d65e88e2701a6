import { geminiLiveParams } from '../params/gemini-live.js';
import {
  type CachedTokenPrice,
  type CataloguePrice,
  type ModalityPrice,
  needsKey,
  ownAccount,
  type ProviderEntry,
} from '../provider-entry.js';

/** docs.cloud.google.com, "Configure language and voice" of the Live API. */
const NATIVE_AUDIO_2_5 = 'ar bn de en es fr hi id it ja ko mr nl pl pt ro ru ta te th tr uk vi'.split(' ');
/** Live models cache nothing. */
const uncached = (input: number, output: number): CachedTokenPrice => ({ input, cached: input, output });
const LIVE: ModalityPrice = { text: uncached(0.75, 4.5), audio: uncached(3, 12) };
const SOURCE = 'https://ai.google.dev/gemini-api/docs/pricing';

/** Speech to speech: the Live API. */
export const geminiLive = {
  kind: 'realtime',
  name: 'gemini',
  vendor: 'gemini',
  defaultModel: 'gemini-3.8-live',
  models: [
    {
      family: 'gemini-3.8-live',
      capabilities: ['end_of_turn', 'tools', 'caller_transcript', 'language_choice'],
      languages: 'unlisted',
    },
    {
      family: 'gemini-3.1-flash-live',
      capabilities: ['end_of_turn', 'tools', 'caller_transcript', 'language_choice'],
      languages: 'unlisted',
    },
    {
      family: 'gemini-2.5-flash-native-audio',
      capabilities: ['end_of_turn', 'tools', 'caller_transcript'],
      languages: NATIVE_AUDIO_2_5,
    },
  ],
  takesAnyModel: false,
  params: geminiLiveParams,
  credentials: ownAccount,
  // A server of the agent's own is not sent the installation's key, and the protocol has one in every address.
  isReachable: needsKey,
  turnSilenceMs: (params) => geminiLiveParams.safeParse(params).data?.vad_silence_ms ?? null,
  price: {
    asOf: '2026-11',
    source: SOURCE,
    byModel: {
      '': LIVE,
      // Text as listed in 2025, which could not be checked again.
      'gemini-2.5-flash-native-audio': { text: uncached(0.5, 2), audio: uncached(3, 12) },
    },
  },
  note: 'Its Live API.',
} as const satisfies ProviderEntry<'realtime'>;

/** Gemini 3.8 Flash answers questions about speech-to-speech calls. */
export const geminiAnalysisPrice: CataloguePrice = {
  kind: 'llm',
  name: 'gemini',
  price: { asOf: '2026-11', source: SOURCE, byModel: { '': { input: 0.75, output: 3.75 } } },
};
