import type { Clock } from '@voice/shared/clock/clock';
import { type Heartbeat, WORKER_LOST_AFTER_MS } from '@voice/shared/contracts/worker';
import type { Log } from '@voice/shared/log/log';
import { sideBySide } from '../../platform/jobs/side-by-side.js';
import { keyOf, type TenantKey } from '../../platform/store/tenant-scope.js';
import type { MissingCall, WorkerDocument } from '../../workers/model.js';
import type { WorkerRegistry } from '../../workers/registry.js';
import type { WorkerClient } from '../../workers/worker-client.js';
import type { CallEnding, End } from '../ending/call-ending.js';
import { IS_LIVE, TERMINAL_STATUSES } from '../record/call-state.js';
import { gatheredCalls } from '../record/gathered-calls.js';
import type { CallDocument, CallModel } from '../record/model.js';
import { tenantOf } from '../record/tenant-of.js';
import type { EventIntake } from './event-intake.js';
import { HeldCalls } from './held-calls.js';
import { lastMediaAt } from './last-media.js';
import { updateMissing } from './missing-calls.js';

/** A heartbeat on its way may be older than the place that was given meanwhile, in ms. */
const PLACED_GRACE_MS = 5000;
/** For how long a call may be missing from heartbeats while its last events are on their way, in ms. */
const MISSING_GRACE_MS = 6000;

/** A lost call whose spooled events are waited for. */
const IS_SPOOLED = { spool_due_at: { $gt: new Date(0) } } as const;
/** How many silent workers are asked at the same time. */
const ASKED_AT_ONCE = 50;
/** How many calls of a lost worker are ended, or completed, at the same time: what each of them asks of the store is one command. */
const LOST_AT_ONCE = 100;

interface WorkerCallsOptions {
  readonly calls: CallModel;
  readonly registry: WorkerRegistry;
  readonly client: WorkerClient;
  readonly ending: CallEnding;
  readonly intake: EventIntake;
  /** All that a lost worker had of the call is here. */
  readonly onSpoolCame: (call: TenantKey) => void;
  readonly clock: Clock;
  readonly log: Log;
}

/** Holds what workers say of their calls against what the calls say of their workers. */
export class WorkerCalls {
  readonly #options: WorkerCallsOptions;
  readonly #held = new HeldCalls();

  constructor(options: WorkerCallsOptions) {
    this.#options = options;
  }

