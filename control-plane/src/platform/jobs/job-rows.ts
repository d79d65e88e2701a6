import type { Clock } from '@voice/shared/clock/clock';
import { newId } from '@voice/shared/ids/ids';
import { Gathered } from '../store/gathered.js';
import { jobIdOf, LEASE, NEVER, type ScheduledJob, type ScheduledJobModel } from './scheduled-job-model.js';

/** How long the lease of a replica that died stands, in ms. */
export const LEASE_MS = 8000;
/** A lease that was renewed so lately is not renewed, in ms. */
const FRESH_MS = 1000;
/** How much too early a timer may fire, in ms. */
const EARLY_MS = 5;

const UNLOCKED = { holder: null, lock: null, locked_at: null };
/** Unlocked, and no replica that lives ran it last. */
const LEFT = { ...UNLOCKED, last_holder: null };

/** A job that is to be locked. */
export interface Candidate {
  readonly id: string;
  /** Epoch ms. */
  readonly dueAt: number;
}

/** A job that this replica has locked. */
export interface LockedJob extends Candidate {
  readonly name: string;
  readonly key: string;
  readonly lock: string;
}

type JobWrite = Parameters<ScheduledJobModel['collection']['bulkWrite']>[0][number];

interface JobRowsOptions {
  readonly jobs: ScheduledJobModel;
  readonly clock: Clock;
}

/**
 * The rows of jobs, and of the leases by which replicas hold them. A lock names its holder and stands as long as the
 * holder's lease: all locks of a replica are touched by one write, and freed by one when it died.
 */
export class JobRows {
  readonly #rows: ScheduledJobModel['collection'];
  readonly #options: JobRowsOptions;
  readonly #writes = new Gathered((writes: readonly (readonly JobWrite[])[]) => this.#write(writes));
  /** Another one after each lease that was lost: what is done to the old one's jobs is not done to the new one's. */
  #holder = newId();
  /** Until when this replica's lease stands, in epoch ms; 0 where it has none. */
  #leaseUntil = 0;
  #renewing: Promise<boolean> | undefined;
  #ending: Promise<unknown> = Promise.resolve();
  /** Locked rows of which nobody here knows, because the store failed: to be unlocked when it answers again. */
  #strays: { readonly ids: readonly string[]; readonly lock: string; readonly at: number }[] = [];

  constructor(options: JobRowsOptions) {
    this.#options = options;
    this.#rows = options.jobs.collection;
  }

  get holder(): string {
    return this.#holder;
  }

