import { MAX_SPOOLED_CALLS } from '@voice/shared/contracts/worker';

/** What keeps something of calls until the control plane has it. */
export interface Spooling {
  pendingCalls(): readonly string[];
}

/**
 * Returns calls that are over here and of which something is still on its way to the control plane; undefined when
 * there are too many to name.
 */
export function spooledCalls(
  spools: readonly Spooling[],
  isHeld: (callId: string) => boolean,
): string[] | undefined {
  const calls = new Set(spools.flatMap((spool) => spool.pendingCalls()).filter((callId) => !isHeld(callId)));
  return calls.size > MAX_SPOOLED_CALLS ? undefined : [...calls];
}
