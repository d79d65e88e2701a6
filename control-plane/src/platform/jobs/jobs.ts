import { MongoBackend } from '@agendajs/mongo-backend';
import type { Log } from '@voice/shared/log/log';
import { Agenda, type AgendaBackend, type Job } from 'agenda';
import type { Connection } from 'mongoose';
import { lockedWhileSaving } from './locked-while-saving.js';
import { sparingBackend } from './sparing-backend.js';

/** A job that every replica offers to run and one at a time runs. */
export interface RecurringJob {
  readonly name: string;
  /** Agenda reads `'300 milliseconds'` as 300 seconds: write `'0.3 seconds'`. */
  readonly every: `${number} seconds`;
  run(): Promise<void>;
}

/** How long the lock of a replica that died in a job stands, in ms. */
export const LOCK_LIFE_MS = 8000;
/** How often a job that runs renews its lock, in ms. */
const RENEW_EVERY_MS = 2000;
/** A job that runs longer is taken for hung: its lock is no longer renewed, and another replica runs it. In ms. */
export const LONGEST_RUN_MS = 60_000;

export interface JobsOptions {
  readonly store: Connection;
  readonly jobs: readonly RecurringJob[];
  readonly log: Log;
  /** Where the jobs are kept; by default a collection of the store. */
  readonly backend?: AgendaBackend;
}

/** Runs the recurring jobs. Agenda's locks in the store decide which replica runs which. */
export class Jobs {
  readonly #options: JobsOptions;
  #agenda: Agenda | undefined;

  constructor(options: JobsOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { jobs, log } = this.#options;
    const agenda = new Agenda({
      backend: lockedWhileSaving(sparingBackend(this.#options.backend ?? this.#inStore())),
      processEvery: '1 second',
      defaultLockLifetime: LOCK_LIFE_MS,
    });
    agenda.on('error', (err: Error) => log.error({ err }, 'job runner'));
    await agenda.ready;
    this.#agenda = agenda;
    for (const job of jobs) {
      agenda.define(job.name, (running: Job) => this.#run(job, running), {
        lockLifetime: LOCK_LIFE_MS,
        concurrency: 1,
      });
    }
    await agenda.start();
    for (const job of jobs) await schedule(agenda, job);
  }

  /** Takes up no further jobs; one that runs goes on. */
  async stop(): Promise<void> {
    await this.#agenda?.stop();
  }

  #inStore(): AgendaBackend {
    const { db } = this.#options.store;
    if (!db) throw new Error('the store is not connected');
    return new MongoBackend({ mongo: db, collection: 'jobs' });
  }

  async #run(job: RecurringJob, running: Job): Promise<void> {
    const { log } = this.#options;
    const began = performance.now();
    let renewing: Promise<void> | undefined;
    const renewals = setInterval(() => {
      if (renewing || performance.now() - began > LONGEST_RUN_MS) return;
      renewing = running
        .touch()
        .catch((err: unknown) => log.warn({ job: job.name, err }, 'the lock of a job was not renewed'))
        .finally(() => {
          renewing = undefined;
        });
    }, RENEW_EVERY_MS);
    try {
      await job.run();
    } catch (err) {
      // The next turn comes in seconds; a job must not stop because of one bad turn.
      log.error({ job: job.name, err }, 'job failed');
    } finally {
      clearInterval(renewals);
      // A renewal that comes after the job's end would lock it again.
      await renewing;
    }
  }
}

/** Only where it is not scheduled so already: Agenda takes the lock off a job that it schedules anew. */
async function schedule(agenda: Agenda, { name, every }: RecurringJob): Promise<void> {
  const { jobs } = await agenda.queryJobs({ name });
  if (jobs.some((known) => known.repeatInterval === every && known.nextRunAt)) return;
  await agenda.every(every, name);
}
