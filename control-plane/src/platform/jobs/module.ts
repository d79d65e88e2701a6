import type { Module, Platform } from '../module.js';
import { Jobs } from './jobs.js';

/** Runs the recurring jobs of all modules, by one Agenda a replica. Starts last, and so stops first. */
export function createJobsModule({ store, log }: Platform, modules: readonly Module[]): Module {
  const jobs = new Jobs({
    store,
    jobs: modules.flatMap((module) => module.jobs ?? []),
    log: log.child({ module: 'jobs' }),
  });
  return { name: 'jobs', start: () => jobs.start(), stop: () => jobs.stop() };
}
