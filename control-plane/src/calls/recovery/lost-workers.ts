import type { RecurringJob } from '../../platform/jobs/jobs.js';
import type { LostWorkerSweep } from './lost-worker-sweep.js';

/** Declares workers lost that have fallen silent. */
export function lostWorkers(sweep: LostWorkerSweep): RecurringJob {
  return { name: 'lost-workers', every: '2 seconds', run: () => sweep.run() };
}
