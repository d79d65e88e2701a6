import type { CallUsage } from '@voice/shared/contracts/call-events';
import type { CallDirection } from '@voice/shared/contracts/primitives';
import { type CallCost, NO_COST } from '../money/call-cost.js';
import { RATES, type RateTable, rateOf } from './rates.js';

const MINUTE_MS = 60_000;

export type MeteredKind = 'stt' | 'llm' | 'tts';

/** What the price of a call depends on. */
export interface PricedCall {
  readonly sandbox: boolean;
  readonly carrier: string;
  readonly direction: CallDirection;
  /** Of the answered call, in ms. */
  readonly durationMs: number;
  /** Null when the worker's last word never came: what nobody counted is not charged. */
  readonly usage: CallUsage | null;
  /** Kinds that ran on the tenant's own account or server. */
  readonly ownAccounts: ReadonlySet<MeteredKind>;
}

/** Minutes that carriers count: every started one. */
export function carrierMinutes(durationMs: number): number {
  return Math.ceil(durationMs / MINUTE_MS);
}

/** The cost breakdown of a call, each part to the nearest micro-dollar. Sandbox calls cost zero. Pure. */
export function costOfCall(call: PricedCall, rates: RateTable = RATES): CallCost {
  if (call.sandbox) return NO_COST;
  const { usage, durationMs } = call;
  const carrier = Object.hasOwn(rates.carrier, call.carrier)
    ? (rates.carrier[call.carrier]?.[call.direction] ?? 0)
    : 0;
  return {
    ...(usage ? providersShare(usage, call.ownAccounts, rates) : NO_COST),
    carrier: carrierMinutes(durationMs) * carrier,
    service: Math.round((durationMs * rates.service) / MINUTE_MS),
  };
}

function providersShare({ stt, llm, tts }: CallUsage, own: ReadonlySet<MeteredKind>, rates: RateTable) {
  const sttRate = own.has('stt') ? 0 : (rateOf(rates.stt, stt.provider, stt.model) ?? 0);
  const tokens = own.has('llm') ? undefined : rateOf(rates.llm, llm.provider, llm.model);
  const ttsRate = own.has('tts') ? 0 : (rateOf(rates.tts, tts.provider, tts.model) ?? 0);
  return {
    stt: Math.round((stt.audio_ms * sttRate) / MINUTE_MS),
    llm: tokens
      ? Math.round((llm.input_tokens * tokens.input + llm.output_tokens * tokens.output) / 1_000_000)
      : 0,
    tts: Math.round((tts.characters * ttsRate) / 1000),
  };
}
