import { isOwnOpenAiServer, openAiParams } from '../params/openai.js';
import { openAiRealtimeParams } from '../params/openai-realtime.js';
import { openAiSpeechParams } from '../params/openai-speech.js';
import { openAiTranscriptionParams } from '../params/openai-transcription.js';
import {
  type CachedTokenPrice,
  type ModalityPrice,
  needsKey,
  ownAccount,
  type ProviderEntry,
  type TokenPrice,
} from '../provider-entry.js';

const tokens = (input: number, output: number): TokenPrice => ({ input, output });
const withCache = (input: number, cached: number, output: number): CachedTokenPrice => ({
  input,
  cached,
  output,
});

/** Language models, and every server that speaks the chat-completions API. */
export const openAiLanguageModel = {
  kind: 'llm',
  name: 'openai',
  vendor: 'openai',
  defaultModel: 'gpt-4.1-mini',
  models: [{ family: 'gpt-', capabilities: ['tools'], languages: 'unlisted' }],
  takesAnyModel: true,
  params: openAiParams,
  credentials: ownAccount,
  // A server of one's own may want no key.
  isReachable: ({ hasKey, url }) => hasKey || isOwnOpenAiServer(url),
  price: {
    asOf: '2026-06',
    // Standard tier. Cached input counts as input.
    source: 'https://platform.openai.com/docs/pricing',
    byModel: {
      // Models that are not named: as GPT-4o.
      '': tokens(2.5, 10),
      'gpt-3.5-turbo': tokens(0.5, 1.5),
      'gpt-4-turbo': tokens(10, 30),
      'gpt-4o-mini': tokens(0.15, 0.6),
      'gpt-4.1': tokens(2, 8),
      'gpt-4.1-mini': tokens(0.4, 1.6),
      'gpt-4.1-nano': tokens(0.1, 0.4),
      // And 5.1, at the same price.
      'gpt-5': tokens(1.25, 10),
      'gpt-5-mini': tokens(0.25, 2),
      'gpt-5-nano': tokens(0.05, 0.4),
      'gpt-5-pro': tokens(15, 120),
      'gpt-5.2': tokens(1.75, 14),
      'gpt-5.2-pro': tokens(21, 168),
      'gpt-5.4': tokens(2.5, 15),
      'gpt-5.4-mini': tokens(0.75, 4.5),
      'gpt-5.4-nano': tokens(0.2, 1.25),
      'gpt-5.4-pro': tokens(30, 180),
      'gpt-5.5': tokens(5, 30),
      'gpt-5.5-pro': tokens(30, 180),
      o1: tokens(15, 60),
      o3: tokens(2, 8),
      'o3-mini': tokens(1.1, 4.4),
      'o3-pro': tokens(20, 80),
      'o4-mini': tokens(1.1, 4.4),
    },
  },
  note: 'Also any compatible server, by its base URL.',
} as const satisfies ProviderEntry<'llm'>;

const GPT_REALTIME: ModalityPrice = { text: withCache(4, 0.4, 16), audio: withCache(32, 0.4, 64) };
const GPT_REALTIME_2: ModalityPrice = { ...GPT_REALTIME, text: withCache(4, 0.4, 24) };
const GPT_REALTIME_MINI: ModalityPrice = { text: withCache(0.6, 0.06, 2.4), audio: withCache(10, 0.3, 20) };

/** developers.openai.com, "server_vad": 500 ms unless it is set. */
const SERVER_VAD_SILENCE_MS = 500;

