import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '@voice/shared/ids/ids';
import type { Connection } from 'mongoose';
import { isDuplicateKey } from '../store/duplicate-keys.js';
import { storeTime } from '../store/store-time.js';
import { LeaseSilence } from './lease-silence.js';
import { type LeaseRow, leaseRows } from './migration-rows.js';

export interface LeasePace {
  /** How often the lease is renewed, in ms. */
  readonly renewEveryMs: number;
  /** How often a replica that waits looks at it, in ms. */
  readonly lookEveryMs: number;
  /** After how long without a renewal a replica that looked all along takes the holder for dead, in ms. */
  readonly silenceMs: number;
  /** How long the lease stands where nobody could look, in ms. */
  readonly lapseMs: number;
}

/** The silence is longer than the 4 s at which replicas of an earlier build renew. */
export const LEASE_PACE: LeasePace = {
  renewEveryMs: 1000,
  lookEveryMs: 250,
  silenceMs: 5000,
  lapseMs: 15_000,
};

const TAKEN_OVER = 'another replica has taken the migration over';

/** The lease went to another replica, which took this one for dead. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';
}

export interface MigrationLeaseOptions {
  readonly store: Connection;
  /** Names what the store is brought up to. */
  readonly fingerprint: string;
  readonly pace: LeasePace;
  /** Gives waiting up. */
  readonly signal: AbortSignal;
  /** Called at each look, while another replica holds the lease. */
  readonly onWait: () => void;
}

/** What the work is given while the lease is held. */
export interface Hold {
  /**
   * Called before each command that changes the store. Throws when the lease is lost, or the caller gives up; asks the
   * store where it was not renewed for so long that another replica may have taken it: this process may have stood
   * still.
   */
  readonly confirm: () => Promise<void>;
}

/**
 * Lets one replica at a time bring the store up to date. A holder that renews nothing for a few seconds is taken over
 * by one that looked all along; one whose silence nobody saw, once the lease lapses by the store's own clock, which all
 * of them share. The lease is waited for by the machine's clock: a scripted one stands still meanwhile.
 */
export class MigrationLease {
  readonly #options: MigrationLeaseOptions;
  readonly #holder = newId();

  constructor(options: MigrationLeaseOptions) {
    this.#options = options;
  }

  /**
   * Does the work as the only one; returns false, without doing it, where another replica has done the same while this
   * one waited. Rejects when the lease is lost, or the caller gives up.
   */
  async run(work: (hold: Hold) => Promise<void>): Promise<boolean> {
    const { store, signal, fingerprint, pace } = this.#options;
    if (await this.#take()) return false;
    const lost = new AbortController();
    const ended = AbortSignal.any([signal, lost.signal]);
    let renewedAt = performance.now();
    const renew = async () => {
      const at = performance.now();
      if (await this.#renew()) renewedAt = at;
      else lost.abort(new LeaseLostError(TAKEN_OVER));
    };
    const confirm = async () => {
      ended.throwIfAborted();
      if (performance.now() - renewedAt > pace.silenceMs / 2) await renew();
      ended.throwIfAborted();
    };
    // Where the store is away, so is it for the work, and the lease stands until it is back or has lapsed.
    const renewal = setInterval(() => void renew().catch(() => {}), pace.renewEveryMs);
    try {
      await untilAborted(work({ confirm }), ended);
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
    const { store, signal, fingerprint, onWait, pace } = this.#options;
    const silence = new LeaseSilence({ ...pace, longestGapMs: pace.silenceMs / 2 });
    let silent: LeaseRow | undefined;
    for (let seen: number | undefined; ; ) {
      signal.throwIfAborted();
      const taken = await this.#tryTake(silent);
      if (taken) {
        const isDone = seen !== undefined && taken.round !== seen && taken.fingerprint === fingerprint;
        if (isDone) await this.#giveBack();
        return isDone;
      }
      const row = await leaseRows(store).findOne({ _id: 'lease' });
      silent = row && silence.isOver({ row, at: performance.now() }) ? row : undefined;
      seen ??= row?.round ?? 0;
      onWait();
      await sleep(pace.lookEveryMs, undefined, { signal });
    }
  }

  /** Takes the lease where it is free, has lapsed, or is still as it was left by a holder that fell silent. */
  async #tryTake(silent: LeaseRow | undefined): Promise<LeaseRow | null> {
    const now = await storeTime(this.#options.store);
    const until = new Date(now + this.#options.pace.lapseMs);
    const rows = leaseRows(this.#options.store);
    const left = silent ? [{ holder: silent.holder, until: silent.until }] : [];
    const taken = await rows.findOneAndUpdate(
      { _id: 'lease', $or: [{ holder: null }, { until: { $lte: new Date(now) } }, ...left] },
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
    const until = new Date((await storeTime(this.#options.store)) + this.#options.pace.lapseMs);
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
