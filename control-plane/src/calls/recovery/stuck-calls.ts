import type { RecurringJob } from '../../platform/jobs/rounds.js';
import { CARRIER_NAMES } from '../../telephony/carriers/port.js';
import type { Reconciliation } from './reconciliation.js';

const EVERY_MS = 4000;

/** Move calls on of which carrier or worker should have reported something by now: a job each, as a carrier may hang. */
export function stuckCalls(reconciliation: Reconciliation): RecurringJob[] {
  return [
    { name: 'calls-without-last-word', everyMs: EVERY_MS, run: () => reconciliation.endWithoutLastWord() },
    ...CARRIER_NAMES.map((carrier) => ({
      name: `overdue-calls-${carrier}`,
      everyMs: EVERY_MS,
      run: () => reconciliation.askAboutOverdueCalls(carrier),
    })),
  ];
}