  /**
   * Wants the job at `at`, or earlier if that was wanted before. It may be running: its lock stands. Of a replica that
   * `leaves` nobody expects to run it.
   */
  async schedule(name: string, key: string, at: number, leaves = false): Promise<void> {
    const _id = jobIdOf(name, key);
    const fresh = { name, key, ...UNLOCKED };
    const runsNext = { last_holder: leaves ? null : this.#holder };
    const update = leaves
      ? { $set: runsNext, $setOnInsert: fresh }
      : { $setOnInsert: { ...fresh, ...runsNext } };
    await this.#writes.add([
      {
        updateOne: {
          filter: { _id } as object,
          update: { $min: { due_at: new Date(at) }, ...update },
          upsert: true,
        },
      },
    ]);
  }

  /** Has nobody expect this replica to run what is due by `before`, in epoch ms. */
  async leave(before: number): Promise<void> {
    await this.#writes.idle();
    const mine = { due_at: { $lte: new Date(before) }, holder: null, last_holder: this.#holder };
    await this.#rows.updateMany(mine as object, { $set: { last_holder: null } });
  }

  /** Returns which of the keys have a job. */
  async known(name: string, keys: readonly string[]): Promise<ReadonlySet<string>> {
    const ids = keys.map((key) => jobIdOf(name, key));
    const rows = await this.#rows.find({ _id: { $in: ids } } as object, { projection: { key: 1 } }).toArray();
    return new Set(rows.map(({ key }) => String(key)));
  }

  /** Finds what is due by `before`, the longest due first: jobs that nobody runs or that run here, and leases. */
  async due(before: number, limit: number): Promise<ScheduledJob[]> {
    const rows = await this.#rows
      .find({ due_at: { $lte: new Date(before) }, holder: { $in: [null, this.#holder] } })
      .sort({ due_at: 1 })
      .limit(limit)
      .toArray();
    return rows as unknown as ScheduledJob[];
  }

  /** Locks those that are due and that nobody runs, and returns them. */
  async lock(candidates: readonly Candidate[]): Promise<LockedJob[]> {
    if (candidates.length === 0) return [];
    await this.#holdLease();
    const now = this.#options.clock.now();
    const dueAt = new Map(candidates.map((candidate) => [candidate.id, candidate.dueAt]));
    const [lock, holder] = [newId(), this.#holder];
    const free = { holder: null, due_at: { $lte: new Date(now + EARLY_MS) } };
    const taken = { holder, lock, last_holder: holder, locked_at: new Date(now), due_at: NEVER };
    const ids = [...dueAt.keys()];
    try {
      const one = ids.length === 1;
      const rows = one ? await this.#lockOne(ids[0]!, free, taken) : await this.#lockAll(ids, free, taken);
      return rows.map(({ _id, name, key }) => ({ id: _id, name, key, lock, dueAt: dueAt.get(_id) ?? now }));
    } catch (error) {
      this.#strays.push({ ids, lock, at: now });
      throw error;
    }
  }

  /**
   * Takes the lock off; the job is wanted at `at`, in epoch ms, or no more. What others wanted meanwhile stands. Of a
   * replica that `leaves` nobody expects to run it again.
   */
  async release({ id, lock }: LockedJob, at: number | null, leaves = false): Promise<void> {
    const mine = { _id: id, lock };
    const unlocked = leaves ? LEFT : UNLOCKED;
    const unlock: JobWrite = {
      updateOne: {
        filter: mine as object,
        update: {
          $set: unlocked,
          ...(at === null ? {} : { $min: { due_at: new Date(at) } }),
        },
      },
    };
    const remove: JobWrite = { deleteOne: { filter: { ...mine, due_at: NEVER } as object } };
    try {
      await this.#writes.add(at === null ? [remove, unlock] : [unlock]);
    } catch (error) {
      this.#strays.push({ ids: [id], lock, at: at ?? this.#options.clock.now() });
      throw error;
    }
  }

  /** Unlocks what the store failed to unlock. */
  async mend(): Promise<void> {
    for (let stray = this.#strays[0]; stray; stray = this.#strays[0]) {
      const { ids, lock, at } = stray;
      await this.#rows.updateMany({ _id: { $in: [...ids] }, lock } as object, {
        $set: UNLOCKED,
        $min: { due_at: new Date(at) },
      });
      this.#strays.shift();
    }
  }

  /** Takes note that jobs that run here are wanted; what is wanted after it shows again. */
  async noted(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    const running = { _id: { $in: [...ids] }, holder: this.#holder };
    await this.#rows.updateMany(running as object, { $set: { due_at: NEVER } });
  }

  /** Renews the lease unless that was done just now; false when it was lost: others may run the jobs. */
  renew(): Promise<boolean> {
    if (this.#leaseUntil - this.#options.clock.now() > LEASE_MS - FRESH_MS) return Promise.resolve(true);
    this.#renewing ??= this.#renew().finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  /** Gives the lease up: to be called when no job is held. */
  async endLease(): Promise<void> {
    if (this.#leaseUntil === 0 || this.#strays.length > 0) return;
    this.#leaseUntil = 0;
    const ending = this.#rows.deleteOne({ _id: jobIdOf(LEASE, this.#holder) } as object);
    this.#ending = ending.catch(() => {});
    await ending;
  }

  /** Frees the jobs of a replica whose lease is over. Should this end half-way, the lease falls due once more. */
  async takeOver(lease: Pick<ScheduledJob, '_id' | 'key' | 'due_at'>): Promise<void> {
    const now = this.#options.clock.now();
    const over = { _id: lease._id, due_at: { $lte: new Date(now) } } as object;
    const ended = { $set: { ended: true, due_at: new Date(now + LEASE_MS) } };
    if ((await this.#rows.updateOne(over, ended)).matchedCount === 0) return;
    // As if it had been wanted since the holder was seen last: what it owes since then is made up for.
    const since = new Date(Math.min(now, lease.due_at.getTime() - LEASE_MS));
    await this.#rows.updateMany({ holder: lease.key }, { $set: LEFT, $min: { due_at: since } });
    await this.#rows.deleteOne({ _id: lease._id } as object);
  }

  async #holdLease(): Promise<void> {
    await this.#ending;
    if (this.#leaseUntil > 0 && (await this.renew())) return;
    const until = this.#options.clock.now() + LEASE_MS;
    const key = this.#holder;
    await this.#rows.updateOne(
      { _id: jobIdOf(LEASE, key) } as object,
      {
        $set: { due_at: new Date(until) },
        $setOnInsert: { name: LEASE, key, ...LEFT },
      },
      { upsert: true },
    );
    this.#leaseUntil = until;
  }

  async #renew(): Promise<boolean> {
    if (this.#leaseUntil === 0) return true;
    const until = this.#options.clock.now() + LEASE_MS;
    const mine = { _id: jobIdOf(LEASE, this.#holder), ended: { $ne: true } } as object;
    const { matchedCount } = await this.#rows.updateOne(mine, { $set: { due_at: new Date(until) } });
    this.#leaseUntil = matchedCount === 1 ? until : 0;
    if (matchedCount === 0) this.#holder = newId();
    return matchedCount === 1;
  }

  async #lockOne(id: string, free: object, taken: object): Promise<ScheduledJob[]> {
    const row = await this.#rows.findOneAndUpdate({ _id: id, ...free } as object, { $set: taken });
    return row ? [row as unknown as ScheduledJob] : [];
  }

  async #lockAll(ids: string[], free: object, taken: { readonly lock: string }): Promise<ScheduledJob[]> {
    const { matchedCount } = await this.#rows.updateMany({ _id: { $in: ids }, ...free } as object, {
      $set: taken,
    });
    if (matchedCount === 0) return [];
    const mine = { _id: { $in: ids }, lock: taken.lock } as object;
    return (await this.#rows.find(mine).toArray()) as unknown as ScheduledJob[];
  }

  async #write(writes: readonly (readonly JobWrite[])[]): Promise<readonly undefined[]> {
    await this.#rows.bulkWrite(writes.flat(), { ordered: true });
    return writes.map(() => undefined);
  }
}
