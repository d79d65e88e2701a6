import type { Clock } from '@voice/shared/clock/clock';
import { ServiceError } from '@voice/shared/errors/service-error';
import { newId } from '@voice/shared/ids/ids';
import type { Log } from '@voice/shared/log/log';
import { NO_TRACING, type Tracer, traced } from '@voice/shared/tracing/tracer';
import { apiError } from '../../platform/http/error-codes.js';
import type { TakingUpdate } from '../../platform/store/taking-updates.js';
import { keyOf, type TenantKey } from '../../platform/store/tenant-scope.js';
import { recordAfterEnd } from '../record/call-changes.js';
import { FOLD_AFTER_MS } from '../record/folded-events.js';
import { gatheredCalls } from '../record/gathered-calls.js';
import type { CallDocument, CallModel } from '../record/model.js';
import { tenantOf } from '../record/tenant-of.js';
import { DONE, type PostCallStep, type StepOutcome, stepsLeft } from './step.js';
import { STEP_LIMIT_MS, withinStepLimit } from './step-limit.js';

/** How long a runner has a call to itself, in ms: longer than a step may take. */
const LEASE_MS = STEP_LIMIT_MS + 30_000;
/** Tries of a step that fails, and the wait before the second one, in ms; it doubles. */
export const STEP_ATTEMPTS = 6;
const FIRST_RETRY_MS = 2000;
/** Tries of a step that began and did not end, for its process died; then it is given up. */
export const UNFINISHED_TRIES = 3;
/** The pause after which what broke off is tried again, in ms; as long is waited to say so to a store that is away. */
export const BROKEN_OFF_MS = 10_000;
/** How many calls one sweep takes on. */
const BATCH = 100;

/** A call that nobody is at, and whose last try has ended. */
const RELEASED = {
  post_call_lease_owner: null,
  post_call_lease_until: new Date(0),
  post_call_unfinished: 0,
} as const;

/** Steps that are done since the call was read, and what the last of them gives it. */
interface DoneSteps {
  readonly steps: readonly string[];
  readonly set: Partial<CallDocument>;
}

export interface PostCallOptions {
  readonly calls: CallModel;
  /** In the order in which they happen to every call. */
  readonly steps: readonly PostCallStep[];
  /** The steps of a call have come as far as they can for now: what waits for them can be published. */
  readonly onProgress: (call: TenantKey) => void;
  readonly tracer?: Tracer;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Takes ended calls through their steps. The end of a call marks it as due in the same write, and the mark
 * goes when every step is done: after a crash in between, the sweep finds the call and goes on.
 *
 * A step is given up, with its reason kept, when it has failed too often, and when too many processes died in it:
 * each try is counted in the store before it begins. The last of those tries runs without other calls that processes
 * have died with, so that only the call that kills has its step given up.
 */
export class PostCall {
  readonly #options: PostCallOptions;
  readonly #stopping = new AbortController();
  readonly #running = new Set<Promise<void>>();
  /** The one call whose step has its last try. */
  #lastTry: Promise<void> | undefined;

  constructor(options: PostCallOptions) {
    this.#options = options;
  }

  /** Starts on a call that has just ended; returns at once. Harmless when somebody else is at it. */
  soon(call: TenantKey): void {
    void this.#start(call);
  }

  #start(call: TenantKey): Promise<void> {
    const running: Promise<void> = this.run(call)
      .catch((err: unknown) =>
        this.#options.log.error({ call_id: call._id, err }, 'post-call work broke off'),
      )
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
    return running;
  }

  /** Something that a step waits for has come: the call is due now. */
  async wake(call: TenantKey): Promise<void> {
    const { calls, clock } = this.#options;
    await calls.updateOne(
      { ...keyOf(call), post_call_due_at: { $ne: null } },
      { $set: { post_call_due_at: new Date(clock.now()) } },
    );
    this.soon(call);
  }

