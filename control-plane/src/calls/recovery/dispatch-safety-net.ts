import type { RecurringJob } from '../../platform/jobs/rounds.js';
import type { Reconciliation } from './reconciliation.js';

/** Picks up queued calls whose dispatcher died. */
export function dispatchSafetyNet(reconciliation: Reconciliation): RecurringJob {
  return { name: 'dispatch-safety-net', everyMs: 2000, run: () => reconciliation.resumeDispatch() };
}

/** Ends queued calls whose dispatcher died while it asked the carrier. */
export function unknownDialings(reconciliation: Reconciliation): RecurringJob {
  return { name: 'unknown-dialings', everyMs: 10_000, run: () => reconciliation.endUnknownDialings() };
}
