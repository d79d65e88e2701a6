import { DEFAULT_CARRIER } from '@voice/shared/catalogue/carriers';
import type { Clock } from '@voice/shared/clock/clock';
import { newId, type TenantId } from '@voice/shared/ids/ids';
import { LIVE_STATUSES } from '../calls/record/call-state.js';
import { HOLDS_NOTHING } from '../calls/record/hold.js';
import type { CallModel } from '../calls/record/model.js';
import type { BillingMode } from '../config.js';
import { apiError } from '../platform/http/error-codes.js';
import { isDuplicateKey } from '../platform/http/errors.js';
import type { MicroDollars } from '../platform/money/micro-dollars.js';
import type { RateTable } from '../platform/money/rates.js';
import { ownedBy, type TenantScope } from '../platform/store/tenant-scope.js';
import { refusalOf } from './account-state.js';
import type { AdmissionEntry, AdmissionModel, AdmissionRow } from './admission-model.js';
import { admissionsWithoutCall, COST_STEP, type HeldCall, holdOf } from './holds.js';
import type { Ledger } from './ledger.js';
import { ASSUMED_AGENT, typicalMinute } from './typical-minute.js';

/** While more calls than this fit, they need not be admitted one after another. */
const AMPLE = 200;
/** How long a call may take from its admission until it is stored, in ms; then it has come to nothing. */
const ADMISSION_LIFE_MS = 10_000;
/** More are not on their way at once where only `AMPLE` fit. */
const ADMISSIONS_KEPT = 1000;

/** Where nothing is known but that something will cost. */
const NO_CALL = { carrier: DEFAULT_CARRIER, direction: 'outbound', to_number: '+12025550100' } as const;

const HELD_FIELDS = {
  status: 1,
  carrier: 1,
  direction: 1,
  to_number: 1,
  hold_per_minute: 1,
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
  readonly billing: BillingMode;
  readonly rates: RateTable;
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
   * Refuses a new call or test session with 402 when credit or daily cap, less what is held, are used up, and where
   * billing is required also without payment method and credit. Sandbox calls cost nothing and ask nothing; a tenant
   * without a limit is asked of the ledger alone. `hold` is asked for near a limit only: what a minute of the call is
   * taken to cost.
   */
  async admit({ tenant, sandbox }: TenantScope, hold?: () => Promise<MicroDollars>): Promise<void> {
    if (sandbox) return;
    const { ledger, billing, clock } = this.#options;
    const now = clock.now();
    const posted = await ledger.postedStateOf(tenant);
    // Usage that is not posted yet gives nobody a limit.
    if (!refusalOf(posted, now, { billing, held: Number.POSITIVE_INFINITY })) return;
    const account = await ledger.stateOf(tenant);
    const refusalAt = (held: MicroDollars) => refusalOf(account, now, { billing, held });
    const refusal = refusalAt(0);
    if (refusal) throw apiError(refusal);
    const held = this.#sumOf(await this.#calls(tenant), now);
    const mine = (await hold?.()) ?? this.#assumed();
    if (refusalAt(held + AMPLE * mine)) await this.#admitOneOfTheLast(tenant, mine);
  }

  /** Returns what is held of the tenant's credit and daily cap now. */
  async held(tenant: TenantId): Promise<MicroDollars> {
    return this.#sumOf(await this.#calls(tenant), this.#options.clock.now());
  }

  /**
   * Admissions near a limit are put one after another, whatever replica makes them, by an update of one
   * document; each then counts those before it that are no calls yet. The ledger is read last: a call that is
   * charged meanwhile is counted twice rather than not at all.
   */
  async #admitOneOfTheLast(tenant: TenantId, hold: MicroDollars): Promise<void> {
    const { ledger, admissions, billing, clock } = this.#options;
    const now = clock.now();
    const mine: AdmissionEntry = { id: newId(), at: new Date(now), hold };
    const { entries } = await this.#enter(tenant, mine);
    const earlier = entries
      .slice(
        0,
        entries.findIndex(({ id }) => id === mine.id),
      )
      .filter(({ at }) => at.getTime() > now - ADMISSION_LIFE_MS);
    const admittedAt = earlier.map(({ at }) => at.getTime());
    const calls = await this.#calls(tenant, earliestOf(admittedAt));
    const createdAt = calls.filter(wasAdmitted).map(({ created_at }) => created_at.getTime());
    const waiting = admissionsWithoutCall(admittedAt, createdAt);
    const refusal = refusalOf(await ledger.stateOf(tenant), now, {
      billing,
      held: this.#sumOf(calls, now) + waiting * dearestOf(earlier, this.#assumed()),
    });
    if (!refusal) return;
    await admissions.updateOne({ _id: tenant }, { $pull: { entries: { id: mine.id } } });
    throw apiError(refusal);
  }

  #sumOf(calls: readonly HeldCall[], now: number): MicroDollars {
    const assumed = (call: HeldCall) => this.#assumed(call);
    return calls.reduce((sum, call) => sum + holdOf(call, now, assumed), 0);
  }

  /** Returns a minute of a call of which no agent is known. */
  #assumed(call: Pick<HeldCall, 'carrier' | 'direction' | 'to_number'> = NO_CALL): MicroDollars {
    const { carrier, direction, to_number: toNumber } = call;
    return typicalMinute({ agent: ASSUMED_AGENT, carrier, direction, toNumber }, this.#options.rates);
  }

  /** Returns the tenant's admissions, this one among them. */
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
    const own = ownedBy({ tenant, sandbox: false });
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

/** Whether a call takes the place of an admission: one that was refused and is kept to be seen does not. */
function wasAdmitted({ hold_per_minute: hold }: HeldCall): boolean {
  return hold !== HOLDS_NOTHING;
}

/** Undefined of none. */
function earliestOf(times: readonly number[]): number | undefined {
  return times.length === 0 ? undefined : Math.min(...times);
}

/** Which of the admissions are those without a call is not known: the dearest counts. */
function dearestOf(entries: readonly AdmissionEntry[], assumed: MicroDollars): MicroDollars {
  return entries.reduce((most, { hold }) => Math.max(most, hold ?? assumed), 0);
}
