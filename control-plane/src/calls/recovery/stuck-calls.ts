import type { RecurringJob } from '../../platform/jobs/jobs.js';
import type { Reconciliation } from './reconciliation.js';

/** Moves calls on of which carrier or worker should have reported something by now. */
export function stuckCalls(reconciliation: Reconciliation): RecurringJob {
  return {
    name: 'stuck-calls',
    every: '3 seconds',
    async run() {
      await reconciliation.askAboutSilentCalls();
      await reconciliation.endWithoutLastWord();
    },
  };
}
