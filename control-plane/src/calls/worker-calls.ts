import type { Clock } from '@voice/shared/clock/clock';
import { type Heartbeat, WORKER_LOST_AFTER_MS } from '@voice/shared/contracts/worker';
import type { Log } from '@voice/shared/log/log';
import type { MissingCall } from '../workers/model.js';
import type { WorkerRegistry } from '../workers/registry.js';
import { type CallEnding, type End, tenantOf } from './call-ending.js';
import { LIVE_STATUSES, TERMINAL_STATUSES } from './call-state.js';
import type { EventIntake } from './event-intake.js';
import type { CallDocument, CallModel } from './model.js';

/** A heartbeat on its way may be older than the place that was given meanwhile, in ms. */
const PLACED_GRACE_MS = 5000;
/** For how long a call may be missing from heartbeats while its last events are on their way, in ms. */
export const MISSING_GRACE_MS = 6000;

/**
 * Who has been missing for how long: keeps the time for those that still are, starts it for new ones,
 * forgets the rest. Pure.
 */
export function updateMissing(
  before: readonly MissingCall[],
  missingNow: readonly string[],
  now: number,
): MissingCall[] {
  const since = new Map(before.map((call) => [call.call_id, call.since]));
  return missingNow.map((id) => ({ call_id: id, since: since.get(id) ?? new Date(now) }));
}

/** Holds what workers say of their calls against what the calls say of their workers. */
export class WorkerCalls {
  readonly #calls: CallModel;
  readonly #registry: WorkerRegistry;
  readonly #ending: CallEnding;
  readonly #intake: EventIntake;
  readonly #clock: Clock;
  readonly #log: Log;

  constructor(options: {
    readonly calls: CallModel;
    readonly registry: WorkerRegistry;
    readonly ending: CallEnding;
    readonly intake: EventIntake;
    readonly clock: Clock;
    readonly log: Log;
  }) {
    this.#calls = options.calls;
    this.#registry = options.registry;
    this.#ending = options.ending;
    this.#intake = options.intake;
    this.#clock = options.clock;
    this.#log = options.log;
  }

  /** Takes a heartbeat in; returns the calls that it mentions and that are over. */
  async heartbeat(beat: Heartbeat): Promise<string[]> {
    const now = this.#clock.now();
    const live = await this.#calls
      .find({ worker_id: beat.worker_id, status: { $in: LIVE_STATUSES } }, { _id: 1 })
      .lean<{ _id: string }[]>();
    const liveIds = new Set(live.map(({ _id }) => _id));
    const mentioned = new Set(beat.calls);
    const missing = updateMissing(
      (await this.#registry.find(beat.worker_id))?.missing ?? [],
      [...liveIds].filter((id) => !mentioned.has(id)),
      now,
    );
    await this.#registry.recordHeartbeat(beat, missing);
    const lost = missing.filter(({ since }) => now - since.getTime() >= MISSING_GRACE_MS);
    for (const { call_id } of lost) await this.#lose(call_id, beat.worker_id, now - PLACED_GRACE_MS);
    const strange = beat.calls.filter((id) => !liveIds.has(id));
    if (strange.length === 0) return [];
    const over = await this.#calls
      .find({ _id: { $in: strange }, status: { $in: TERMINAL_STATUSES } }, { _id: 1 })
      .lean<{ _id: string }[]>();
    return over.map(({ _id }) => _id);
  }

  /** Ends the calls of workers that have been silent for too long. */
  async loseSilentWorkers(): Promise<void> {
    for (const worker of await this.#registry.silent()) {
      const live = await this.#calls
        .find({ worker_id: worker._id, status: { $in: LIVE_STATUSES } }, { _id: 1 })
        .lean<{ _id: string }[]>();
      this.#log.warn(
        {
          worker_id: worker._id,
          silent_for_ms: this.#clock.now() - worker.last_seen_at.getTime(),
          calls: live.length,
        },
        'a worker is lost',
      );
      for (const { _id } of live) await this.#lose(_id, worker._id, this.#clock.now());
      await this.#registry.forget(worker);
    }
  }

  /** Workers that calls wait for and that are not even registered (any more). */
  async loseCallsOfUnknownWorkers(): Promise<void> {
    const before = new Date(this.#clock.now() - WORKER_LOST_AFTER_MS);
    const names: unknown[] = await this.#calls.distinct('worker_id', {
      status: { $in: LIVE_STATUSES },
      worker_id: { $ne: null },
      placed_at: { $lt: before },
    });
    for (const name of names) {
      if (typeof name !== 'string' || (await this.#registry.find(name))) continue;
      const live = await this.#calls
        .find({ worker_id: name, status: { $in: LIVE_STATUSES } }, { _id: 1 })
        .lean<{ _id: string }[]>();
      for (const { _id } of live) await this.#lose(_id, name, before.getTime());
    }
  }

  /** Ends a call whose worker does not have it, unless it was placed anew after `placedBefore` (epoch ms). */
  async #lose(callId: string, workerId: string, placedBefore: number): Promise<void> {
    const call = await this.#calls.findOne({ _id: callId, worker_id: workerId }).lean<CallDocument>();
    if (!call || (call.placed_at && call.placed_at.getTime() > placedBefore)) return;
    // What was accepted counts first: its end may be among it.
    await this.#intake.settle(call);
    const end: End = {
      to: 'ended',
      at: this.#clock.now(),
      cause: 'worker_lost',
      endReason: 'worker_lost',
      errorCode: 'worker_lost',
      errorMessage: call.media_started_at
        ? 'The media worker that held the call is gone.'
        : 'The media worker lost the call before its media stream began.',
    };
    await this.#ending.end(tenantOf(call), callId, end, 'control_plane');
  }
}
