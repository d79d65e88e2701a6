import type { Clock } from '@voice/shared/clock/clock';
import { newId, type TenantId } from '@voice/shared/ids/ids';
import { LIVE_STATUSES } from '../calls/call-state.js';
import type { CallModel } from '../calls/model.js';
import { apiError } from '../http/error-codes.js';
import { isDuplicateKey } from '../http/errors.js';
import type { MicroDollars } from '../money/micro-dollars.js';
import { refusalOf } from './account-state.js';
import type { AdmissionEntry, AdmissionModel, AdmissionRow } from './admission-model.js';
import { admissionsWithoutCall, COST_STEP, type HeldCall, holdOf, NEW_CALL_HOLD } from './holds.js';
import type { Ledger } from './ledger.js';

/** While more calls than this fit, they need not be admitted one after another. */
const AMPLE = 200;
/** How long a call may take from its admission until it is stored, in ms; then it has come to nothing. */
const ADMISSION_LIFE_MS = 10_000;
/** More are not on their way at once where only `AMPLE` fit. */
const ADMISSIONS_KEPT = 1000;

const HELD_FIELDS = {
  status: 1,
  carrier: 1,
  direction: 1,
  created_at: 1,
  started_at: 1,
  duration_ms: 1,
  post_call_due_at: 1,
  post_call_done: 1,
} satisfies Record<keyof HeldCall, 1>;

export interface AdmissionsOptions {
  readonly ledger: Ledger;
  readonly calls: CallModel;
  readonly admissions: AdmissionModel;
  readonly clock: Clock;
}

/**
 * Decides who may begin a call. What running calls will cost is held, and so is what ended calls cost until the
 * ledger has it: reckoned from the calls in the store each time, so that nothing is left over after a crash.
 */
export class Admissions {
  readonly #options: AdmissionsOptions;

  constructor(options: AdmissionsOptions) {
    this.#options = options;
  }

  /**
   * Refuses a new call with 402 when credit or daily cap, less what is held, are used up. Sandbox calls cost
   * nothing and ask nothing; a tenant without a limit is asked of the ledger alone.
   */
  async admit(tenant: TenantId, sandbox: boolean): Promise<void> {
    if (sandbox) return;
    const { ledger, clock } = this.#options;
    const account = await ledger.stateOf(tenant);
    const now = clock.now();
    const refusal = refusalOf(account, now);
    if (refusal) throw apiError(refusal);
    if (!refusalOf(account, now, Number.POSITIVE_INFINITY)) return;
    const held = sumOf(await this.#calls(tenant), now);
    if (refusalOf(account, now, held + AMPLE * NEW_CALL_HOLD)) await this.#admitOneOfTheLast(tenant);
  }

  /** What is held of the tenant's credit and daily cap now. */
  async held(tenant: TenantId): Promise<MicroDollars> {
    return sumOf(await this.#calls(tenant), this.#options.clock.now());
  }

  /**
   * Admissions near a limit are put one after another, whatever replica makes them, by an update of one
   * document; each then counts those before it that are no calls yet. The ledger is read last: a call that is
   * charged meanwhile is counted twice rather than not at all.
   */
  async #admitOneOfTheLast(tenant: TenantId): Promise<void> {
    const { ledger, admissions, clock } = this.#options;
    const now = clock.now();
    const mine = { id: newId(), at: new Date(now) };
    const { entries } = await this.#enter(tenant, mine);
    const admittedAt = entries
      .slice(
        0,
        entries.findIndex(({ id }) => id === mine.id),
      )
      .map(({ at }) => at.getTime())
      .filter((at) => at > now - ADMISSION_LIFE_MS)
      .sort((a, b) => a - b);
    const calls = await this.#calls(tenant, admittedAt[0]);
    const createdAt = calls.map(({ created_at }) => created_at.getTime()).sort((a, b) => a - b);
    const waiting = admissionsWithoutCall(admittedAt, createdAt);
    const refusal = refusalOf(await ledger.stateOf(tenant), now, sumOf(calls, now) + waiting * NEW_CALL_HOLD);
    if (!refusal) return;
    await admissions.updateOne({ _id: tenant }, { $pull: { entries: { id: mine.id } } });
    throw apiError(refusal);
  }

  /** The tenant's admissions, this one among them. */
  async #enter(tenant: TenantId, entry: AdmissionEntry): Promise<AdmissionRow> {
    for (;;) {
      try {
        return await this.#options.admissions
          .findOneAndUpdate(
            { _id: tenant },
            {
              $push: { entries: { $each: [entry], $slice: -ADMISSIONS_KEPT } },
              $set: { updated_at: entry.at },
            },
            { upsert: true, returnDocument: 'after' },
          )
          .orFail()
          .lean<AdmissionRow>();
      } catch (error) {
        // The tenant's first two at the same moment.
        if (!isDuplicateKey(error)) throw error;
      }
    }
  }

  /** Production calls that are not charged yet; with `since` (epoch ms) also all that were created from then on. */
  async #calls(tenant: TenantId, since?: number): Promise<HeldCall[]> {
    const own = { tenant_id: tenant, sandbox: false };
    return this.#options.calls
      .find(
        {
          $or: [
            { ...own, status: { $in: [...LIVE_STATUSES] } },
            { ...own, post_call_due_at: { $gt: new Date(0) }, post_call_done: { $ne: COST_STEP } },
            ...(since === undefined ? [] : [{ ...own, created_at: { $gte: new Date(since) } }]),
          ],
        },
        HELD_FIELDS,
      )
      .lean<HeldCall[]>();
  }
}

function sumOf(calls: readonly HeldCall[], now: number): MicroDollars {
  return calls.reduce((sum, call) => sum + holdOf(call, now), 0);
}