  /** Goes on with the calls that are due: those whose runner died, and those that waited. */
  async sweep(): Promise<void> {
    const { calls, clock } = this.#options;
    const now = new Date(clock.now());
    const isDue = {
      post_call_due_at: { $gte: new Date(0), $lte: now },
      post_call_lease_until: { $lte: now },
    };
    if (!(await gatheredCalls(calls).due.has(isDue))) return;
    const rows = await calls
      .find(isDue, { tenant_id: 1, post_call_unfinished: 1 })
      // Those that may have killed their runner come last, however many there are.
      .sort({ post_call_unfinished: 1 })
      .limit(BATCH)
      .lean<(TenantKey & Pick<CallDocument, 'post_call_unfinished'>)[]>();
    const isSuspect = (row: (typeof rows)[number]) => (row.post_call_unfinished ?? 0) >= UNFINISHED_TRIES - 1;
    for (const row of rows) if (!isSuspect(row)) this.soon(row);
    const last = rows.find(isSuspect);
    if (!last || this.#lastTry) return;
    this.#lastTry = this.#start(last).finally(() => {
      this.#lastTry = undefined;
    });
  }

  /** Breaks off what runs; it is due again at once, for the next sweep. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error('the post-call runner stops'));
    await Promise.all(this.#running);
  }

  /** Runs the steps that are left until all are done, one waits or one fails. */
  async run(key: TenantKey): Promise<void> {
    const owner = newId();
    try {
      await this.#runOwned(keyOf(key), owner);
    } catch (error) {
      await this.#breakOff(key, owner);
      throw error;
    }
  }

  /**
   * Lets go of a call whose run broke off, most likely for the store's sake: this process lives, so it was no try that
   * killed one. While the store is away, that is said again, until the lease would have run out by itself.
   */
  async #breakOff(key: TenantKey, owner: string): Promise<void> {
    const { clock } = this.#options;
    const until = clock.monotonic() + LEASE_MS;
    do {
      try {
        const again = new Date(clock.now() + BROKEN_OFF_MS);
        await this.#ownedBy(key, owner, { post_call_unfinished: 0, post_call_lease_until: again });
        return;
      } catch {
        await clock.sleep(BROKEN_OFF_MS, this.#stopping.signal).catch(() => {});
      }
    } while (clock.monotonic() < until && !this.#stopping.signal.aborted);
  }

  async #runOwned(key: TenantKey, owner: string): Promise<void> {
    const { steps } = this.#options;
    let call = await this.#claim(key, owner);
    while (!this.#stopping.signal.aborted) {
      if (!call) return;
      const left = stepsLeft(steps, call);
      const [step] = left.steps;
      const outcome = step ? await this.#runStep(step, call) : null;
      const isDone = outcome?.kind === 'done';
      const done = {
        steps: step && isDone ? [...left.passed, step.name] : left.passed,
        set: (isDone && outcome.set) || {},
      };
      if (isDone && left.steps.length > 1) {
        call = await this.#markDone(call, owner, done);
        continue;
      }
      // What the last step has done is noted with the release.
      const dueAgain = outcome?.kind === 'waiting' ? new Date(outcome.lookAgainAt) : null;
      if (await this.#release(call, owner, done, dueAgain)) {
        this.#options.onProgress(key);
        return;
      }
      call = await this.#claimAgain(key, owner, done);
    }
    await this.#ownedBy(key, owner, RELEASED);
  }

  /** Runs a step; one that fails is to be looked at again, or given up and so done. */
  async #runStep(step: PostCallStep, call: CallDocument): Promise<StepOutcome> {
    const { calls, clock, log, tracer = NO_TRACING } = this.#options;
    const unfinished = (call.post_call_unfinished ?? 1) - 1;
    if (unfinished >= UNFINISHED_TRIES) {
      log.error({ call_id: call._id, step: step.name, unfinished }, 'processes died in a post-call step');
      await this.#giveUp(step, call, apiError('post_call_step_abandoned'));
      return DONE;
    }
    try {
      return await traced(
        { tracer, clock },
        { callId: call._id, name: `post_call ${step.name}` },
        () => this.#limited((signal) => step.run(call, signal)),
        ({ kind }) => ({ attributes: { 'call.step.outcome': kind } }),
      );
    } catch (error) {
      if (this.#stopping.signal.aborted) return { kind: 'waiting', lookAgainAt: clock.now() };
      const attempts = (call.post_call_attempts ?? 0) + 1;
      log.warn({ call_id: call._id, step: step.name, attempts, err: error }, 'a post-call step failed');
      const hopeless = error instanceof ServiceError && error.status !== 503 && !error.retryable;
      if (hopeless || attempts >= STEP_ATTEMPTS) {
        await this.#giveUp(step, call, error);
        return DONE;
      }
      await calls.updateOne(keyOf(call), { $inc: { post_call_attempts: 1 } });
      return { kind: 'waiting', lookAgainAt: clock.now() + FIRST_RETRY_MS * 2 ** (attempts - 1) };
    }
  }

  /** Records why a step is not tried again; where its own way fails too, in the call's timeline. */
  async #giveUp(step: PostCallStep, call: CallDocument, error: unknown): Promise<void> {
    const { giveUp } = step;
    if (giveUp) {
      try {
        await this.#limited(() => giveUp.call(step, call, error));
        return;
      } catch (err) {
        this.#options.log.error({ call_id: call._id, step: step.name, err }, 'a failure was not recorded');
      }
    }
    await this.#recordFailure(step, call, error);
  }

  #limited<T>(run: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return withinStepLimit(this.#options.clock, this.#stopping.signal, run);
  }

  async #recordFailure(step: PostCallStep, call: CallDocument, error: unknown): Promise<void> {
    const { calls, clock } = this.#options;
    const known = error instanceof ServiceError;
    await recordAfterEnd(calls, tenantOf(call), call._id, {
      name: `post_call_failed:${step.name}`,
      type: `${step.name}.failed`,
      at: clock.now(),
      data: {
        error_code: known ? error.code : 'internal_error',
        error_message: known ? error.message : 'A fault of the service.',
      },
    });
  }

  /** Claims the call: ours for the lease and its next try counted; null when it is not due, or somebody else's. */
  #claim(key: TenantKey, owner: string): Promise<CallDocument | null> {
    const now = new Date(this.#options.clock.now());
    return this.#own(owner, {
      filter: { ...key, post_call_due_at: { $lte: now }, post_call_lease_until: { $lte: now } },
      update: { $set: this.#leaseOf(owner), $inc: { post_call_unfinished: 1 } },
    });
  }

  /** Claims a call that was ours until now: the try before has ended, and what it has done is noted. */
  #claimAgain(key: TenantKey, owner: string, done: DoneSteps): Promise<CallDocument | null> {
    const now = new Date(this.#options.clock.now());
    return this.#own(owner, {
      filter: { ...key, post_call_due_at: { $lte: now }, post_call_lease_owner: owner },
      update: {
        $set: { ...done.set, ...this.#leaseOf(owner), post_call_unfinished: 1 },
        $addToSet: { post_call_done: { $each: [...done.steps] } },
      },
    });
  }

  /** Makes an update that gives us the call; the call after it. */
  #own(
    owner: string,
    update: Pick<TakingUpdate<CallDocument>, 'filter' | 'update'>,
  ): Promise<CallDocument | null> {
    // No other run has this owner's name.
    const isTaken = (call: CallDocument) => call.post_call_lease_owner === owner;
    return gatheredCalls(this.#options.calls).takes.take({ ...update, isTaken });
  }

  #leaseOf(owner: string) {
    return {
      post_call_lease_owner: owner,
      post_call_lease_until: new Date(this.#options.clock.now() + LEASE_MS),
    };
  }

  async #ownedBy(key: TenantKey, owner: string, set: Partial<CallDocument>): Promise<void> {
    await this.#options.calls.updateOne({ ...keyOf(key), post_call_lease_owner: owner }, { $set: set });
  }

  /**
   * Marks steps as done. Returns the call after it, ours for the next step, whose try is counted; null when it became
   * somebody else's.
   */
  async #markDone(call: CallDocument, owner: string, done: DoneSteps): Promise<CallDocument | null> {
    const { _id, tenant_id } = call;
    return this.#own(owner, {
      filter: { _id, tenant_id, post_call_lease_owner: owner },
      update: {
        $addToSet: { post_call_done: { $each: [...done.steps] } },
        $set: { ...done.set, ...this.#leaseOf(owner), post_call_attempts: 0, post_call_unfinished: 1 },
      },
    });
  }

  /**
   * Releases the call, with what was done of it since it was read. Returns false when it was woken meanwhile: then it
   * is looked at again at once.
   */
  async #release(call: CallDocument, owner: string, done: DoneSteps, next: Date | null): Promise<boolean> {
    const { _id, tenant_id, post_call_due_at: dueAt = null } = call;
    const isReleased = await gatheredCalls(this.#options.calls).steps.make({
      filter: { _id, tenant_id, post_call_lease_owner: owner, post_call_due_at: dueAt },
      update: {
        $addToSet: { post_call_done: { $each: [...done.steps] } },
        $set: {
          ...done.set,
          ...RELEASED,
          post_call_due_at: next,
          ...(next === null ? { fold_due_at: new Date(this.#options.clock.now() + FOLD_AFTER_MS) } : {}),
        },
      },
      applied: { _id, tenant_id, post_call_lease_owner: null, post_call_due_at: next },
    });
    if (isReleased) return true;
    const still = await this.#options.calls.exists({ _id, tenant_id, post_call_lease_owner: owner });
    return still === null;
  }
}
