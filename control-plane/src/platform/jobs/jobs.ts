import { MongoBackend } from '@agendajs/mongo-backend';
import type { Clock } from '@voice/shared/clock/clock';
import type { Log } from '@voice/shared/log/log';
import { Agenda, type AgendaBackend, InMemoryNotificationChannel, type Job } from 'agenda';
import type { Connection } from 'mongoose';
import { adjustedBackend } from './adjusted-backend.js';
import { type KeyOf, keyedBackend } from './keyed-backend.js';
import type { JobScheduler, KeyedJob } from './keyed-job.js';
import { KeyedJobs } from './keyed-jobs.js';
import { lockedWhileSaving } from './locked-while-saving.js';
import { type OnRun, type RecurringJob, ROUND_EVERY_MS, Rounds } from './rounds.js';
import type { ScheduledJobModel } from './scheduled-job-model.js';
import { sparingBackend } from './sparing-backend.js';

/** How long the lock of a replica that died in a round stands, in ms. */
export const LOCK_LIFE_MS = 8000;
/** How often locks of what goes on are renewed, in ms. */
const RENEW_EVERY_MS = 2000;
/** How often each replica looks whether the next round is too far ahead, and what is too far, in ms. */
const LOOK_AHEAD_EVERY_MS = 30_000;
const TOO_FAR_MS = 10_000;
/** How soon the job of a key that failed is run again, in ms. */
const AGAIN_MS = 1000;
const COLLECTION = 'jobs';
/** Agenda's name of the round. */
const ROUND = 'round';
/** Agenda reads `'300 milliseconds'` as 300 seconds, and `'2 seconds'` rightly. */
const EVERY = `${ROUND_EVERY_MS / 1000} seconds`;
/** Agenda runs no job beyond this, and has 20 by default. */
const MOST_AT_ONCE = 1_000_000;

/** What counts the runs that have ended. */
interface RunCounter {
  inc(labels: { readonly name: string; readonly outcome: 'succeeded' | 'failed' }): void;
}

export interface JobsOptions {
  readonly store: Connection;
  readonly jobs: readonly RecurringJob[];
  readonly keyedJobs: readonly KeyedJob[];
  /** Where the jobs of keys are kept. */
  readonly scheduledJobs: ScheduledJobModel;
  readonly clock: Clock;
  readonly log: Log;
  /** Counts runs by the name of their job and by outcome. */
  readonly runs?: RunCounter;
  /** Where the lock of the rounds is kept; by default a collection of the store. */
  readonly backend?: AgendaBackend;
}

/**
 * Runs the recurring jobs in rounds, and the jobs of keys when they are due. Agenda's lock in the store decides which
 * replica makes the next round: one lock for all recurring jobs, because an idle control plane would spend most of its
 * time on a lock for each.
 */
export class Jobs implements JobScheduler {
  readonly #options: JobsOptions;
  readonly #rounds: Rounds;
  readonly #onRun: OnRun;
  readonly #keyed: KeyedJobs;
  readonly #channel = new InMemoryNotificationChannel();
  readonly #running = new Set<Job<KeyOf>>();
  readonly #runs = new Set<Promise<unknown>>();
  #renewals: NodeJS.Timeout | undefined;
  #looks: NodeJS.Timeout | undefined;
  #agenda: Agenda | undefined;

