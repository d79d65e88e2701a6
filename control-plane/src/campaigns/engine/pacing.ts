/**
 * Pacing by slots: one every 60,000 / calls_per_minute ms, kept as an average. What a stall cost (a slow
 * machine, a replica that died, a store that was away) is made up for, but not at once: a campaign that is
 * behind goes at `CATCH_UP` times its rate. In any t ms it begins at most that rate times t + `SLACK_MS`.
 */

/** How much faster than its rate a campaign goes while it is behind. */
export const CATCH_UP = 1.2;
/** How late a look may come without slowing a campaign down, in ms. */
export const SLACK_MS = 1000;
/** How much of what was missed is made up for, in ms; what is older is forgotten. */
export const ARREARS_MS = 60_000;
/**
 * How much, where something else than the machine was in the way (no free line, nobody due, a limit of the
 * tenant), in ms: what a campaign could not have begun then it does not owe now.
 */
export const ARREARS_AFTER_STOP_MS = 10_000;

const MINUTE_MS = 60_000;

export interface Pace {
  readonly callsPerMinute: number;
  /** When the next slot begins, in epoch ms; fractional, so that rounding does not change the rate. */
  readonly nextSlotAt: number;
  /** When the next slot would begin at the faster rate, in epoch ms. */
  readonly nextAtFastest: number;
  /** When something else than the pace was last in the way, in epoch ms; null for never. */
  readonly stoppedAt: number | null;
}

/** Returns a campaign's rate, where the tenant's limit of calls a minute lets it have its own. */
export function pacedAt(callsPerMinute: number, tenantsLimit: number): number {
  return Math.min(callsPerMinute, tenantsLimit);
}

/** Returns a slot's length in ms. */
export function slotMs(callsPerMinute: number): number {
  return MINUTE_MS / callsPerMinute;
}

function owedSince({ nextSlotAt, stoppedAt }: Pace, now: number): number {
  const forgiven = stoppedAt === null ? Number.NEGATIVE_INFINITY : stoppedAt - ARREARS_AFTER_STOP_MS;
  return Math.max(nextSlotAt, now - ARREARS_MS, forgiven);
}

function slotsSince(since: number, now: number, ms: number): number {
  return since > now ? 0 : Math.floor((now - since) / ms) + 1;
}

/** Returns how many calls may begin now. */
export function slotsDue(pace: Pace, now: number): number {
  const ms = slotMs(pace.callsPerMinute);
  return Math.min(
    slotsSince(owedSince(pace, now), now, ms),
    slotsSince(Math.max(pace.nextAtFastest, now - SLACK_MS), now, ms / CATCH_UP),
  );
}

/** Returns the pace after `count` of the slots that were due are used. */
export function afterSlots(
  pace: Pace,
  now: number,
  count: number,
): Pick<Pace, 'nextSlotAt' | 'nextAtFastest'> {
  const ms = slotMs(pace.callsPerMinute);
  return {
    nextSlotAt: owedSince(pace, now) + count * ms,
    nextAtFastest: Math.max(pace.nextAtFastest, now - SLACK_MS) + (count * ms) / CATCH_UP,
  };
}