  /** Takes a heartbeat in; returns the calls that it mentions and that were found to be over. */
  async heartbeat(beat: Heartbeat): Promise<string[]> {
    return (await this.#takeChange(beat)) ? [] : this.#takeWhole(beat);
  }

  /** Takes a heartbeat by one write where what changed is all there is to look at. Returns false where it is not. */
  async #takeChange(beat: Heartbeat): Promise<boolean> {
    const change = this.#held.changeOf(beat, this.#options.clock.now());
    if (!change || (change.gone.length > 0 && (await this.#areLive(beat.worker_id, change.gone))))
      return false;
    const at = await this.#options.registry.recordNextHeartbeat(beat, change.after);
    if (at) this.#held.noteChange(beat.worker_id, change, at);
    return at !== null;
  }

  /** Returns whether any of the calls is not over, and to be at the worker. */
  async #areLive(workerId: string, callIds: readonly string[]): Promise<boolean> {
    return (
      (await this.#options.calls
        .exists({ _id: { $in: callIds }, worker_id: workerId, ...IS_LIVE })
        .exec()) !== null
    );
  }

  async #takeWhole(beat: Heartbeat): Promise<string[]> {
    const { live, lost, missing } = await this.#compare(beat.worker_id, beat.calls);
    const at = await this.#options.registry.recordHeartbeat(beat, missing);
    this.#held.noteCompared(beat, at, lost.length === 0 && missing.length === 0);
    const losesNow = await this.#loseMissing(beat.worker_id, live, missing);
    await this.#noteSpools(beat, losesNow ? await this.#lostOf(beat.worker_id) : lost);
    const strange = beat.calls.filter((id) => !live.has(id));
    if (strange.length === 0) return [];
    const over = await this.#options.calls
      .find({ _id: { $in: strange }, status: { $in: TERMINAL_STATUSES } }, { _id: 1 })
      .lean<{ _id: string }[]>();
    return over.map(({ _id }) => _id);
  }

  /**
   * Ends the calls of workers that have been silent for too long and do not answer either: heartbeats also stay
   * away when the replica that they are sent to is stalled.
   */
  async loseSilentWorkers(): Promise<void> {
    const silent = await this.#options.registry.silent();
    for (let at = 0; at < silent.length; at += ASKED_AT_ONCE) {
      await Promise.all(silent.slice(at, at + ASKED_AT_ONCE).map((worker) => this.#judge(worker)));
    }
  }

  async #judge(worker: WorkerDocument): Promise<void> {
    const answer = await this.#options.client.held(worker.control_url);
    const silent_for_ms = this.#options.clock.now() - worker.last_seen_at.getTime();
    if (answer?.worker_id === worker._id) {
      this.#options.log.warn(
        { worker_id: worker._id, silent_for_ms },
        "a worker lives, but its heartbeats do not arrive: check the worker's CONTROL_PLANE_URL and its replicas",
      );
      const { live, missing } = await this.#compare(worker._id, answer.calls);
      await this.#options.registry.recordAnswer(worker._id, missing);
      await this.#loseMissing(worker._id, live, missing);
      return;
    }
    // It may have reported, perhaps from a new address, while the old one was asked.
    const now = await this.#options.registry.find(worker._id);
    if (now && now.last_seen_at.getTime() !== worker.last_seen_at.getTime()) return;
    const live = await this.#liveCallsOf(worker._id);
    this.#options.log.warn({ worker_id: worker._id, silent_for_ms, calls: live.length }, 'a worker is lost');
    const loss = {
      workerId: worker._id,
      placedBefore: this.#options.clock.now(),
      heldAt: worker.last_seen_at,
    };
    // One whose calls are not all over is judged once more.
    if (await this.#loseAll(live, (call) => [call, loss])) await this.#options.registry.forget(worker);
  }

  /** Holds the calls that a worker says it has against those that it should have. */
  async #compare(workerId: string, held: readonly string[]): Promise<Comparison> {
    // One query for both: it is asked every eight seconds of every worker.
    const stored = await this.#options.calls
      .find(
        {
          $or: [
            { worker_id: workerId, ...IS_LIVE },
            { worker_id: workerId, ...IS_SPOOLED },
          ],
        },
        LOST_FIELDS,
      )
      .lean<LostCall[]>();
    const lost = stored.filter(({ spool_due_at }) => spool_due_at);
    const live = new Map(
      stored.filter(({ spool_due_at }) => !spool_due_at).map((call) => [call._id, keyOf(call)]),
    );
    const mentioned = new Set(held);
    const gone = [...live.keys()].filter((id) => !mentioned.has(id));
    if (gone.length === 0) return { live, lost, missing: [] };
    const before = await this.#options.registry.find(workerId);
    const missing = updateMissing(
      before?.missing ?? [],
      gone,
      this.#options.clock.now(),
      (id) => before && this.#held.heldAt(workerId, id, before.last_seen_at),
    );
    return { live, lost, missing };
  }

  /**
   * Ends the calls that a worker that lives has not had for so long that nothing of them is on its way any more; false
   * where there are none.
   */
  async #loseMissing(
    workerId: string,
    live: Comparison['live'],
    missing: readonly MissingCall[],
  ): Promise<boolean> {
    const now = this.#options.clock.now();
    const lost = missing.filter(({ since }) => now - since.getTime() >= MISSING_GRACE_MS);
    await this.#loseAll(lost, ({ call_id, held_at }) => [
      live.get(call_id)!,
      { workerId, placedBefore: now - PLACED_GRACE_MS, heldAt: held_at ?? null },
    ]);
    return lost.length > 0;
  }

  #lostOf(workerId: string): Promise<LostCall[]> {
    return this.#options.calls
      .find({ worker_id: workerId, ...IS_SPOOLED }, LOST_FIELDS)
      .lean<LostCall[]>()
      .exec();
  }

  /** Workers that calls wait for and that are not even registered (any more). */
  async loseCallsOfUnknownWorkers(): Promise<void> {
    const before = new Date(this.#options.clock.now() - WORKER_LOST_AFTER_MS);
    const names: unknown[] = await this.#options.calls.distinct('worker_id', {
      ...IS_LIVE,
      worker_id: { $ne: null },
      placed_at: { $lt: before },
    });
    for (const name of names) {
      if (typeof name !== 'string' || (await this.#options.registry.find(name))) continue;
      const loss = { workerId: name, placedBefore: before.getTime(), heldAt: null };
      await this.#loseAll(await this.#liveCallsOf(name), (call) => [call, loss]);
    }
  }

  /** Lost calls of which the worker has nothing more to send: what is known of them is all there will be. */
  async #noteSpools(beat: Heartbeat, lost: readonly LostCall[]): Promise<void> {
    if (!beat.spooled_calls) return;
    const open = new Set([...beat.calls, ...beat.spooled_calls]);
    const due = new Date(this.#options.clock.now());
    const came = lost.filter(({ _id }) => !open.has(_id)).map(keyOf);
    await sideBySide(came, LOST_AT_ONCE, async (key) => {
      const isMade = await gatheredCalls(this.#options.calls).changes.make({
        filter: { ...key, spool_due_at: { $ne: null } },
        update: { $set: { spool_due_at: due, post_call_due_at: due } },
        // A runner that took the call on meanwhile has set the other.
        applied: { ...key, spool_due_at: due },
      });
      if (isMade) this.#options.onSpoolCame(key);
    });
  }

  /**
   * Ends the calls of a worker, many side by side: nobody is called back or tried again before. Returns whether all are
   * over: one that cannot be ended holds up neither the others nor the worker's heartbeats, and is tried again.
   */
  async #loseAll<Lost>(
    lost: readonly Lost[],
    lossOf: (lost: Lost) => readonly [TenantKey, Loss],
  ): Promise<boolean> {
    const isOver = await sideBySide(lost, LOST_AT_ONCE, async (one) => {
      const [call, loss] = lossOf(one);
      try {
        await this.#lose(call, loss);
        return true;
      } catch (err) {
        this.#options.log.error({ call_id: call._id, err }, 'a lost call could not be ended');
        return false;
      }
    });
    return isOver.every(Boolean);
  }

  #liveCallsOf(workerId: string): Promise<TenantKey[]> {
    return this.#options.calls
      .find({ worker_id: workerId, ...IS_LIVE }, { tenant_id: 1 })
      .lean<TenantKey[]>()
      .exec();
  }

  /** Ends a call whose worker does not have it, unless it was placed anew since. */
  async #lose(key: TenantKey, loss: Loss): Promise<void> {
    const { workerId, placedBefore } = loss;
    const call = await gatheredCalls(this.#options.calls).reads.get(key.tenant_id, key._id);
    if (call?.worker_id !== workerId) return;
    if (call.placed_at && call.placed_at.getTime() > placedBefore) return;
    // What was accepted counts first: its end may be among it.
    const lastEventAt = await this.#options.intake.settle(call);
    const at = lastMediaAt(call, loss.heldAt, lastEventAt, this.#options.clock.now());
    const end: End = {
      to: 'ended',
      at,
      cause: 'worker_lost',
      endReason: 'worker_lost',
      durationMs: call.media_started_at ? Math.max(0, at - call.media_started_at.getTime()) : 0,
      errorCode: 'worker_lost',
      errorMessage: call.media_started_at
        ? 'The media worker that held the call is gone.'
        : 'The media worker lost the call before its media stream began.',
    };
    await this.#options.ending.end(tenantOf(call), call._id, end, 'control_plane', call);
  }
}

const LOST_FIELDS = { tenant_id: 1, spool_due_at: 1 } as const;
type LostCall = Pick<CallDocument, '_id' | 'tenant_id' | 'spool_due_at'>;

/** What a worker should have. */
interface Comparison {
  /** Calls that are not over, by their ids. */
  readonly live: ReadonlyMap<string, TenantKey>;
  /** Calls that ended as lost, of which the worker may have more to send. */
  readonly lost: readonly LostCall[];
  readonly missing: readonly MissingCall[];
}

interface Loss {
  readonly workerId: string;
  /** A call that was placed after that, epoch ms, is not the one that was lost. */
  readonly placedBefore: number;
  /** When the worker last said that it holds the call. */
  readonly heldAt: Date | null;
}
