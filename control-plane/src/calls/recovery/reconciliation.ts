import type { Clock } from '@voice/shared/clock/clock';
import { MEDIA_STREAM_MISSING } from '@voice/shared/contracts/call-events';
import { HEARTBEAT_INTERVAL_MS } from '@voice/shared/contracts/worker';
import type { Log } from '@voice/shared/log/log';
import type { QueryFilter } from 'mongoose';
import { sideBySide } from '../../platform/jobs/side-by-side.js';
import { keyOf } from '../../platform/store/tenant-scope.js';
import type { Carriers } from '../../telephony/carriers/carriers.js';
import type { CarrierName } from '../../telephony/carriers/port.js';
import type { WorkerRegistry } from '../../workers/registry.js';
import type { CarrierCallbackHandler } from '../carrier-callbacks/callback-handler.js';
import type { CallEnding, End } from '../ending/call-ending.js';
import type { Dispatcher } from '../outbound/dispatcher.js';
import { IS_LIVE } from '../record/call-state.js';
import { gatheredCalls } from '../record/gathered-calls.js';
import type { CallDocument, CallModel } from '../record/model.js';
import { tenantOf } from '../record/tenant-of.js';
import type { EventIntake } from '../worker-events/event-intake.js';

/** How long to wait for the worker's last word once the carrier said that the call is over, in ms. */
const LAST_WORD_MS = 10_000;
/** How long to wait for callbacks of a dialing whose outcome is unknown, in ms. */
export const DIAL_CALLBACK_WAIT_MS = 30_000;
/** An answered call has its media stream within this time, in ms. */
const STREAM_DUE_MS = 3000;
/** From when on a worker is taken for silent: two heartbeats, in ms. */
const SILENT_MS = 2 * HEARTBEAT_INTERVAL_MS;
/** Within this time it is judged whether a silent worker is lost, in ms. */
const LOSS_JUDGED_MS = 20_000;
/** How many calls one sweep takes on; the next one is seconds away. */
const BATCH = 100;
const CARRIER_TIMEOUT_MS = 10_000;
/** How many of them are moved on at the same time: a carrier that hangs holds up each of its own for as long. */
const AT_ONCE = 20;
/** When a sweep begins to ask about no further call, in ms: one of a minute would be taken for hung. */
const LONGEST_ASKING_MS = 30_000;
/** After how long a carrier is asked about a call again, in ms: those about which it was not asked come first. */
const ASK_AGAIN_MS = 10_000;

export interface ReconciliationOptions {
  readonly calls: CallModel;
  readonly carriers: Carriers;
  readonly dispatcher: Dispatcher;
  readonly ending: CallEnding;
  readonly callbackHandler: CarrierCallbackHandler;
  readonly intake: EventIntake;
  readonly registry: Pick<WorkerRegistry, 'find'>;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Returns how a call ended of which only the carrier says that it is over. Without a media stream the callee has either
 * hung up at once, or waited for an agent that never came. Pure.
 */
export function endWithoutLastWord(call: CallDocument): End {
  const at = call.carrier_ended_at!.getTime();
  const answeredFor = call.started_at ? at - call.started_at.getTime() : 0;
  const end = { to: 'ended', at, cause: 'reconciliation' } as const;
  if (call.media_started_at || answeredFor < STREAM_DUE_MS) return { ...end, endReason: 'caller_hangup' };
  return {
    ...end,
    endReason: 'carrier_failed',
    errorCode: MEDIA_STREAM_MISSING,
    errorMessage: 'The carrier did not open a media stream.',
  };
}

/** Finds calls that nobody moves any more, and moves them: the safety nets beneath the normal course. */
export class Reconciliation {
  readonly #options: ReconciliationOptions;
  /** When this process first looked for dialings whose outcome is unknown, by the monotonic clock, ms. */
  #dialingsLookedAt: number | undefined;

  constructor(options: ReconciliationOptions) {
    this.#options = options;
  }

