import { Counter } from 'prom-client';
import type { Module, Platform } from '../module.js';
import { Jobs } from './jobs.js';
import { scheduledJobModel } from './scheduled-job-model.js';

/** Runs the jobs of all modules, by one Agenda a replica. Starts last, and so stops first. */
export function createJobsModule(
  { store, clock, log, metrics }: Platform,
  modules: readonly Module[],
): Module {
  const jobs = new Jobs({
    store,
    jobs: modules.flatMap((module) => module.jobs ?? []),
    keyedJobs: modules.flatMap((module) => module.keyedJobs ?? []),
    scheduledJobs: scheduledJobModel(store),
    clock,
    log: log.child({ module: 'jobs' }),
    runs: new Counter({
      name: 'job_runs_total',
      help: 'Runs of background jobs that have ended, by job and outcome.',
      labelNames: ['name', 'outcome'],
      registers: [metrics],
    }),
  });
  return { name: 'jobs', start: () => jobs.start(), stop: () => jobs.stop() };
}
