import type { Clock } from '@voice/shared/clock/clock';
import { ServiceError } from '@voice/shared/errors/service-error';
import { asTenantId, type TenantId } from '@voice/shared/ids/ids';
import type { Log } from '@voice/shared/log/log';
import type { CallsModule } from '../calls/module.js';
import type { CallDocument } from '../calls/record/model.js';
import { sideBySide } from '../platform/jobs/side-by-side.js';
import type { TenantKey, TenantScope } from '../platform/store/tenant-scope.js';

/** Calls in one read, and how many of them are erased at once. */
const BATCH = 200;
const AT_ONCE = 50;
/** When a sweep begins no further call, in ms: one of a minute would be taken for hung. */
const LONGEST_SWEEP_MS = 30_000;
/** How long a request waits for the end of its erasure, in ms: a storage that hangs may take a minute. */
const REQUEST_WAITS_MS = 10_000;

/** What a room erases of a call. May be made again, also of a call that is erased already. */
type EraseStep = (call: CallDocument) => Promise<void>;

export interface ErasureOptions {
  readonly calls: CallsModule['erasedCalls'];
  /** Of the other rooms, in their order; the call's own content comes after them, and the call itself last. */
  readonly steps: readonly EraseStep[];
  /** Erases events with their bodies. */
  readonly eraseEvents: (tenant: TenantId, ids: readonly string[]) => Promise<void>;
  readonly clock: Pick<Clock, 'sleep' | 'monotonic'>;
  readonly log: Log;
}

/** How far the erasure of a call is. */
export interface ErasureState {
  readonly status: 'erasing' | 'erased';
  readonly erasedAt: Date | null;
}

const ERASING: ErasureState = { status: 'erasing', erasedAt: null };

/**
 * Erases what names, quotes or describes somebody in a call that is over, and keeps what is counted. The call is marked
 * first: a sweep goes on with what a crash left, and nobody is shown any of it meanwhile.
 */
export class Erasure {
  readonly #options: ErasureOptions;

  constructor(options: ErasureOptions) {
    this.#options = options;
  }

  /** Finds the call. Throws 404 `call_not_found`, and 409 `call_active` while it is live. */
  require(scope: TenantScope, callId: string): Promise<CallDocument> {
    return this.#options.calls.require(scope, callId);
  }

  /** Begins the erasure and goes as far as it can now. */
  async begin(call: CallDocument): Promise<ErasureState> {
    await this.#options.calls.mark(call);
    return this.resume(call);
  }

  /** Does the same for a request, which waits neither for a storage that is away nor for one that hangs. */
  async request(call: CallDocument): Promise<ErasureState> {
    const { calls, clock, log } = this.#options;
    await calls.mark(call);
    const resumed = this.resume(call).catch((error: unknown) => {
      if (!(error instanceof ServiceError) || error.code !== 'storage_unavailable') throw error;
      log.warn({ call_id: call._id, err: error }, 'the storage is away: the call is erased once it answers');
      return ERASING;
    });
    const enough = new AbortController();
    const waited = clock.sleep(REQUEST_WAITS_MS, enough.signal).then(() => ERASING);
    try {
      return await Promise.race([resumed, waited]);
    } finally {
      enough.abort();
    }
  }

  /** Goes on with an erasure; once more with one that is done. */
  async resume(key: TenantKey): Promise<ErasureState> {
    const { calls, steps } = this.#options;
    const call = await calls.find(key);
    if (!call?.erasing_at) return ERASING;
    if (calls.isUnfinished(call)) {
      await calls.lookAgain(call);
      return ERASING;
    }
    await this.#options.eraseEvents(asTenantId(call.tenant_id), await calls.eventIdsOf(call));
    for (const step of steps) await step(call);
    await calls.eraseContent(call);
    return { status: 'erased', erasedAt: await calls.finish(call) };
  }

  /** Erases the recording of a call that is over, or what was said in it. May be made again. */
  async erasePart(call: CallDocument, part: 'recordings' | 'transcripts'): Promise<void> {
    const { calls, eraseEvents } = this.#options;
    if (part === 'recordings') return calls.eraseRecording(call);
    await eraseEvents(asTenantId(call.tenant_id), calls.eventIdsWithTools(call));
    await calls.eraseTranscript(call);
  }

  /**
   * Goes on with the calls that are due, for as long as a sweep may take: retention may have left thousands. Each is
   * taken once, and one that cannot be erased now holds up no other.
   */
  async sweep(): Promise<void> {
    const { calls, clock } = this.#options;
    const until = clock.monotonic() + LONGEST_SWEEP_MS;
    const taken = new Set<string>();
    const failures: unknown[] = [];
    for (let isFull = true; isFull && clock.monotonic() < until; ) {
      const due = (await calls.due(BATCH)).filter(({ _id }) => !taken.has(_id));
      await sideBySide(due, AT_ONCE, async (call) => {
        if (clock.monotonic() >= until) return;
        taken.add(call._id);
        await this.#resumeOrPutOff(call).catch((error: unknown) => failures.push(error));
      });
      isFull = due.length === BATCH;
    }
    if (failures.length > 0) throw failures[0];
  }

  async #resumeOrPutOff(key: TenantKey): Promise<void> {
    try {
      await this.resume(key);
    } catch (error) {
      const { calls } = this.#options;
      const call = await calls.find(key);
      if (call) await calls.lookAgain(call);
      throw error;
    }
  }
}
