import type { UsageSegment } from '@voice/shared/contracts/call-events';
import type { CallDirection } from '@voice/shared/contracts/primitives';
import { type CallCost, NO_COST } from '../money/call-cost.js';
import type { MicroDollars } from '../money/micro-dollars.js';
import { RATES, type RateTable, rateOf } from './rates.js';
import type { UsedSegment } from './used-segments.js';

const MINUTE_MS = 60_000;

/** What the price of a call depends on. */
export interface PricedCall {
  readonly sandbox: boolean;
  readonly carrier: string;
  readonly direction: CallDirection;
  /** Of the answered call, in ms. */
  readonly durationMs: number;
  /** What nobody counted is not charged. */
  readonly used: readonly UsedSegment[];
}

/** Minutes that carriers count: every started one. */
export function carrierMinutes(durationMs: number): number {
  return Math.ceil(durationMs / MINUTE_MS);
}

/**
 * The cost breakdown of a call, each part to the nearest micro-dollar; every segment at the rate of its own
 * provider and model. Sandbox calls cost zero. Pure.
 */
export function costOfCall(call: PricedCall, rates: RateTable = RATES): CallCost {
  if (call.sandbox) return NO_COST;
  const { used, durationMs } = call;
  const carrier = Object.hasOwn(rates.carrier, call.carrier)
    ? (rates.carrier[call.carrier]?.[call.direction] ?? 0)
    : 0;
  const share = (kind: UsageSegment['kind']) =>
    Math.round(
      used.reduce(
        (sum, { segment, own }) => (segment.kind === kind && !own ? sum + priceOf(segment, rates) : sum),
        0,
      ),
    );
  return {
    stt: share('stt'),
    llm: share('llm'),
    tts: share('tts'),
    carrier: carrierMinutes(durationMs) * carrier,
    service: Math.round((durationMs * rates.service) / MINUTE_MS),
  };
}

/** In micro-dollars and their parts. */
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
  }
}
