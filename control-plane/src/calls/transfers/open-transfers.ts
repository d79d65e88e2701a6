import type { RecurringJob } from '../../platform/jobs/jobs.js';
import type { Transfers } from './transfers.js';

/** Goes on with transfers that a crash, or a carrier that said nothing, has left open. */
export function openTransfers(transfers: Transfers): RecurringJob {
  return { name: 'open-transfers', every: '3 seconds', run: () => transfers.resume() };
}
