import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '@voice/shared/ids/ids';
import type { Connection } from 'mongoose';
import { isDuplicateKey } from '../store/duplicate-keys.js';
import { storeTime } from '../store/store-time.js';
import { type LeaseRow, leaseRows } from './migration-rows.js';

/** How long the lease of a replica that died stands, in ms. */
const LEASE_MS = 15_000;
/** How often it is renewed, in ms. */
const RENEW_EVERY_MS = 4000;
/** How often a replica that waits looks whether the lease is free, in ms. */
const LOOK_EVERY_MS = 250;

const TAKEN_OVER = 'another replica has taken the migration over';

/** The lease went to another replica, which took this one for dead. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';
}

export interface MigrationLeaseOptions {
  readonly store: Connection;
  /** Names what the store is brought up to. */
  readonly fingerprint: string;
  /** Gives waiting up. */
  readonly signal: AbortSignal;
  /** Called at each look, while another replica holds the lease. */
  readonly onWait: () => void;
}

/**
 * Lets one replica at a time bring the store up to date. The lease is judged by the store's own clock, which all of
 * them share, and waited for by the machine's: a scripted one stands still meanwhile.
 */
export class MigrationLease {
  readonly #options: MigrationLeaseOptions;
  readonly #holder = newId();

  constructor(options: MigrationLeaseOptions) {
    this.#options = options;
  }

  /**
   * Does the work as the only one; returns false, without doing it, where another replica has done the same while this
   * one waited. The work's signal aborts when the lease is lost, or with the caller's.
   */
  async run(work: (signal: AbortSignal) => Promise<void>): Promise<boolean> {
    const { store, signal, fingerprint } = this.#options;
    if (await this.#take()) return false;
    const lost = new AbortController();
    const renewal = setInterval(() => {
      this.#renew().then(
        (held) => held || lost.abort(new LeaseLostError(TAKEN_OVER)),
        // The store is away: so is it for the work, and the lease stands until it is back or has ended.
        () => {},
      );
    }, RENEW_EVERY_MS);
    try {
      await untilAborted(
        work(AbortSignal.any([signal, lost.signal])),
        AbortSignal.any([signal, lost.signal]),
      );
      const { matchedCount } = await leaseRows(store).updateOne(
        { _id: 'lease', holder: this.#holder },
        { $set: { holder: null, fingerprint }, $inc: { round: 1 } },
      );
      if (matchedCount === 0) throw new LeaseLostError(TAKEN_OVER);
      return true;
    } catch (error) {
      await this.#giveBack().catch(() => {});
      throw error;
    } finally {
      clearInterval(renewal);
    }
  }

  /** Waits for the lease; returns whether nothing is left to do, and the lease was given back. */
  async #take(): Promise<boolean> {
    const { signal, fingerprint, onWait } = this.#options;
    for (let seen: number | undefined; ; ) {
      signal.throwIfAborted();
      const taken = await this.#tryTake();
      if (taken) {
        const isDone = seen !== undefined && taken.round !== seen && taken.fingerprint === fingerprint;
        if (isDone) await this.#giveBack();
        return isDone;
      }
      seen ??= (await leaseRows(this.#options.store).findOne({ _id: 'lease' }))?.round ?? 0;
      onWait();
      await sleep(LOOK_EVERY_MS, undefined, { signal });
    }
  }

  async #tryTake(): Promise<LeaseRow | null> {
    const now = await storeTime(this.#options.store);
    const until = new Date(now + LEASE_MS);
    const rows = leaseRows(this.#options.store);
    const taken = await rows.findOneAndUpdate(
      { _id: 'lease', $or: [{ holder: null }, { until: { $lte: new Date(now) } }] },
      { $set: { holder: this.#holder, until } },
      { returnDocument: 'after' },
    );
    if (taken) return taken;
    const first: LeaseRow = { _id: 'lease', holder: this.#holder, until, round: 0, fingerprint: null };
    try {
      await rows.insertOne(first);
      return first;
    } catch (error) {
      if (isDuplicateKey(error)) return null;
      throw error;
    }
  }

  async #renew(): Promise<boolean> {
    const until = new Date((await storeTime(this.#options.store)) + LEASE_MS);
    const { matchedCount } = await leaseRows(this.#options.store).updateOne(
      { _id: 'lease', holder: this.#holder },
      { $set: { until } },
    );
    return matchedCount === 1;
  }

  async #giveBack(): Promise<void> {
    await leaseRows(this.#options.store).updateOne(
      { _id: 'lease', holder: this.#holder },
      { $set: { holder: null } },
    );
  }
}

/** Settles as the work does, or rejects as soon as the signal aborts: the server may be at one command for long. */
async function untilAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  let stop: () => void = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
  });
  work.catch(() => {});
  try {
    await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
