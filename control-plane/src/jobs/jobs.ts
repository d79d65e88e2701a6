import { MongoBackend } from '@agendajs/mongo-backend';
import type { Log } from '@voice/shared/log/log';
import { Agenda } from 'agenda';
import type { Connection } from 'mongoose';

/** A job that every replica offers to run and one at a time runs. */
export interface RecurringJob {
  readonly name: string;
  /** Agenda reads `'300 milliseconds'` as 300 seconds: write `'0.3 seconds'`. */
  readonly every: `${number} seconds`;
  run(): Promise<void>;
}

/** How long the lock of a replica that died in a job stands, in ms. */
const LOCK_LIFE_MS = 8000;

/** Runs the recurring jobs. Agenda's locks in the store decide which replica runs which. */
export class Jobs {
  readonly #store: Connection;
  readonly #jobs: readonly RecurringJob[];
  readonly #log: Log;
  #agenda: Agenda | undefined;

  constructor(options: { store: Connection; jobs: readonly RecurringJob[]; log: Log }) {
    this.#store = options.store;
    this.#jobs = options.jobs;
    this.#log = options.log;
  }

  async start(): Promise<void> {
    const { db } = this.#store;
    if (!db) throw new Error('the store is not connected');
    const agenda = new Agenda({
      backend: new MongoBackend({ mongo: db, collection: 'jobs' }),
      processEvery: '1 second',
      defaultLockLifetime: LOCK_LIFE_MS,
    });
    agenda.on('error', (err: Error) => this.#log.error({ err }, 'job runner'));
    await agenda.ready;
    this.#agenda = agenda;
    for (const job of this.#jobs) {
      agenda.define(job.name, () => this.#run(job), { lockLifetime: LOCK_LIFE_MS, concurrency: 1 });
    }
    await agenda.start();
    for (const job of this.#jobs) await agenda.every(job.every, job.name);
  }

  /** Lets running jobs finish. */
  async stop(): Promise<void> {
    await this.#agenda?.stop();
  }

  async #run(job: RecurringJob): Promise<void> {
    try {
      await job.run();
    } catch (err) {
      // The next turn comes in seconds; a job must not stop because of one bad turn.
      this.#log.error({ job: job.name, err }, 'job failed');
    }
  }
}
