import { CARRIER_RATES, type CarrierRates } from '@voice/shared/catalogue/carrier-rates';
import type { MicroDollars } from './micro-dollars.js';

/** By the beginning of the model's name; the longest that fits counts, '' fits every model. */
type ByModel<Rate> = Readonly<Record<string, Rate>>;
/** A provider that is not named costs nothing here: it runs on this machine or at the tenant's own account. */
type ByProvider<Rate> = Readonly<Record<string, ByModel<Rate>>>;

/** Micro-dollars for a million tokens. */
export interface TokenRate {
  readonly input: MicroDollars;
  readonly output: MicroDollars;
}

/** The same of a speech-to-speech model, by modality. Cached tokens are charged as such instead of as input. */
export interface ModalityRate {
  readonly text: CachedTokenRate;
  readonly audio: CachedTokenRate;
}

export interface CachedTokenRate extends TokenRate {
  readonly cached: MicroDollars;
}

/**
 * What is charged, in micro-dollars. Providers' and carriers' shares are their list prices in USD, pay as you go,
 * passed on without a margin; the service's share is ours, and covers what carriers charge besides the minute
 * (media streams, machine detection). A change counts for calls that end after it: what a call cost is stored
 * with it.
 *
 * As of June 2026 (speech to speech: November 2026), by the vendors' price lists named below, read in published
 * copies: an operator compares them with the contract that is billed, and replaces what differs (`RATES_FILE`).
 */
export interface RateTable {
  /** A minute of audio, by the millisecond. */
  readonly stt: ByProvider<MicroDollars>;
  /** Cached input counts as input. */
  readonly llm: ByProvider<TokenRate>;
  /** Speech to speech; its share of a call's cost is shown as the language model's. */
  readonly realtime: ByProvider<ModalityRate>;
  /** A thousand characters. */
  readonly tts: ByProvider<MicroDollars>;
  /** A started minute, as carriers count; in USD, as the catalogue has it. */
  readonly carrier: Readonly<Record<string, CarrierRates>>;
  /** A minute of the call, by the millisecond. */
  readonly service: MicroDollars;
}

/** From USD as price lists have it: for a million tokens. */
const tokens = (input: number, output: number): TokenRate => ({
  input: Math.round(input * 1_000_000),
  output: Math.round(output * 1_000_000),
});

const withCache = (input: number, cached: number, output: number): CachedTokenRate => ({
  ...tokens(input, output),
  cached: Math.round(cached * 1_000_000),
});

const GPT_REALTIME: ModalityRate = { text: withCache(4, 0.4, 16), audio: withCache(32, 0.4, 64) };
const GPT_REALTIME_2: ModalityRate = { ...GPT_REALTIME, text: withCache(4, 0.4, 24) };
const GPT_REALTIME_MINI: ModalityRate = { text: withCache(0.6, 0.06, 2.4), audio: withCache(10, 0.3, 20) };
/** Live models cache nothing. */
const GEMINI_LIVE: ModalityRate = { text: withCache(0.75, 0.75, 4.5), audio: withCache(3, 3, 12) };

export const RATES: RateTable = {
  stt: {
    // deepgram.com/pricing, streaming: Nova-3 0.0077 a minute; Flux 0.0065 in English, 0.0078 multilingual.
    deepgram: { '': 7_700, flux: 6_500, 'flux-general-multi': 7_800 },
    // Transcribes what speech-to-speech models hear. platform.openai.com/docs/pricing, transcription:
    // gpt-4o-transcribe and whisper-1 0.006 a minute, mini 0.003; gpt-realtime-whisper 0.017.
    openai: { '': 6_000, 'gpt-4o-mini-transcribe': 3_000, 'gpt-realtime-whisper': 17_000 },
  },
  llm: {
    // platform.openai.com/docs/pricing, standard tier, USD for a million tokens in and out.
    openai: {
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
    // ai.google.dev/gemini-api/docs/pricing: Gemini 3.8 Flash, which answers questions about speech-to-speech calls.
    gemini: { '': tokens(0.75, 3.75) },
  },
  realtime: {
    // developers.openai.com/api/docs/models, the pages of the models, November 2026.
    openai: {
      '': GPT_REALTIME,
      'gpt-4o-realtime': { text: withCache(5, 2.5, 20), audio: withCache(40, 2.5, 80) },
      'gpt-4o-mini-realtime': { text: withCache(0.6, 0.3, 2.4), audio: withCache(10, 0.3, 20) },
      'gpt-realtime': GPT_REALTIME,
      'gpt-realtime-mini': GPT_REALTIME_MINI,
      'gpt-realtime-2': GPT_REALTIME_2,
      'gpt-realtime-2.1-mini': GPT_REALTIME_MINI,
    },
    // ai.google.dev/gemini-api/docs/pricing, November 2026: 3.8 Live and 3.1 Flash Live; text of 2.5 native audio as
    // listed in 2025, which could not be checked again.
    gemini: {
      '': GEMINI_LIVE,
      'gemini-2.5-flash-native-audio': { text: withCache(0.5, 0.5, 2), audio: withCache(3, 3, 12) },
    },
  },
  tts: {
    // elevenlabs.io/pricing/api: Multilingual v2 and v3 0.10 for 1,000 characters, Flash and Turbo 0.05.
    elevenlabs: { '': 100_000, eleven_flash: 50_000, eleven_turbo: 50_000 },
  },
  carrier: CARRIER_RATES,
  service: 10_000,
};

/** The rate of a provider's model; undefined where the table names none. */
export function rateOf<Rate>(table: ByProvider<Rate>, provider: string, model: string): Rate | undefined {
  if (!Object.hasOwn(table, provider)) return undefined;
  const byModel = table[provider] ?? {};
  const longest = Object.keys(byModel)
    .filter((family) => model.startsWith(family))
    .sort((a, b) => b.length - a.length)[0];
  return longest === undefined ? undefined : byModel[longest];
}
