import type { Clock, Timer } from '@voice/shared/clock/clock';
import type { LiveEvent } from '@voice/shared/contracts/live-events';
import type { CallStatus } from '@voice/shared/contracts/primitives';
import type { TenantId } from '@voice/shared/ids/ids';
import type { Log } from '@voice/shared/log/log';
import { isTerminal } from '../../calls/record/call-state.js';
import type { CallDocument, CallModel } from '../../calls/record/model.js';

/** How often the watched calls of this replica are looked at, all by one query, in ms. */
const LOOK_MS = 150;

const FIELDS = [
  'status',
  'worker_id',
  'queued_at',
  'ringing_at',
  'started_at',
  'ended_at',
  'end_reason',
] as const;
/** What following a call needs to know of it. */
export type CallSnapshot = Pick<CallDocument, '_id' | (typeof FIELDS)[number]>;
const PROJECTION = Object.fromEntries(FIELDS.map((field) => [field, 1]));

export type StatusEvent = Extract<LiveEvent, { type: 'status' }>;

/** Returns the statuses that the call has passed through, in order, the present one last. */
export function statusesOf(call: CallSnapshot): StatusEvent[] {
  const passed: StatusEvent[] = [];
  const add = (status: CallStatus, at: Date | null) => {
    if (at) passed.push({ type: 'status', status, at: at.toISOString() });
  };
  add('QUEUED', call.queued_at);
  if (call.status !== 'QUEUED') add('RINGING', call.ringing_at);
  if (call.status !== 'QUEUED' && call.status !== 'RINGING') add('IN_PROGRESS', call.started_at);
  if (isTerminal(call.status)) {
    const at = (call.ended_at ?? call.queued_at).toISOString();
    passed.push({ type: 'status', status: call.status, at, end_reason: call.end_reason });
  }
  return passed;
}

interface Watch {
  readonly tenant: TenantId;
  readonly onChange: (call: CallSnapshot) => void;
  seen: CallSnapshot | undefined;
}

export interface CallWatchesOptions {
  readonly calls: CallModel;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Follows the status and the worker of calls, which any replica may change: one small query at a time for all
 * watched calls of this replica, however many follow them, and none while nobody does.
 */
export class CallWatches {
  readonly #options: CallWatchesOptions;
  readonly #watches = new Map<string, Set<Watch>>();
  #timer: Timer | undefined;
  #looking = false;

  constructor(options: CallWatchesOptions) {
    this.#options = options;
  }

  /** Gives the call as it is soon, and at every change of status or worker. Returns how to stop. */
  watch(tenant: TenantId, callId: string, onChange: (call: CallSnapshot) => void): () => void {
    const watch: Watch = { tenant, onChange, seen: undefined };
    const watches = this.#watches.get(callId) ?? new Set();
    this.#watches.set(callId, watches.add(watch));
    this.#schedule(0);
    return () => {
      watches.delete(watch);
      if (watches.size === 0 && this.#watches.get(callId) === watches) this.#watches.delete(callId);
      if (this.#watches.size === 0) {
        this.#timer?.cancel();
        this.#timer = undefined;
      }
    };
  }

  #schedule(inMs: number): void {
    if (this.#looking) return;
    this.#timer?.cancel();
    this.#timer = this.#options.clock.schedule(inMs, () => void this.#look());
  }

  async #look(): Promise<void> {
    this.#looking = true;
    const { calls, log } = this.#options;
    try {
      const tenants = [...this.#watches.values()].flatMap((of) => [...of].map(({ tenant }) => tenant));
      const found = await calls
        .find(
          { _id: { $in: [...this.#watches.keys()] }, tenant_id: { $in: [...new Set(tenants)] } },
          PROJECTION,
        )
        .lean<CallSnapshot[]>();
      for (const call of found) this.#report(call);
    } catch (error) {
      log.warn({ error: String(error) }, 'the followed calls could not be read; trying again');
    }
    this.#looking = false;
    // Those that came meanwhile have not been looked at.
    const unseen = [...this.#watches.values()].some((of) => [...of].some(({ seen }) => !seen));
    if (this.#watches.size > 0) this.#schedule(unseen ? LOOK_MS / 10 : LOOK_MS);
  }

  #report(call: CallSnapshot): void {
    for (const watch of [...(this.#watches.get(call._id) ?? [])]) {
      const { seen } = watch;
      watch.seen = call;
      if (seen?.status !== call.status || seen.worker_id !== call.worker_id) watch.onChange(call);
    }
  }
}
