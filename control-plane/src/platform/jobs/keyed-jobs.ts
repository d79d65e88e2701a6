import type { Clock, Timer } from '@voice/shared/clock/clock';
import type { Log } from '@voice/shared/log/log';
import { HeldJob } from './held-job.js';
import { JobAgenda, STAND_BACK_MS } from './job-agenda.js';
import { JobRows, type LockedJob } from './job-rows.js';
import { jobIdOf, LEASE, type ScheduledJob, type ScheduledJobModel } from './scheduled-job-model.js';

/** How often the store is asked what falls due, in ms. */
export const SCAN_EVERY_MS = 2000;
/** How far ahead of their time jobs are read, in ms: past the next scan. */
const HORIZON_MS = 3000;
/** A poll that comes so much early scans all the same, in ms. */
const EARLY_SCAN_MS = 300;
const MOST_SCANNED = 2000;
/** Jobs that are locked by one command. */
const LOCK_BATCH = 100;

export interface KeyedJobsOptions {
  readonly jobs: ScheduledJobModel;
  readonly names: ReadonlySet<string>;
  readonly clock: Clock;
  readonly log: Log;
  /** Called with a job's name when one may be locked now. */
  readonly notify: (name: string) => void;
}

/**
 * The jobs of keys, as one replica sees them: it reads what falls due in the next moments of all kinds at once, locks
 * each at its time, and holds what it has locked until it is released.
 */
export class KeyedJobs {
  readonly #options: KeyedJobsOptions;
  readonly #rows: JobRows;
  readonly #agenda: JobAgenda;
  readonly #held = new Map<string, HeldJob>();
  /** Locked, and not yet handed out, by name. */
  readonly #ready = new Map<string, LockedJob[]>();
  readonly #releasing = new Set<Promise<void>>();
  #locking: Promise<void> | undefined;
  #scanning: Promise<void> | undefined;
  #scannedAt = Number.NEGATIVE_INFINITY;
  #hasMore = false;
  #nextScan: Timer | undefined;
  #stopped = true;

