import type { Clock } from '@voice/shared/clock/clock';
import { ServiceError } from '@voice/shared/errors/service-error';
import { newId } from '@voice/shared/ids/ids';
import type { Log } from '@voice/shared/log/log';
import { recordOnce } from '../calls/call-changes.js';
import { tenantOf } from '../calls/call-ending.js';
import type { CallDocument, CallModel } from '../calls/model.js';
import type { PostCallStep } from './step.js';

/** How long a runner may be at one step, in ms; its lease is longer. */
const STEP_LIMIT_MS = 90_000;
const LEASE_MS = 120_000;
/** Tries of a step that fails, and the wait before the second one, in ms; it doubles. */
export const STEP_ATTEMPTS = 6;
const FIRST_RETRY_MS = 2000;
/** How many calls one sweep takes on. */
const BATCH = 100;

export interface PostCallOptions {
  readonly calls: CallModel;
  /** In the order in which they happen to every call. */
  readonly steps: readonly PostCallStep[];
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Takes ended calls through their steps. The end of a call marks it as due in the same write, and the mark
 * goes when every step is done: whoever dies in between, the sweep finds the call and goes on.
 */
export class PostCall {
  readonly #options: PostCallOptions;
  readonly #stopping = new AbortController();
  readonly #running = new Set<Promise<void>>();

  constructor(options: PostCallOptions) {
    this.#options = options;
  }

  /** Starts on a call that has just ended; returns at once. Harmless when somebody else is at it. */
  soon(callId: string): void {
    const running = this.run(callId)
      .catch((err: unknown) => this.#options.log.error({ call_id: callId, err }, 'post-call work broke off'))
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  /** Something that a step waits for has come: the call is due now. */
  async wake(callId: string): Promise<void> {
    const { calls, clock } = this.#options;
    await calls.updateOne(
      { _id: callId, post_call_due_at: { $ne: null } },
      { $set: { post_call_due_at: new Date(clock.now()) } },
    );
    this.soon(callId);
  }

  /** Goes on with the calls that are due: those whose runner died, and those that waited. */
  async sweep(): Promise<void> {
    const { calls, clock } = this.#options;
    const now = new Date(clock.now());
    const due = await calls
      .find({ post_call_due_at: { $lte: now }, post_call_lease_until: { $lte: now } }, { _id: 1 })
      .limit(BATCH)
      .lean<{ _id: string }[]>();
    for (const { _id } of due) this.soon(_id);
  }

  /** Breaks off what runs; it is due again at once, for whoever sweeps next. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error('the post-call runner stops'));
    await Promise.all(this.#running);
  }

  /** Runs the steps that are left until all are done, one waits or one fails. */
  async run(callId: string): Promise<void> {
    const { steps } = this.#options;
    const owner = newId();
    let call = await this.#claim(callId, owner);
    while (!this.#stopping.signal.aborted) {
      if (!call) return;
      const { post_call_due_at: dueAt = null, post_call_done: done = [] } = call;
      const step = steps.find(({ name }) => !done.includes(name));
      const next = step ? await this.#runStep(step, call) : null;
      if (step && next === 'done') {
        call = await this.#markDone(call, owner, step);
        continue;
      }
      if (await this.#release(call, owner, dueAt, next === null ? null : new Date(next))) return;
      call = await this.#claim(callId, owner);
    }
    await this.#options.calls.updateOne(
      { _id: callId, post_call_lease_owner: owner },
      { $set: { post_call_lease_owner: null, post_call_lease_until: new Date(0) } },
    );
  }

  /** `done`, or when to look again, in epoch ms. */
  async #runStep(step: PostCallStep, call: CallDocument): Promise<'done' | number> {
    const { clock, log } = this.#options;
    try {
      const signal = AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(STEP_LIMIT_MS)]);
      const outcome = await step.run(call, signal);
      return outcome.kind === 'done' ? 'done' : outcome.lookAgainAt;
    } catch (error) {
      if (this.#stopping.signal.aborted) return clock.now();
      const attempts = (call.post_call_attempts ?? 0) + 1;
      log.warn({ call_id: call._id, step: step.name, attempts, err: error }, 'a post-call step failed');
      const hopeless = error instanceof ServiceError && error.status !== 503 && !error.retryable;
      if (hopeless || attempts >= STEP_ATTEMPTS) {
        if (step.giveUp) await step.giveUp(call, error);
        else await this.#recordFailure(step, call, error);
        return 'done';
      }
      await this.#options.calls.updateOne({ _id: call._id }, { $inc: { post_call_attempts: 1 } });
      return clock.now() + FIRST_RETRY_MS * 2 ** (attempts - 1);
    }
  }

  async #recordFailure(step: PostCallStep, call: CallDocument, error: unknown): Promise<void> {
    const { calls, clock } = this.#options;
    const known = error instanceof ServiceError;
    await recordOnce(calls, tenantOf(call), call._id, {
      name: `post_call_failed:${step.name}`,
      type: `${step.name}.failed`,
      at: clock.now(),
      data: {
        error_code: known ? error.code : 'internal_error',
        error_message: known ? error.message : 'A fault of the service.',
      },
    });
  }

  /** The call, ours for the lease; null when it is not due, or somebody else's. */
  async #claim(callId: string, owner: string): Promise<CallDocument | null> {
    const { calls, clock } = this.#options;
    const now = clock.now();
    return calls
      .findOneAndUpdate(
        {
          _id: callId,
          post_call_due_at: { $lte: new Date(now) },
          $or: [{ post_call_lease_owner: owner }, { post_call_lease_until: { $lte: new Date(now) } }],
        },
        { $set: { post_call_lease_owner: owner, post_call_lease_until: new Date(now + LEASE_MS) } },
        { returnDocument: 'after' },
      )
      .lean<CallDocument>();
  }

  /** The call after it, ours for the next step; null when it became somebody else's. */
  async #markDone(call: CallDocument, owner: string, step: PostCallStep): Promise<CallDocument | null> {
    const { calls, clock } = this.#options;
    return calls
      .findOneAndUpdate(
        { _id: call._id, post_call_lease_owner: owner },
        {
          $addToSet: { post_call_done: step.name },
          $set: { post_call_attempts: 0, post_call_lease_until: new Date(clock.now() + LEASE_MS) },
        },
        { returnDocument: 'after' },
      )
      .lean<CallDocument>();
  }

  /** False when the call was woken meanwhile: then it is looked at again at once. */
  async #release(call: CallDocument, owner: string, dueAt: Date | null, next: Date | null): Promise<boolean> {
    const written = await this.#options.calls.updateOne(
      { _id: call._id, post_call_lease_owner: owner, post_call_due_at: dueAt },
      {
        $set: {
          post_call_due_at: next,
          post_call_lease_owner: null,
          post_call_lease_until: new Date(0),
        },
      },
    );
    if (written.matchedCount === 1) return true;
    const still = await this.#options.calls.exists({ _id: call._id, post_call_lease_owner: owner });
    return still === null;
  }
}