  /** Queued calls whose dispatcher died before it asked the carrier: dispatched anew. */
  async resumeDispatch(): Promise<void> {
    const { dispatcher, clock } = this.#options;
    const waiting = await this.#due({
      status: 'QUEUED',
      dispatch_stage: 'waiting',
      dispatch_lease_until: { $lte: new Date(clock.now()) },
    });
    for (const call of waiting) dispatcher.resume(tenantOf(call), call._id);
  }

  /**
   * Queued calls whose dispatcher died when the carrier may have been asked already: they end. Silence proves nothing
   * while nobody listened: callbacks, and what workers have spooled, come when a control plane is back, so who judges has
   * been there for as long as they are waited for.
   */
  async endUnknownDialings(): Promise<void> {
    const { clock } = this.#options;
    this.#dialingsLookedAt ??= clock.monotonic();
    if (clock.monotonic() - this.#dialingsLookedAt < DIAL_CALLBACK_WAIT_MS) return;
    const unknown = await this.#due({
      status: 'QUEUED',
      dispatch_stage: 'dialing',
      dispatch_lease_until: { $lte: new Date(clock.now() - DIAL_CALLBACK_WAIT_MS) },
    });
    await this.#each(unknown, (call) =>
      this.#fail(
        call,
        'dial_outcome_unknown',
        'Whether the carrier dialed is not known; it was not tried again.',
      ),
    );
  }

  /**
   * Asks a carrier for the outcome of its calls that it should have reported by now, those first that wait the longest
   * since it was to report or was asked. Each carrier has a sweep of its own: one that hangs holds up its calls alone.
   */
  async askAboutOverdueCalls(carrier: CarrierName): Promise<void> {
    const { clock, log } = this.#options;
    const until = clock.monotonic() + LONGEST_ASKING_MS;
    const overdue = await this.#due({ ...this.#overdue(), carrier }, { ring_deadline_at: 1 });
    await sideBySide(overdue, AT_ONCE, async (call) => {
      if (clock.monotonic() >= until) return;
      await this.#ask(call).catch((error: unknown) =>
        log.warn(
          { call_id: call._id, error: String(error) },
          'the carrier does not report the state of a call',
        ),
      );
      await this.#putOff(call);
    });
  }

  /** Leaves a call of which nothing came for later, lest it be asked about for ever before others. */
  async #putOff(call: CallDocument): Promise<void> {
    const at = new Date(this.#options.clock.now() + ASK_AGAIN_MS);
    await this.#options.calls.updateOne(
      { ...keyOf(call), ...this.#overdue() },
      { $set: { ring_deadline_at: at } },
    );
  }

  /** Calls that are over at the carrier and of whose end the worker said nothing. */
  async endWithoutLastWord(): Promise<void> {
    const { ending, intake } = this.#options;
    await this.#each(await this.#due(this.#silent()), async (call) => {
      if (await this.#mayBeLost(call)) return;
      await intake.settle(call);
      await ending.end(tenantOf(call), call._id, endWithoutLastWord(call), 'carrier');
    });
  }

  /** Moves calls on, many side by side. One that fails holds up no other, and is tried again by the next sweep. */
  async #each(calls: readonly CallDocument[], move: (call: CallDocument) => Promise<void>): Promise<void> {
    const { log } = this.#options;
    await sideBySide(calls, AT_ONCE, (call) =>
      move(call).catch((err: unknown) =>
        log.error({ call_id: call._id, err }, 'a call could not be moved on'),
      ),
    );
  }

  /** Finds what a sweep takes on; it asks nothing where the sweeps together found nothing. */
  async #due(
    condition: QueryFilter<CallDocument>,
    order: Partial<Record<keyof CallDocument, 1>> = {},
  ): Promise<CallDocument[]> {
    const { calls } = this.#options;
    if (!(await gatheredCalls(calls).due.has(condition))) return [];
    return calls.find(condition).sort(order).limit(BATCH).lean<CallDocument[]>().exec();
  }

  #overdue(): QueryFilter<CallDocument> {
    return {
      status: { $in: ['QUEUED', 'RINGING'] },
      ended_at: null,
      ring_deadline_at: { $lte: new Date(this.#options.clock.now()) },
      carrier_call_id: { $ne: null },
    };
  }

  #silent(): QueryFilter<CallDocument> {
    const before = new Date(this.#options.clock.now() - LAST_WORD_MS);
    return { ...IS_LIVE, carrier_ended_at: { $gte: new Date(0), $lte: before } };
  }

  /**
   * Returns whether the call's worker is silent itself: its death ends the call at the carrier too, and whether it was
   * that is judged by who looks for lost workers, who waits for what the worker had spooled.
   */
  async #mayBeLost({ worker_id: workerId, carrier_ended_at: endedAt }: CallDocument): Promise<boolean> {
    const now = this.#options.clock.now();
    if (workerId === null || now - (endedAt?.getTime() ?? 0) > LAST_WORD_MS + LOSS_JUDGED_MS) return false;
    const worker = await this.#options.registry.find(workerId);
    return !worker || now - worker.last_seen_at.getTime() > SILENT_MS;
  }

  async #ask(call: CallDocument): Promise<void> {
    const { carriers, callbackHandler, ending, clock } = this.#options;
    const carrier = carriers.find(call.carrier);
    if (!carrier || call.carrier_call_id === null) return;
    const state = await carrier.callState(call.carrier_call_id, AbortSignal.timeout(CARRIER_TIMEOUT_MS));
    if (!state) {
      await this.#fail(call, 'carrier_forgot', 'The carrier does not know the call.');
      return;
    }
    if (state.status === 'initiated' || state.status === 'ringing') {
      // Longer than it was to ring: nobody will answer.
      await ending.end(
        tenantOf(call),
        call._id,
        { to: 'ended', at: clock.now(), cause: 'reconciliation', endReason: 'no_answer' },
        'control_plane',
      );
      return;
    }
    await callbackHandler.status(call, state.status, clock.now());
  }

  async #fail(call: CallDocument, errorCode: string, errorMessage: string): Promise<void> {
    const { ending, clock } = this.#options;
    await ending.end(
      tenantOf(call),
      call._id,
      {
        to: 'ended',
        at: clock.now(),
        cause: 'reconciliation',
        endReason: 'carrier_failed',
        errorCode,
        errorMessage,
      },
      'control_plane',
    );
  }
}
