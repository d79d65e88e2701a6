import type { Module, Platform } from '../module.js';
import { Jobs } from './jobs.js';
import { scheduledJobModel } from './scheduled-job-model.js';

/** Runs the jobs of all modules, by one Agenda a replica. Starts last, and so stops first. */
export function createJobsModule({ store, clock, log }: Platform, modules: readonly Module[]): Module {
  const jobs = new Jobs({
    store,
    jobs: modules.flatMap((module) => module.jobs ?? []),
    keyedJobs: modules.flatMap((module) => module.keyedJobs ?? []),
    scheduledJobs: scheduledJobModel(store),
    clock,
    log: log.child({ module: 'jobs' }),
  });
  return { name: 'jobs', start: () => jobs.start(), stop: () => jobs.stop() };
}