  constructor(options: JobsOptions) {
    this.#options = options;
    const { jobs, keyedJobs, scheduledJobs, clock, log } = options;
    this.#onRun = (name, outcome) => options.runs?.inc({ name, outcome });
    this.#rounds = new Rounds({ jobs, log, now: () => performance.now(), onRun: this.#onRun });
    this.#keyed = new KeyedJobs({
      jobs: scheduledJobs,
      names: new Set(keyedJobs.map(({ name }) => name)),
      clock,
      log,
      notify: (name) => this.#notify(name),
    });
    for (const job of keyedJobs) job.bind(this);
  }

  async start(): Promise<void> {
    const { log, keyedJobs, clock, backend } = this.#options;
    const names = new Set(keyedJobs.map(({ name }) => name));
    const rounds = sparingBackend(adjustedBackend(backend ?? this.#inStore(), clock));
    const agenda = new Agenda({
      backend: lockedWhileSaving(keyedBackend(rounds, names, this.#keyed)),
      notificationChannel: this.#channel,
      processEvery: EVERY,
      maxConcurrency: MOST_AT_ONCE,
      defaultLockLifetime: LOCK_LIFE_MS,
    });
    agenda.on('error', (err: Error) => log.error({ err }, 'job runner'));
    await agenda.ready;
    this.#agenda = agenda;
    // No limit of locks: one that has grown too old before its round began would count for ever.
    const limits = { lockLifetime: LOCK_LIFE_MS, concurrency: 1 };
    agenda.define(ROUND, (round: Job) => this.#make(round), limits);
    for (const kind of keyedJobs) {
      const options = { lockLifetime: LOCK_LIFE_MS, concurrency: MOST_AT_ONCE };
      agenda.define(kind.name, (job: Job<KeyOf>) => this.#run(kind, job), options);
    }
    this.#keyed.start();
    if (keyedJobs.length > 0) this.#renewals = setInterval(() => void this.#renew(), RENEW_EVERY_MS);
    await agenda.start();
    await schedule(agenda);
    if (!backend) this.#looks = setInterval(() => void this.#pullBack(), LOOK_AHEAD_EVERY_MS);
    // Each sweep had a job of its own once.
    await agenda.purge();
  }

  /** Begins no further round and no further run. A round that runs goes on; the jobs of keys are given up. */
  async stop(): Promise<void> {
    this.#rounds.stop();
    clearInterval(this.#renewals);
    clearInterval(this.#looks);
    await this.#keyed.stop();
    await this.#agenda?.stop();
    await Promise.all(this.#runs);
    if (!this.#agenda) return;
    // Agenda releases what has run in the same turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
    await this.#keyed.releaseAll();
  }

  async schedule(name: string, key: string, at: number): Promise<void> {
    // Before the start, and after the end, it is for other replicas, or for the next start.
    if (!this.#agenda) return this.#keyed.schedule(name, key, at);
    await this.#agenda.create(name, { key }).schedule(new Date(at)).save();
  }

  ensure(name: string, keys: readonly string[]): Promise<void> {
    return this.#keyed.ensure(name, keys);
  }

  #inStore(): AgendaBackend {
    const { db } = this.#options.store;
    if (!db) throw new Error('the store is not connected');
    return new MongoBackend({ mongo: db, collection: COLLECTION });
  }

  /**
   * Has the next round made now where it is far ahead, or locked from far ahead: a replica wrote that whose clock had
   * just jumped. Nobody would make a round until then.
   */
  async #pullBack(): Promise<void> {
    const { store, clock, log } = this.#options;
    const now = clock.now();
    const tooFar = { $gt: new Date(now + TOO_FAR_MS) };
    try {
      const { modifiedCount } = await store
        .collection(COLLECTION)
        .updateOne(
          { name: ROUND, $or: [{ lockedAt: null, nextRunAt: tooFar }, { lockedAt: tooFar }] },
          { $set: { lockedAt: null, nextRunAt: new Date(now) } },
        );
      if (modifiedCount > 0) log.warn({}, 'the next round of jobs was far ahead, and is made now');
    } catch (err) {
      log.debug({ err }, 'the next round of jobs could not be looked at');
    }
  }

  /** Lets Agenda know at once that a job of that name is due: it does not wait for its next poll. */
  #notify(name: string): void {
    if (this.#channel.state !== 'connected') return;
    const now = new Date();
    void this.#channel
      .publish({ jobId: name as never, jobName: name, nextRunAt: now, priority: 0, timestamp: now })
      .catch((err: unknown) => this.#options.log.warn({ err }, 'a job that is due was not announced'));
  }

  async #run(kind: KeyedJob, job: Job<KeyOf>): Promise<void> {
    const { clock, log } = this.#options;
    const held = this.#keyed.held.get(String(job.attrs._id));
    if (!held?.begin()) return;
    this.#running.add(job);
    const { key } = held.locked;
    const running = kind.run(key, held).then(
      (at) => {
        this.#onRun(kind.name, 'succeeded');
        return at;
      },
      (err: unknown) => {
        this.#onRun(kind.name, 'failed');
        log.error({ job: kind.name, ...kind.fieldsOf(key), err }, 'job failed');
        return clock.now() + AGAIN_MS;
      },
    );
    this.#runs.add(running);
    try {
      const at = await running;
      // A run that was asked to end may have left something to be done.
      const nextAt = held.signal.aborted ? Math.min(at ?? clock.now(), clock.now()) : at;
      job.attrs.nextRunAt = nextAt === null ? null : new Date(nextAt);
    } finally {
      this.#running.delete(job);
      this.#runs.delete(running);
    }
  }

  async #renew(): Promise<void> {
    const { log } = this.#options;
    const touched = [...this.#running].map((job) =>
      job.touch().catch((error: unknown) => {
        // Agenda gives up a job that stood still for longer than its lock lives.
        this.#keyed.held.get(String(job.attrs._id))?.end('the lock has grown too old');
        throw error;
      }),
    );
    await Promise.all([...touched, this.#keyed.tidy()]).catch((err: unknown) =>
      log.warn({ err }, 'the locks of running jobs were not renewed'),
    );
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
