import type { Clock } from '@voice/shared/clock/clock';
import { type Connection, type mongo, Schema } from 'mongoose';
import { Gathered } from '../store/gathered.js';
import { apiError } from './error-codes.js';
import { isDuplicateKey } from './errors.js';
import type { RateClass } from './route.js';

const WINDOW_MS = 60_000;

interface WindowRow {
  /** Whose requests are counted, and of which class. */
  _id: string;
  count: number;
  resets_at: Date;
}

const windowSchema = new Schema<WindowRow>(
  { _id: String, count: { type: Number, required: true }, resets_at: { type: Date, required: true } },
  { versionKey: false, autoIndex: false, autoCreate: false, collection: 'rate_windows' },
);
windowSchema.index({ resets_at: 1 }, { expireAfterSeconds: 60 });

/** What a client may know of its limit; becomes the X-RateLimit headers. */
export interface RateVerdict {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Epoch ms. */
  readonly resetsAt: number;
}

/** Requests that were counted before they are made. */
export interface TakenRequests {
  readonly count: number;
  /** Gives back those that are not made after all. */
  giveBack(unused: number): Promise<void>;
}

/**
 * Counts requests in windows of a minute that begin with their first request. The counts live in the
 * store and every step is one atomic command, so that all replicas count as one.
 */
export class RateLimiter {
  readonly #windows;
  readonly #rows: mongo.Collection<WindowRow>;
  readonly #limits: Readonly<Record<RateClass, number>>;
  readonly #clock: Clock;
  /** Windows that were full when requests were taken of them last. */
  readonly #seenFull = new Set<string>();
  /** Requests that come at the same time are counted by one command, each with a place of its own in the count. */
  readonly #counting = new Gathered<string, WindowRow>((ids) => this.#countAll(ids));

  constructor(store: Connection, limits: Readonly<Record<RateClass, number>>, clock: Clock) {
    this.#windows = store.model<WindowRow>('RateWindow', windowSchema);
    // The driver itself: this runs for every request, and mongoose's queries cost as much as the rest of it.
    this.#rows = this.#windows.collection as unknown as mongo.Collection<WindowRow>;
    this.#limits = limits;
    this.#clock = clock;
  }

  /** Counts one request of `subject` (a tenant, or an address for what is not authenticated). */
  async consume(subject: string, rateClass: RateClass): Promise<RateVerdict> {
    const limit = this.#limits[rateClass];
    const row = await this.#counting.add(`${subject}/${rateClass}`);
    return {
      allowed: row.count <= limit,
      limit,
      remaining: Math.max(0, limit - row.count),
      resetsAt: row.resets_at.getTime(),
    };
  }

  /**
   * Counts up to `count` requests of `subject` at once: as many as its window has left, never more, whichever
   * else counts at the same moment. What is not used can be given back.
   */
  async take(subject: string, rateClass: RateClass, count: number): Promise<TakenRequests> {
    const id = `${subject}/${rateClass}`;
    const limit = this.#limits[rateClass];
    if (await this.#isFull(id, limit)) return { count: 0, giveBack: async () => {} };
    const row = await this.#count(id, count);
    const giveBack = async (unused: number) => {
      if (unused <= 0) return;
      // Its own window only: a later one has not counted them.
      await this.#rows.updateOne({ _id: id, resets_at: row.resets_at }, { $inc: { count: -unused } });
    };
    const over = Math.min(count, Math.max(0, row.count - limit));
    if (over > 0) {
      this.#seenFull.add(id);
      await giveBack(over);
    }
    return { count: count - over, giveBack };
  }

  /** Asks the store only for a window that was full before, which is not counted up and down for nothing. */
  async #isFull(id: string, limit: number): Promise<boolean> {
    if (!this.#seenFull.has(id)) return false;
    const now = new Date(this.#clock.now());
    const full = await this.#rows.findOne({ _id: id, count: { $gte: limit }, resets_at: { $gt: now } });
    if (!full) this.#seenFull.delete(id);
    return full !== null;
  }

  async #countAll(ids: readonly string[]): Promise<readonly WindowRow[]> {
    const requests = new Map<string, number>();
    for (const id of ids) requests.set(id, (requests.get(id) ?? 0) + 1);
    const windows = new Map(
      await Promise.all(
        [...requests].map(async ([id, count]) => [id, await this.#count(id, count)] as const),
      ),
    );
    return ids.map((id) => {
      const { count, ...window } = windows.get(id)!;
      const later = requests.get(id)! - 1;
      requests.set(id, later);
      return { ...window, count: count - later };
    });
  }

  /** Adds `requests` to the window of `id`; the window after it. */
  async #count(id: string, requests: number): Promise<WindowRow> {
    for (;;) {
      const now = new Date(this.#clock.now());
      const counted = await this.#rows.findOneAndUpdate(
        { _id: id, resets_at: { $gt: now } },
        { $inc: { count: requests } },
        { returnDocument: 'after' },
      );
      if (counted) return counted;
      const opened = await this.#open(id, now, requests);
      if (opened) return opened;
    }
  }

  /** Begins a window; null when another request has begun it meanwhile. */
  async #open(id: string, now: Date, requests: number): Promise<WindowRow | null> {
    try {
      return await this.#rows.findOneAndUpdate(
        { _id: id, resets_at: { $lte: now } },
        { $set: { count: requests, resets_at: new Date(now.getTime() + WINDOW_MS) } },
        { upsert: true, returnDocument: 'after' },
      );
    } catch (error) {
      if (isDuplicateKey(error)) return null;
      throw error;
    }
  }
}

/** Returns the headers that every answer of the API carries. Reset is in epoch seconds. */
export function rateHeaders(verdict: RateVerdict): Record<string, string> {
  return {
    'X-RateLimit-Limit': String(verdict.limit),
    'X-RateLimit-Remaining': String(verdict.remaining),
    'X-RateLimit-Reset': String(Math.ceil(verdict.resetsAt / 1000)),
  };
}

/**
 * Returns the headers of an answer that counts against no limit, or whose request could not be counted: a whole window
 * of the default class. `now` is epoch ms.
 */
export function uncountedRateHeaders(limit: number, now: number): Record<string, string> {
  return rateHeaders({ allowed: true, limit, remaining: limit, resetsAt: now + WINDOW_MS });
}

/** Builds the refusal of a request over the limit. */
export function rateLimited(verdict: RateVerdict, clock: Clock) {
  const retryAfterSeconds = Math.max(1, Math.ceil((verdict.resetsAt - clock.now()) / 1000));
  return apiError(
    'rate_limited',
    `More than ${verdict.limit} requests in a minute; wait ${retryAfterSeconds} s.`,
    {
      retryable: true,
      retryAfterSeconds,
    },
  );
}
