import type { Clock } from '@voice/shared/clock/clock';
import { type Heartbeat, WORKER_LOST_AFTER_MS } from '@voice/shared/contracts/worker';
import type { mongo } from 'mongoose';
import type { WorkerRoom } from '../platform/health/worker-room.js';
import { ReadsById } from '../platform/store/reads-by-id.js';
import { rowsOf } from '../platform/store/rows-of.js';
import type { WorkerHolds } from './holds.js';
import type { MissingCall, WorkerDocument, WorkerModel } from './model.js';
import { takesWebRtc } from './web-rtc-ability.js';

/** For how long a list of the workers that have room is used before it is read anew, in ms. */
const CANDIDATES_LIFE_MS = 500;
/** For how long a worker's address is used before it is read anew, in ms. */
const ADDRESS_LIFE_MS = 2000;
/** Addresses that are kept. */
const MOST_ADDRESSES = 1000;

/** Which workers there are, by what they said of themselves last. */
export class WorkerRegistry {
  readonly #workers: WorkerModel;
  readonly #holds: WorkerHolds;
  readonly #byId: ReadsById<WorkerDocument>;
  readonly #clock: Clock;
  readonly #addresses = new Map<string, { readonly readAt: number; readonly controlUrl: string }>();
  /** When one may be silent at the earliest, by the monotonic clock in ms. */
  #silentAfter = Number.NEGATIVE_INFINITY;
  #candidates: { readonly readAt: number; readonly list: Promise<readonly WorkerDocument[]> } | undefined;

  constructor(workers: WorkerModel, holds: WorkerHolds, clock: Clock) {
    this.#workers = workers;
    this.#holds = holds;
    this.#byId = new ReadsById(workers);
    this.#clock = clock;
  }

  /** Records a heartbeat and what it misses. Returns when it was taken. */
  async recordHeartbeat(beat: Heartbeat, missing: readonly MissingCall[]): Promise<Date> {
    const set = this.#stateOf(beat, missing);
    const worker = { _id: beat.worker_id };
    const { matchedCount } = await this.#rows().updateOne(worker, { $set: set });
    if (matchedCount === 0) {
      // It is new, or back after it was forgotten: it may have been held back before.
      const held = (await this.#holds.resumes(beat.worker_id)) ? { held_back: true } : {};
      await this.#rows().updateOne(worker, { $set: { ...set, ...held } }, { upsert: true });
    }
    return set.last_seen_at;
  }

  /**
   * Records a heartbeat that misses nothing, where the one before it was taken at `after` and missed nothing either.
   * Returns when it was taken; null where that was not so.
   */
  async recordNextHeartbeat(beat: Heartbeat, after: Date): Promise<Date | null> {
    const set = this.#stateOf(beat, []);
    const { matchedCount } = await this.#rows().updateOne(
      { _id: beat.worker_id, last_seen_at: after, missing: { $size: 0 } },
      { $set: set },
    );
    return matchedCount === 1 ? set.last_seen_at : null;
  }

  /** The driver itself, for what runs every two seconds: mongoose's queries cost as much as the rest of it. */
  #rows(): mongo.Collection<WorkerDocument> {
    return rowsOf<WorkerDocument>(this.#workers);
  }

