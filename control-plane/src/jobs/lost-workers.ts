import type { LostWorkerSweep } from '../calls/lost-worker-sweep.js';
import type { RecurringJob } from './jobs.js';

/** Declares workers lost that have fallen silent. */
export function lostWorkers(sweep: LostWorkerSweep): RecurringJob {
  return { name: 'lost-workers', every: '2 seconds', run: () => sweep.run() };
}