  constructor(options: KeyedJobsOptions) {
    this.#options = options;
    this.#rows = new JobRows(options);
    this.#agenda = new JobAgenda({
      clock: options.clock,
      onDue: (names) => {
        for (const name of names) options.notify(name);
      },
    });
  }

  /** The jobs that this replica holds, by id. */
  get held(): ReadonlyMap<string, HeldJob> {
    return this.#held;
  }

  start(): void {
    this.#stopped = false;
  }

  /** Locks nothing more, asks the runs to end, unlocks what does not run yet, and leaves it to others at once. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#nextScan?.cancel();
    this.#agenda.stop();
    await Promise.all([this.#scanning, this.#locking].map((working) => working?.catch(() => {})));
    for (const job of this.#held.values()) job.end('the replica stops');
    const idle = [...this.#ready.values()].flat();
    this.#ready.clear();
    await Promise.all(idle.map(({ id, dueAt }) => this.release(id, dueAt)));
    const { names, clock } = this.#options;
    if (names.size > 0) await this.#rows.leave(clock.now() + HORIZON_MS);
  }

  async schedule(name: string, key: string, at: number): Promise<void> {
    const id = jobIdOf(name, key);
    const held = this.#held.get(id);
    // Its holder dies with what is noted here; the next holder runs it at once.
    if (held) return held.want(at);
    await this.#rows.schedule(name, key, at, this.#stopped);
    this.#note({ id, name, dueAt: at });
  }

  async ensure(name: string, keys: readonly string[]): Promise<void> {
    const known = await this.#rows.known(name, keys);
    const now = this.#options.clock.now();
    const missing = keys.filter((key) => !known.has(key) && !this.#held.has(jobIdOf(name, key)));
    await Promise.all(missing.map((key) => this.schedule(name, key, now)));
  }

  /** Locks and returns the next job of that name; undefined when none is due. */
  async next(name: string): Promise<HeldJob | undefined> {
    if (this.#stopped) return undefined;
    await this.#scanWhenDue();
    for (;;) {
      const locked = this.#ready.get(name)?.shift();
      const held = locked && this.#held.get(locked.id);
      held?.handOut();
      if (locked) return held;
      if (!(await this.#lockMore()) && !(await this.#readMore())) return undefined;
    }
  }

  /** Releases a job that is wanted at `at` in epoch ms, or no more. */
  async release(id: string, at: number | null): Promise<void> {
    const held = this.#held.get(id);
    if (!held) return;
    this.#held.delete(id);
    const nextAt = held.nextAt(at);
    const releasing = this.#rows.release(held.locked, nextAt, this.#stopped);
    const settled = releasing.catch(() => {}).finally(() => this.#releasing.delete(settled));
    this.#releasing.add(settled);
    await releasing;
    if (nextAt !== null) this.#note({ id, name: held.locked.name, dueAt: nextAt });
  }

  /** Releases what is held still, now that no run goes on, and gives up the lease. */
  async releaseAll(): Promise<void> {
    const now = this.#options.clock.now();
    await Promise.all([...this.#held.keys()].map((id) => this.release(id, now)));
    await Promise.all(this.#releasing);
    await this.tidy();
  }

  /** Renews the locks of all that is held; where they were lost, the runs are asked to end. */
  async touch(): Promise<void> {
    if (await this.#rows.renew()) return;
    this.#options.log.warn({ jobs: this.#held.size }, 'the locks of running jobs were lost');
    for (const job of this.#held.values()) job.end('the lock was lost');
  }

  /**
   * To be called every few seconds: repairs what a failing store left, releases what Agenda has dropped, which would be
   * held for as long as this replica lives, and ends the lease where nothing is held.
   */
  async tidy(): Promise<void> {
    await this.#rows.mend();
    for (const [id, job] of this.#held) {
      if (!job.wasDropped) continue;
      this.#options.log.warn({ name: job.locked.name }, 'a job was dropped before it began, and is released');
      await this.release(id, job.dueAt);
    }
    if (this.#held.size === 0 && !this.#locking) await this.#rows.endLease();
  }

  #note(
    job: { readonly id: string; readonly name: string; readonly dueAt: number },
    isAnothers = false,
  ): void {
    if (this.#stopped || job.dueAt > this.#options.clock.now() + HORIZON_MS) return;
    this.#agenda.note(job, isAnothers);
  }

  /** Locks what is due; false when that was nothing, or another caller did it meanwhile for nothing. */
  async #lockMore(): Promise<boolean> {
    if (this.#locking) {
      await this.#locking;
      return this.#isReady();
    }
    const due = this.#stopped ? [] : this.#agenda.takeDue(LOCK_BATCH);
    if (due.length === 0) return false;
    this.#locking = this.#lock(due).finally(() => {
      this.#locking = undefined;
    });
    await this.#locking;
    return true;
  }

  /** Reads on where more was overdue than one scan reads. */
  async #readMore(): Promise<boolean> {
    if (!this.#hasMore || this.#stopped) return false;
    this.#hasMore = false;
    this.#scannedAt = Number.NEGATIVE_INFINITY;
    await this.#scanWhenDue();
    return true;
  }

  #isReady(): boolean {
    return [...this.#ready.values()].some((jobs) => jobs.length > 0);
  }

  async #lock(due: Parameters<JobRows['lock']>[0]): Promise<void> {
    const { clock, notify } = this.#options;
    const names = new Set<string>();
    for (const job of await this.#rows.lock(due)) {
      this.#held.set(job.id, new HeldJob(job, clock));
      this.#ready.set(job.name, [...(this.#ready.get(job.name) ?? []), job]);
      names.add(job.name);
    }
    // Those of another name than was asked for.
    for (const name of names) notify(name);
  }

  async #scanWhenDue(): Promise<void> {
    if (this.#options.clock.monotonic() - this.#scannedAt < SCAN_EVERY_MS - EARLY_SCAN_MS) return;
    this.#scanning ??= this.#scan().finally(() => {
      this.#scanning = undefined;
    });
    await this.#scanning;
  }

  async #scan(): Promise<void> {
    const { clock, names, notify } = this.#options;
    this.#nextScan?.cancel();
    // Where the poll does not come first: by the injected clock time may go faster.
    this.#nextScan = clock.schedule(SCAN_EVERY_MS + EARLY_SCAN_MS, () => notify([...names][0]!));
    this.#scannedAt = clock.monotonic();
    const rows = await this.#rows.due(clock.now() + HORIZON_MS, MOST_SCANNED);
    const leases = rows.filter(({ name }) => name === LEASE);
    if (!this.#stopped && (await this.#takeOver(leases))) return this.#scan();
    if (this.#stopped) return;
    const wanted = rows.filter(({ holder }) => holder !== null);
    for (const { _id, name, due_at, holder, last_holder } of rows) {
      if (holder !== null || !names.has(name)) continue;
      const isAnothers = last_holder !== null && last_holder !== this.#rows.holder;
      this.#note({ id: _id, name, dueAt: due_at.getTime() }, isAnothers);
    }
    await this.#rows.noted(wanted.map(({ _id }) => _id));
    for (const { _id, due_at } of wanted) this.#held.get(_id)?.want(due_at.getTime());
    const last = rows.length < MOST_SCANNED ? undefined : rows.at(-1);
    this.#hasMore = last !== undefined && last.due_at.getTime() <= clock.now() - STAND_BACK_MS;
  }

  /** Frees the jobs of replicas whose leases are over; false when there is none. */
  async #takeOver(leases: readonly ScheduledJob[]): Promise<boolean> {
    const now = this.#options.clock.now();
    const over = leases.filter(({ key, due_at }) => key !== this.#rows.holder && due_at.getTime() <= now);
    for (const lease of over) {
      this.#options.log.warn({ holder: lease.key }, 'the jobs of a replica that died are taken over');
      await this.#rows.takeOver(lease);
    }
    return over.length > 0;
  }
}
