import type { Clock } from '@voice/shared/clock/clock';
import { type Connection, type mongo, Schema } from 'mongoose';
import { Gathered } from '../store/gathered.js';
import { rowsOf } from '../store/rows-of.js';
import { apiError } from './error-codes.js';
import { isDuplicateKey } from './errors.js';
import type { RateClass } from './route.js';

const WINDOW_MS = 60_000;
/**
 * Of a limit this part, 0.2 %, is counted by one command and then used up in memory. A limit below 1000 a minute is
 * counted to the last request; of a higher one each replica may leave one such part unused.
 */
const BLOCKS_OF_A_LIMIT = 500;
/** Windows of which a replica holds counted requests; above it those that have ended are forgotten. */
const MAX_HELD = 10_000;

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

/** A request's place in its window. */
type Place = Pick<WindowRow, 'count' | 'resets_at'>;

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

/** Requests of a window that are counted in the store and not made yet. */
interface Held {
  /** Place of the last that was made, and of the last that is counted, in the window. */
  count: number;
  readonly counted: number;
  readonly resets_at: Date;
}

/** One request that is to be counted. */
interface Request {
  readonly id: string;
  /** How many the store counts at once. */
  readonly block: number;
}

interface RateLimiterOptions {
  readonly store: Connection;
  /** Requests a minute. */
  readonly limits: Readonly<Record<RateClass, number>>;
  readonly clock: Clock;
}

/**
 * Counts requests in windows of a minute that begin with their first request. The counts live in the
 * store and every step is one atomic command, so that all replicas count as one. Of high limits a replica counts
 * several requests at once, and makes them without asking again.
 */
export class RateLimiter {
  readonly #windows;
  readonly #rows: mongo.Collection<WindowRow>;
  readonly #options: RateLimiterOptions;
  /** Windows that were full when requests were taken of them last. */
  readonly #seenFull = new Set<string>();
  readonly #held = new Map<string, Held>();
  /** Requests that come at the same time are counted by one command, each with a place of its own in the count. */
  readonly #counting = new Gathered<Request, Place>((requests) => this.#countAll(requests));

  constructor(options: RateLimiterOptions) {
    this.#windows = options.store.model<WindowRow>('RateWindow', windowSchema);
    // The driver itself: this runs for every request, and mongoose's queries cost as much as the rest of it.
    this.#rows = rowsOf<WindowRow>(this.#windows);
    this.#options = options;
  }

  /** Counts one request of `subject` (a tenant, or an address for what is not authenticated). */
  async consume(subject: string, rateClass: RateClass): Promise<RateVerdict> {
    const limit = this.#options.limits[rateClass];
    const id = `${subject}/${rateClass}`;
    const block = Math.max(1, Math.floor(limit / BLOCKS_OF_A_LIMIT));
    const { count, resets_at } = this.#nextHeld(id) ?? (await this.#counting.add({ id, block }));
    return {
      allowed: count <= limit,
      limit,
      remaining: Math.max(0, limit - count),
      resetsAt: resets_at.getTime(),
    };
  }

  /**
   * Counts up to `count` requests of `subject` at once: as many as its window has left, never more, whichever
   * else counts at the same moment. What is not used can be given back.
   */
  async take(subject: string, rateClass: RateClass, count: number): Promise<TakenRequests> {
    const id = `${subject}/${rateClass}`;
    const limit = this.#options.limits[rateClass];
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
    const now = new Date(this.#options.clock.now());
    const full = await this.#rows.findOne({ _id: id, count: { $gte: limit }, resets_at: { $gt: now } });
    if (!full) this.#seenFull.delete(id);
    return full !== null;
  }

  /** The next of the requests of `id` that are counted already. */
  #nextHeld(id: string): Place | undefined {
    const held = this.#held.get(id);
    if (!held) return undefined;
    if (held.count < held.counted && held.resets_at.getTime() > this.#options.clock.now()) {
      held.count++;
      return { count: held.count, resets_at: held.resets_at };
    }
    this.#held.delete(id);
    return undefined;
  }

  #hold(id: string, held: Held): void {
    if (held.count === held.counted) return;
    this.#held.set(id, held);
    if (this.#held.size <= MAX_HELD) return;
    for (const [other, { resets_at }] of this.#held)
      if (resets_at.getTime() <= this.#options.clock.now()) this.#held.delete(other);
  }

  async #countAll(requests: readonly Request[]): Promise<readonly Place[]> {
    const places = requests.map(({ id }) => this.#nextHeld(id));
    const wanted = new Map<string, { block: number; places: number[] }>();
    for (const [n, { id, block }] of requests.entries()) {
      if (places[n]) continue;
      const of = wanted.get(id) ?? { block, places: [] };
      of.places.push(n);
      wanted.set(id, of);
    }
    await Promise.all(
      [...wanted].map(async ([id, of]) => {
        const counted = Math.max(of.block, of.places.length);
        const { count, resets_at } = await this.#count(id, counted);
        const first = count - counted + 1;
        for (const [n, place] of of.places.entries()) places[place] = { count: first + n, resets_at };
        this.#hold(id, { count: first + of.places.length - 1, counted: count, resets_at });
      }),
    );
    return places.map((place) => place!);
  }

  /** Adds `requests` to the window of `id`; the window after it. */
  async #count(id: string, requests: number): Promise<WindowRow> {
    for (;;) {
      const now = new Date(this.#options.clock.now());
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
