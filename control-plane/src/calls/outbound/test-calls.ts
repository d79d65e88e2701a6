import type { Clock } from '@voice/shared/clock/clock';
import { SANDBOX_CALLER_ID, TEST_NUMBERS } from '@voice/shared/contracts/test-numbers';
import type { TenantId } from '@voice/shared/ids/ids';
import { type Connection, Schema } from 'mongoose';
import { apiError } from '../../platform/http/error-codes.js';
import { isDuplicateKey } from '../../platform/http/errors.js';
import type { TenantScope } from '../../platform/store/tenant-scope.js';
import type { PhonesService } from '../../telephony/phones/service.js';
import type { CallCreateResponse, TestCallRequest } from '../record/schemas.js';
import type { CreateCall } from './create-call.js';

const TEST_CALLS_PER_HOUR = 5;
const HOUR_MS = 3_600_000;

interface WindowRow {
  /** The tenant. */
  _id: string;
  /** The calls of this window by their ids: a retry of one counts once. */
  calls: string[];
  resets_at: Date;
}

const windowSchema = new Schema<WindowRow>(
  { _id: String, calls: { type: [String], required: true }, resets_at: { type: Date, required: true } },
  { versionKey: false, autoIndex: false, autoCreate: false, collection: 'test_call_windows' },
);
windowSchema.index({ resets_at: 1 }, { expireAfterSeconds: 60 });

/** Counts a tenant's test calls in windows of an hour that begin with their first. Every step is atomic. */
export class TestCallLimit {
  readonly #windows;
  readonly #clock: Clock;

  constructor(store: Connection, clock: Clock) {
    this.#windows = store.model<WindowRow>('TestCallWindow', windowSchema);
    this.#clock = clock;
  }

  /** Throws 429 `rate_limited` with the seconds until the window ends. */
  async take(tenant: TenantId, callId: string): Promise<void> {
    for (;;) {
      const now = this.#clock.now();
      const window = { _id: tenant, resets_at: { $gt: new Date(now) } };
      const [again, taken] = [
        await this.#windows.exists({ ...window, calls: callId }),
        await this.#windows.updateOne(
          { ...window, [`calls.${TEST_CALLS_PER_HOUR - 1}`]: { $exists: false } },
          { $addToSet: { calls: callId } },
        ),
      ];
      if (again || taken.matchedCount === 1) return;
      const open = await this.#windows.findOne(window).lean<WindowRow>();
      // Another replica may have opened it since, or a place may have been given back.
      if (open && open.calls.length < TEST_CALLS_PER_HOUR) continue;
      if (open) {
        throw apiError('rate_limited', `A tenant may place ${TEST_CALLS_PER_HOUR} test calls an hour.`, {
          retryable: true,
          retryAfterSeconds: Math.max(1, Math.ceil((open.resets_at.getTime() - now) / 1000)),
        });
      }
      await this.#open(tenant, now);
    }
  }

  /** Gives the place back of a call that was refused. */
  async giveBack(tenant: TenantId, callId: string): Promise<void> {
    await this.#windows.updateOne({ _id: tenant }, { $pull: { calls: callId } });
  }

  async #open(tenant: TenantId, now: number): Promise<void> {
    try {
      await this.#windows.updateOne(
        { _id: tenant, resets_at: { $lte: new Date(now) } },
        { $set: { calls: [], resets_at: new Date(now + HOUR_MS) } },
        { upsert: true },
      );
    } catch (error) {
      // Another replica opened it at the same moment.
      if (!isDuplicateKey(error)) throw error;
    }
  }
}

interface TestCallsOptions {
  readonly createCall: CreateCall;
  readonly phones: PhonesService;
  readonly limit: TestCallLimit;
}

/** Calls by which a tenant tries an agent out: real calls, with less to say and a limit of their own. */
export class TestCalls {
  readonly #options: TestCallsOptions;

  constructor(options: TestCallsOptions) {
    this.#options = options;
  }

  async create(
    scope: TenantScope,
    { id, request }: { id: string; request: TestCallRequest },
  ): Promise<CallCreateResponse> {
    const { tenant, sandbox } = scope;
    const { from_number: from, to_number: to, ...rest } = request;
    const call = {
      ...rest,
      metadata: {},
      from_number: from ?? (sandbox ? SANDBOX_CALLER_ID : await this.#options.phones.anyCallerId(tenant)),
      to_number: to ?? TEST_NUMBERS[0]!.number,
    };
    if (sandbox) return this.#options.createCall.create(scope, { id, request: call });
    await this.#options.limit.take(tenant, id);
    try {
      return await this.#options.createCall.create(scope, { id, request: call });
    } catch (error) {
      await this.#options.limit.giveBack(tenant, id);
      throw error;
    }
  }
}
