import type { Reconciliation } from '../calls/reconciliation.js';
import type { RecurringJob } from './jobs.js';

/** Picks up queued calls whose dispatcher died. */
export function dispatchSafetyNet(reconciliation: Reconciliation): RecurringJob {
  return { name: 'dispatch-safety-net', every: '2 seconds', run: () => reconciliation.resumeDispatch() };
}