  #stateOf(beat: Heartbeat, missing: readonly MissingCall[]): Omit<WorkerDocument, '_id'> {
    const now = this.#clock.now();
    return {
      control_url: beat.control_url.replace(/\/+$/, ''),
      media_url: beat.media_url,
      capacity: beat.capacity,
      free: Math.max(0, beat.capacity - beat.live - beat.reserved),
      live: beat.live,
      reserved: beat.reserved,
      draining: beat.draining,
      region: beat.region ?? null,
      storage_full: beat.storage_full ?? false,
      webrtc: beat.webrtc
        ? {
            available: beat.webrtc.available,
            reason: beat.webrtc.reason ?? null,
            ready_at:
              beat.webrtc.ready_in_seconds === undefined
                ? null
                : new Date(now + beat.webrtc.ready_in_seconds * 1000),
          }
        : null,
      last_seen_at: new Date(now),
      missing: [...missing],
    };
  }

  /** Notes that a worker answered although its heartbeats do not arrive. */
  async recordAnswer(workerId: string, missing: readonly MissingCall[]): Promise<void> {
    await this.#workers.updateOne(
      { _id: workerId },
      { $set: { last_seen_at: new Date(this.#clock.now()), missing: [...missing] } },
    );
  }

  /** Workers that report, take calls and had room. Slightly old: the worker itself has the last word. */
  candidates(): Promise<readonly WorkerDocument[]> {
    const now = this.#clock.now();
    if (!this.#candidates || now - this.#candidates.readAt >= CANDIDATES_LIFE_MS) {
      const list = this.#workers
        .find({
          last_seen_at: { $gt: new Date(now - WORKER_LOST_AFTER_MS) },
          draining: false,
          held_back: { $ne: true },
          storage_full: { $ne: true },
          free: { $gt: 0 },
        })
        .lean<WorkerDocument[]>()
        .exec();
      this.#candidates = { readAt: now, list };
      list.catch(() => {
        this.#candidates = undefined;
      });
    }
    return this.#candidates.list;
  }

  /** Workers that report and take calls, also those that have no room now. */
  reporting(): Promise<WorkerDocument[]> {
    return this.#workers
      .find({
        last_seen_at: { $gt: new Date(this.#clock.now() - WORKER_LOST_AFTER_MS) },
        draining: false,
        held_back: { $ne: true },
      })
      .lean<WorkerDocument[]>()
      .exec();
  }

  /** Returns how many workers report, how many of them have room, and for how many calls. */
  async room(): Promise<WorkerRoom> {
    const reporting = await this.reporting();
    const withRoom = reporting.filter(({ free, storage_full }) => free > 0 && !storage_full);
    return {
      reporting: reporting.length,
      with_room: withRoom.length,
      free_places: withRoom.reduce((sum, { free }) => sum + free, 0),
    };
  }

  /** Lists those of them that take WebRTC sessions and have room. Read anew each time: sessions are few. */
  async webRtcCandidates(): Promise<readonly WorkerDocument[]> {
    return (await this.reporting()).filter(
      (worker) => worker.free > 0 && !worker.storage_full && takesWebRtc(worker),
    );
  }

  find(workerId: string): Promise<WorkerDocument | null> {
    return this.#byId.get(workerId);
  }

  /** Finds where a worker takes commands, as it said at most `ADDRESS_LIFE_MS` ago; null where it is not known. */
  async controlUrlOf(workerId: string): Promise<string | null> {
    const now = this.#clock.now();
    const known = this.#addresses.get(workerId);
    if (known && now - known.readAt < ADDRESS_LIFE_MS) return known.controlUrl;
    const worker = await this.find(workerId);
    this.#addresses.delete(workerId);
    if (!worker) return null;
    this.#addresses.set(workerId, { readAt: now, controlUrl: worker.control_url });
    if (this.#addresses.size > MOST_ADDRESSES) this.#addresses.delete(this.#addresses.keys().next().value!);
    return worker.control_url;
  }

  /** Forgets the address of a worker that was not reached there; the next who asks reads it anew. */
  forgetAddress(workerId: string): void {
    this.#addresses.delete(workerId);
  }

  /** Lists all that are known, those that do not report any more too. */
  all(): Promise<WorkerDocument[]> {
    return this.#workers.find({}).sort({ _id: 1 }).lean<WorkerDocument[]>().exec();
  }

  /**
   * Gives a worker no new calls, or again, also when it comes back after it was away; its live calls go on. False for an
   * unknown one.
   */
  async holdBack(workerId: string, heldBack: boolean): Promise<boolean> {
    // Before and after: a kill between the two, or a heartbeat, leaves what was asked for last.
    const isNew = heldBack && (await this.#holds.keep(workerId));
    const { matchedCount } = await this.#workers.updateOne(
      { _id: workerId },
      { $set: { held_back: heldBack } },
    );
    this.#candidates = undefined;
    if (matchedCount === 1 && heldBack) return true;
    // Of a worker that is away the hold from before stays, but nobody knows it by name alone.
    await (heldBack && !isNew ? this.#holds.outlive(workerId) : this.#holds.end(workerId));
    return matchedCount === 1;
  }

  /**
   * Workers that have not reported for so long that their calls are lost. Once all have been heard the store is not asked
   * until the one that was heard first could be silent: what comes meanwhile is heard later.
   */
  async silent(): Promise<WorkerDocument[]> {
    const monotonic = this.#clock.monotonic();
    if (monotonic <= this.#silentAfter) return [];
    const now = this.#clock.now();
    const first = await this.#rows().findOne(
      {},
      { sort: { last_seen_at: 1 }, projection: { last_seen_at: 1 } },
    );
    const ageMs = Math.max(0, now - (first?.last_seen_at.getTime() ?? now));
    if (ageMs > WORKER_LOST_AFTER_MS) {
      const before = new Date(now - WORKER_LOST_AFTER_MS);
      return this.#rows()
        .find({ last_seen_at: { $lt: before } })
        .toArray();
    }
    this.#silentAfter = monotonic + WORKER_LOST_AFTER_MS - ageMs;
    return [];
  }

  /** Forgets a worker, unless it has reported again since; not that it is held back. */
  async forget(worker: WorkerDocument): Promise<void> {
    const deleted = await this.#workers
      .findOneAndDelete({ _id: worker._id, last_seen_at: worker.last_seen_at })
      .lean<WorkerDocument>();
    if (!deleted) return;
    // By its row: a replica of before kept no other record.
    await (deleted.held_back ? this.#holds.outlive(worker._id) : this.#holds.end(worker._id));
  }
}
