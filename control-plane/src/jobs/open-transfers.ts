import type { Transfers } from '../transfers/transfers.js';
import type { RecurringJob } from './jobs.js';

/** Goes on with transfers that a crash, or a carrier that said nothing, has left open. */
export function openTransfers(transfers: Transfers): RecurringJob {
  return { name: 'open-transfers', every: '3 seconds', run: () => transfers.resume() };
}