/** Speech to speech: the Realtime API. */
export const openAiRealtime = {
  kind: 'realtime',
  name: 'openai',
  vendor: 'openai',
  defaultModel: 'gpt-realtime',
  models: [
    {
      family: 'gpt-realtime',
      capabilities: ['end_of_turn', 'tools', 'caller_transcript'],
      languages: 'unlisted',
    },
  ],
  takesAnyModel: false,
  params: openAiRealtimeParams,
  credentials: ownAccount,
  // The installation's own server (`OPENAI_BASE_URL`) speaks chat completions; one that an agent names is meant for this.
  isReachable: ({ hasKey, url, isAgentsOwn }) => hasKey || (isAgentsOwn && url !== undefined),
  turnSilenceMs(params) {
    const detection = openAiRealtimeParams.safeParse(params).data?.turn_detection;
    if (detection?.type === 'semantic_vad') return null;
    return detection?.silence_duration_ms ?? SERVER_VAD_SILENCE_MS;
  },
  price: {
    asOf: '2026-11',
    // The pages of the models.
    source: 'https://developers.openai.com/api/docs/models',
    byModel: {
      '': GPT_REALTIME,
      'gpt-4o-realtime': { text: withCache(5, 2.5, 20), audio: withCache(40, 2.5, 80) },
      'gpt-4o-mini-realtime': { text: withCache(0.6, 0.3, 2.4), audio: withCache(10, 0.3, 20) },
      'gpt-realtime': GPT_REALTIME,
      'gpt-realtime-mini': GPT_REALTIME_MINI,
      'gpt-realtime-2': GPT_REALTIME_2,
      'gpt-realtime-2.1-mini': GPT_REALTIME_MINI,
    },
  },
  note: 'Its Realtime API.',
} as const satisfies ProviderEntry<'realtime'>;

/** Text to speech. */
export const openAiTextToSpeech = {
  kind: 'tts',
  name: 'openai',
  vendor: 'openai',
  defaultModel: 'gpt-4o-mini-tts',
  models: [
    { family: 'gpt-4o-mini-tts', capabilities: [], languages: 'unlisted' },
    { family: 'tts-1', capabilities: [], languages: 'unlisted' },
  ],
  takesAnyModel: true,
  params: openAiSpeechParams,
  credentials: ownAccount,
  isReachable: needsKey,
  mustBeNamed: true,
  price: {
    asOf: '2026-06',
    // The small model is charged by tokens: 0.015 a minute, which is about 900 characters.
    source: 'https://platform.openai.com/docs/pricing',
    byModel: { '': 0.017, 'tts-1': 0.015, 'tts-1-hd': 0.03 },
  },
  note: 'Used only where an agent names it. Also any compatible server, by its base URL.',
} as const satisfies ProviderEntry<'tts'>;

/** Speech to text: the Realtime API's transcription sessions. */
export const openAiSpeechToText = {
  kind: 'stt',
  name: 'openai',
  vendor: 'openai',
  defaultModel: 'gpt-live-transcribe',
  models: [
    { family: 'gpt-live-transcribe', capabilities: ['language_choice'], languages: 'unlisted' },
    { family: 'gpt-realtime-whisper', capabilities: ['language_choice'], languages: 'unlisted' },
    { family: 'gpt-4o-transcribe', capabilities: ['end_of_turn', 'language_choice'], languages: 'unlisted' },
    {
      family: 'gpt-4o-mini-transcribe',
      capabilities: ['end_of_turn', 'language_choice'],
      languages: 'unlisted',
    },
  ],
  takesAnyModel: false,
  params: openAiTranscriptionParams,
  credentials: ownAccount,
  isReachable: needsKey,
  mustBeNamed: true,
  // Also of what transcribes the callers of speech-to-speech models.
  price: {
    asOf: '2026-11',
    // gpt-4o-transcribe and whisper-1; mini; the models that write while somebody speaks.
    source: 'https://developers.openai.com/api/docs/pricing',
    byModel: {
      '': 0.006,
      'gpt-4o-mini-transcribe': 0.003,
      'gpt-realtime-whisper': 0.017,
      'gpt-live-transcribe': 0.017,
    },
  },
  note: 'Realtime transcription. Used only where an agent names it.',
} as const satisfies ProviderEntry<'stt'>;
