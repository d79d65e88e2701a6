import type { RecurringJob } from '../../platform/jobs/rounds.js';
import type { Transfers } from './transfers.js';

/** Goes on with transfers that a crash, or a carrier that said nothing, has left open. */
export function openTransfers(transfers: Transfers): RecurringJob {
  return { name: 'open-transfers', everyMs: 4000, run: () => transfers.resume() };
}
