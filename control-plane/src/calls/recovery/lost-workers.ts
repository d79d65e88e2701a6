import type { RecurringJob } from '../../platform/jobs/rounds.js';
import type { LostWorkerSweep } from './lost-worker-sweep.js';

/** Declares workers lost that have fallen silent. */
export function lostWorkers(sweep: LostWorkerSweep): RecurringJob {
  return { name: 'lost-workers', everyMs: 2000, run: () => sweep.run() };
}
