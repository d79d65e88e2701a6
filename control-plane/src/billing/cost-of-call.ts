import type { UsageSegment } from '@voice/shared/contracts/call-events';
import { type CallCost, NO_COST } from '../platform/money/call-cost.js';
import type { MicroDollars } from '../platform/money/micro-dollars.js';
import { type CachedTokenRate, RATES, type RateTable, rateOf } from '../platform/money/rates.js';
import { type CarrierLine, carrierRate } from './carrier-rate.js';
import type { UsedSegment } from './used-segments.js';

const MINUTE_MS = 60_000;

/** What the price of a call depends on. */
export interface PricedCall extends CarrierLine {
  readonly sandbox: boolean;
  /** What the carrier itself says that it charges; null where it has not said. */
  readonly carrierPrice: MicroDollars | null;
  /** Of the answered call, in ms. */
  readonly durationMs: number;
  /** What nobody counted is not charged. */
  readonly used: readonly UsedSegment[];
  /** What of it was of no use. */
  readonly wasted?: readonly UsedSegment[];
}

/** Minutes that carriers count: every started one. */
export function carrierMinutes(durationMs: number): number {
  return Math.ceil(durationMs / MINUTE_MS);
}

/**
 * Returns the cost breakdown of a call, each part to the nearest micro-dollar; every segment at the rate of its own
 * provider and model, the carrier's minutes at that of the destination unless the carrier has reported its price.
 * Sandbox calls cost zero. Pure.
 */
export function costOfCall(call: PricedCall, rates: RateTable = RATES): CallCost {
  if (call.sandbox) return NO_COST;
  const { used, wasted = [], durationMs } = call;
  const share = (kind: UsageSegment['kind'], of = used) =>
    Math.round(
      of.reduce(
        (sum, { segment, own }) => (segment.kind === kind && !own ? sum + priceOf(segment, rates) : sum),
        0,
      ),
    );
  const llm = share('llm');
  const tts = share('tts');
  // It is a part of what was used, by the worker’s count or by the proxy’s.
  const inVain = Math.min(llm, share('llm', wasted)) + Math.min(tts, share('tts', wasted));
  return {
    stt: share('stt'),
    // What speaks to speech is above all the language model: the breakdown has no other place for it.
    llm: llm + share('realtime'),
    tts,
    carrier: call.carrierPrice ?? carrierMinutes(durationMs) * carrierRate(rates.carrier, call),
    service: Math.round((durationMs * rates.service) / MINUTE_MS),
    ...(inVain > 0 ? { wasted: inVain } : {}),
  };
}

/** Returns the price, in micro-dollars and their parts. */
function priceOf(segment: UsageSegment, rates: RateTable): MicroDollars {
  const { provider, model } = segment;
  switch (segment.kind) {
    case 'stt':
      return (segment.audio_ms * (rateOf(rates.stt, provider, model) ?? 0)) / MINUTE_MS;
    case 'llm': {
      const tokens = rateOf(rates.llm, provider, model);
      if (!tokens) return 0;
      return (segment.input_tokens * tokens.input + segment.output_tokens * tokens.output) / 1_000_000;
    }
    case 'tts':
      return (segment.characters * (rateOf(rates.tts, provider, model) ?? 0)) / 1000;
    case 'realtime': {
      const rate = rateOf(rates.realtime, provider, model);
      if (!rate) return 0;
      const { input_audio_tokens, cached_audio_tokens, output_audio_tokens } = segment;
      const { input_text_tokens, cached_text_tokens, output_text_tokens } = segment;
      return (
        priceOfTokens(rate.audio, input_audio_tokens, cached_audio_tokens, output_audio_tokens) +
        priceOfTokens(rate.text, input_text_tokens, cached_text_tokens, output_text_tokens)
      );
    }
  }
}

/** Returns the price of one modality; cached tokens are part of the input. */
function priceOfTokens(rate: CachedTokenRate, input: number, cached: number, output: number): MicroDollars {
  const kept = Math.min(cached, input);
  return ((input - kept) * rate.input + kept * rate.cached + output * rate.output) / 1_000_000;
}
