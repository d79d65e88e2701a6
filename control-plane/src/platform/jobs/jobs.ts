import { MongoBackend } from '@agendajs/mongo-backend';
import type { Log } from '@voice/shared/log/log';
import { Agenda, type AgendaBackend, type Job } from 'agenda';
import type { Connection } from 'mongoose';
import { lockedWhileSaving } from './locked-while-saving.js';
import { type RecurringJob, ROUND_EVERY_MS, Rounds } from './rounds.js';
import { sparingBackend } from './sparing-backend.js';

/** How long the lock of a replica that died in a round stands, in ms. */
export const LOCK_LIFE_MS = 8000;
/** How often a round that goes on renews its lock, in ms. */
const RENEW_EVERY_MS = 2000;
/** Agenda's name of the round. */
const ROUND = 'round';
/** Agenda reads `'300 milliseconds'` as 300 seconds, and `'2 seconds'` rightly. */
const EVERY = `${ROUND_EVERY_MS / 1000} seconds`;

export interface JobsOptions {
  readonly store: Connection;
  readonly jobs: readonly RecurringJob[];
  readonly log: Log;
  /** Where the lock is kept; by default a collection of the store. */
  readonly backend?: AgendaBackend;
}

/**
 * Runs the recurring jobs in rounds. Agenda's lock in the store decides which replica makes the next one: one lock for
 * all jobs, because an idle control plane would spend most of its time on a lock for each.
 */
export class Jobs {
  readonly #options: JobsOptions;
  readonly #rounds: Rounds;
  #agenda: Agenda | undefined;

  constructor(options: JobsOptions) {
    this.#options = options;
    const { jobs, log } = options;
    this.#rounds = new Rounds({ jobs, log, now: () => performance.now() });
  }

  async start(): Promise<void> {
    const { log } = this.#options;
    const agenda = new Agenda({
      backend: lockedWhileSaving(sparingBackend(this.#options.backend ?? this.#inStore())),
      processEvery: EVERY,
      defaultLockLifetime: LOCK_LIFE_MS,
    });
    agenda.on('error', (err: Error) => log.error({ err }, 'job runner'));
    await agenda.ready;
    this.#agenda = agenda;
    // No limit of locks: one that has grown too old before its round began would count for ever.
    const limits = { lockLifetime: LOCK_LIFE_MS, concurrency: 1 };
    agenda.define(ROUND, (round: Job) => this.#make(round), limits);
    await agenda.start();
    await schedule(agenda);
  }

  /** Begins no further round and no further run; one that runs goes on. */
  async stop(): Promise<void> {
    this.#rounds.stop();
    await this.#agenda?.stop();
  }

  #inStore(): AgendaBackend {
    const { db } = this.#options.store;
    if (!db) throw new Error('the store is not connected');
    return new MongoBackend({ mongo: db, collection: 'jobs' });
  }

  async #make(round: Job): Promise<void> {
    const { log } = this.#options;
    let renewing: Promise<void> | undefined;
    const renewals = setInterval(() => {
      renewing ??= round
        .touch()
        .catch((err: unknown) => log.warn({ err }, 'the lock of the jobs was not renewed'))
        .finally(() => {
          renewing = undefined;
        });
    }, RENEW_EVERY_MS);
    try {
      await this.#rounds.run();
    } finally {
      clearInterval(renewals);
      // A renewal that comes after the round's end would lock it again.
      await renewing;
    }
  }
}

/** Only where it is not scheduled so already: Agenda takes the lock off a job that it schedules anew. */
async function schedule(agenda: Agenda): Promise<void> {
  const { jobs } = await agenda.queryJobs({ name: ROUND });
  if (jobs.some((known) => known.repeatInterval === EVERY && known.nextRunAt)) return;
  await agenda.every(EVERY, ROUND);
}
