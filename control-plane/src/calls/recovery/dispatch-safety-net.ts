import type { RecurringJob } from '../../platform/jobs/jobs.js';
import type { Reconciliation } from './reconciliation.js';

/** Picks up queued calls whose dispatcher died. */
export function dispatchSafetyNet(reconciliation: Reconciliation): RecurringJob {
  return { name: 'dispatch-safety-net', every: '2 seconds', run: () => reconciliation.resumeDispatch() };
}
