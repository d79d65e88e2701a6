import type { UsageSegment } from '@voice/shared/contracts/call-events';
import { isTerminal } from '../calls/call-state.js';
import type { CallDocument } from '../calls/model.js';
import { totalOf } from '../money/call-cost.js';
import type { MicroDollars } from '../money/micro-dollars.js';
import { costOfCall } from './cost-of-call.js';

/** The post-call step that enters what a call cost in the ledger. Kept with calls: never renamed. */
export const COST_STEP = 'cost';

const MINUTE_MS = 60_000;

/** What a minute of conversation uses, by and large: all of it heard, 75 words of it said, ten turns thought over. */
const TYPICAL_MINUTE: readonly UsageSegment[] = [
  { kind: 'stt', provider: 'deepgram', model: 'nova-3', fallback: false, audio_ms: MINUTE_MS },
  {
    kind: 'llm',
    provider: 'openai',
    model: 'gpt-4.1-mini',
    fallback: false,
    input_tokens: 6_000,
    output_tokens: 150,
  },
  { kind: 'tts', provider: 'elevenlabs', model: 'eleven_flash_v2_5', fallback: false, characters: 450 },
];

/** What a minute of a call is taken to cost until it is known. */
function typicalMinute({ carrier, direction }: Pick<CallDocument, 'carrier' | 'direction'>): MicroDollars {
  const used = TYPICAL_MINUTE.map((segment) => ({ segment, own: false }));
  return totalOf(costOfCall({ sandbox: false, durationMs: MINUTE_MS, carrier, direction, used }));
}

/** What is held for a call that was admitted and is not there yet. */
export const NEW_CALL_HOLD = typicalMinute({ carrier: 'twilio', direction: 'outbound' });

/** What of a call decides how much is held for it. */
export type HeldCall = Pick<
  CallDocument,
  | 'status'
  | 'carrier'
  | 'direction'
  | 'created_at'
  | 'started_at'
  | 'duration_ms'
  | 'post_call_due_at'
  | 'post_call_done'
>;

/**
 * What is held of a tenant's credit and daily cap for a production call: every started minute, the first one
 * from the call's creation, until the ledger has what it cost. Nothing for one that nobody answered. Pure.
 */
export function holdOf(call: HeldCall, now: number): MicroDollars {
  const { started_at: startedAt, duration_ms: durationMs } = call;
  if (isTerminal(call.status)) {
    const charged = !call.post_call_due_at || call.post_call_done?.includes(COST_STEP);
    return charged || !startedAt ? 0 : minutes(durationMs ?? 0) * typicalMinute(call);
  }
  return minutes(startedAt ? now - startedAt.getTime() : 0) * typicalMinute(call);
}

function minutes(ms: number): number {
  return Math.max(1, Math.ceil(ms / MINUTE_MS));
}

/**
 * How many admissions no call has come of yet. Calls are created after they are admitted, so each takes one of
 * the admissions before it, whichever: both in epoch ms, in order. Pure.
 */
export function admissionsWithoutCall(admittedAt: readonly number[], createdAt: readonly number[]): number {
  let seen = 0;
  let without = 0;
  for (const created of createdAt) {
    while (seen < admittedAt.length && (admittedAt[seen] ?? 0) <= created) {
      seen++;
      without++;
    }
    if (without > 0) without--;
  }
  return without + admittedAt.length - seen;
}
