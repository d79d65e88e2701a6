/**
 * Pacing by slots: one every 60,000 / calls_per_minute ms. What was missed is made up for as far as
 * `BACKLOG_MS`, so that a slow moment costs no rate; more is forgotten, so that a campaign that had to
 * wait (for lines, for hours) does not burst afterwards.
 */
const BACKLOG_MS = 2000;

const MINUTE_MS = 60_000;

export interface Pace {
  readonly callsPerMinute: number;
  /** When the next slot begins, in epoch ms; fractional, so that rounding does not change the rate. */
  readonly nextSlotAt: number;
}

/** How many calls may begin now. */
export function slotsDue({ callsPerMinute, nextSlotAt }: Pace, now: number): number {
  const interval = MINUTE_MS / callsPerMinute;
  const from = Math.max(nextSlotAt, now - BACKLOG_MS);
  return from > now ? 0 : Math.floor((now - from) / interval) + 1;
}

/** When the next slot begins after `count` of those that were due are used. */
export function afterSlots({ callsPerMinute, nextSlotAt }: Pace, now: number, count: number): number {
  return Math.max(nextSlotAt, now - BACKLOG_MS) + count * (MINUTE_MS / callsPerMinute);
}
