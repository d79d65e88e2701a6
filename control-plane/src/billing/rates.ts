import type { CallDirection } from '@voice/shared/contracts/primitives';
import type { MicroDollars } from '../money/micro-dollars.js';

/** By the beginning of the model's name; the longest that fits counts, '' fits every model. */
type ByModel<Rate> = Readonly<Record<string, Rate>>;
/** A provider that is not named costs nothing here: it runs on this machine or at the tenant's own account. */
type ByProvider<Rate> = Readonly<Record<string, ByModel<Rate>>>;

/** Micro-dollars for a million tokens. */
export interface TokenRate {
  readonly input: MicroDollars;
  readonly output: MicroDollars;
}

/**
 * What is charged, in micro-dollars. Providers' and carriers' shares are their list prices in USD passed on
 * without a margin; the service's share is ours. A change counts for calls that end after it: what a call
 * cost is stored with it.
 */
export interface RateTable {
  /** A minute of audio, by the millisecond. */
  readonly stt: ByProvider<MicroDollars>;
  readonly llm: ByProvider<TokenRate>;
  /** A thousand characters. */
  readonly tts: ByProvider<MicroDollars>;
  /** A started minute, as carriers count. */
  readonly carrier: Readonly<Record<string, Readonly<Record<CallDirection, MicroDollars>>>>;
  /** A minute of the call, by the millisecond. */
  readonly service: MicroDollars;
}

export const RATES: RateTable = {
  stt: {
    deepgram: { '': 7_700 },
    openai: { '': 6_000, 'gpt-4o-mini-transcribe': 3_000 },
  },
  llm: {
    openai: {
      '': { input: 2_500_000, output: 10_000_000 },
      'gpt-4o-mini': { input: 150_000, output: 600_000 },
      'gpt-4.1': { input: 2_000_000, output: 8_000_000 },
      'gpt-4.1-mini': { input: 400_000, output: 1_600_000 },
      'gpt-4.1-nano': { input: 100_000, output: 400_000 },
      'gpt-5': { input: 1_250_000, output: 10_000_000 },
      'gpt-5-mini': { input: 250_000, output: 2_000_000 },
      'gpt-5-nano': { input: 50_000, output: 400_000 },
      // Speech to speech: audio tokens, which are nearly all of them.
      'gpt-realtime': { input: 32_000_000, output: 64_000_000 },
      'gpt-realtime-mini': { input: 10_000_000, output: 20_000_000 },
    },
  },
  tts: {
    elevenlabs: { '': 100_000, eleven_flash: 50_000, eleven_turbo: 50_000 },
    deepgram: { '': 30_000 },
    openai: { '': 15_000, 'tts-1-hd': 30_000 },
  },
  carrier: {
    twilio: { outbound: 14_000, inbound: 8_500 },
    telnyx: { outbound: 7_000, inbound: 5_500 },
  },
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
