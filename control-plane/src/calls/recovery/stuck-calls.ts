import type { RecurringJob } from '../../platform/jobs/rounds.js';
import type { Reconciliation } from './reconciliation.js';

/** Moves calls on of which carrier or worker should have reported something by now. */
export function stuckCalls(reconciliation: Reconciliation): RecurringJob {
  return { name: 'stuck-calls', everyMs: 4000, run: () => reconciliation.moveStuckCalls() };
}
