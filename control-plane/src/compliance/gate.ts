import type { Clock } from '@voice/shared/clock/clock';
import { newId, type TenantId } from '@voice/shared/ids/ids';
import { callingHours } from '../agents/calling-hours.js';
import { apiError } from '../platform/http/error-codes.js';
import { GatheredInserts } from '../platform/store/gathered-inserts.js';
import { keyOf, ownedBy, type TenantScope } from '../platform/store/tenant-scope.js';
import { AdmittedCheck, denial } from './admitted-check.js';
import type { CapacityClaims } from './capacity-claims.js';
import { recordedInputs, withoutPerson } from './check-inputs.js';
import { decide, type GateAgent, type GateInputs, hoursCheck, windowOf } from './decide.js';
import type { DncRegistry } from './dnc/registry.js';
import type { ComplianceCheckDocument, ComplianceCheckModel } from './model.js';
import type { NumberRegions } from './number-region.js';
import { RecentLiveCalls } from './recent-live-calls.js';
import { type RecordingDirective, recordingDirective, requiresTwoPartyConsent } from './recording-consent.js';

/** For how long an earlier check may stand for a call, in ms. */
export const CHECK_LIFE_MS = 15 * 60_000;

/** 08:00 to 21:00 on every day, by the callee's clock. */
const DEFAULT_HOURS = callingHours.parse({});

/**
 * This near to the limit of a tenant's calls, places are claimed one by one. Farther away counting is enough:
 * so many calls of one tenant do not begin at the same moment.
 */
const NEAR_LIMIT = 500;

/** What is read of a check that is erased. */
const ERASED_FROM = { tenant_id: 1, inputs: 1 } as const;
type CheckToErase = Pick<ComplianceCheckDocument, '_id' | keyof typeof ERASED_FROM>;

/** The call that is judged. */
export interface CallToCheck {
  readonly fromNumber: string | null;
  readonly toNumber: string;
  /** Null where a number alone is judged. */
  readonly agent: GateAgent | null;
  /** The contact of a campaign that it calls. */
  readonly contactId?: string | undefined;
}

export interface GateOptions {
  readonly checks: ComplianceCheckModel;
  readonly registry: Pick<DncRegistry, 'listedBy'>;
  readonly regions: Pick<NumberRegions, 'of'>;
  readonly clock: Clock;
  /** Live calls that a tenant may have at once, in each mode. */
  readonly maxConcurrentCalls: number;
  /** Counts the tenant's live calls of the mode, at most up to `limit`. */
  readonly countLiveCalls: (scope: TenantScope, limit: number) => Promise<number>;
  readonly claims: Pick<CapacityClaims, 'claim'>;
}

/** Gathers what the checks need, stores what they decided, and admits calls by it. */
export class ComplianceGate {
  readonly #options: GateOptions;
  readonly #inserts: GatheredInserts<ComplianceCheckDocument>;
  readonly #liveCalls: RecentLiveCalls;

  constructor(options: GateOptions) {
    this.#options = options;
    this.#inserts = new GatheredInserts(options.checks);
    const { countLiveCalls: count, maxConcurrentCalls, clock } = options;
    this.#liveCalls = new RecentLiveCalls({ count, nearLimit: maxConcurrentCalls - NEAR_LIMIT, clock });
  }

  /** Judges the call and stores the result with its inputs, allowed or denied. */
  check(scope: TenantScope, call: CallToCheck): Promise<ComplianceCheckDocument> {
    return this.#judge(scope, call, { begins: false, named: null });
  }

  /**
   * A call that `begins` takes its place among the tenant's calls, if it is allowed. `named`: the earlier check that it
   * names.
   */
  async #judge(
    scope: TenantScope,
    call: CallToCheck,
    { begins, named }: { readonly begins: boolean; readonly named: string | null },
  ): Promise<ComplianceCheckDocument> {
    const checkId = newId();
    let inputs = await this.#inputs(scope, call, begins);
    let decided = decide(inputs);
    const { maxConcurrentCalls, claims } = this.#options;
    if (begins && decided.decision === 'allowed' && inputs.liveCalls >= maxConcurrentCalls - NEAR_LIMIT) {
      inputs = { ...inputs, liveCalls: await claims.claim(scope, checkId, maxConcurrentCalls) };
      decided = decide(inputs);
    }
    if (begins && decided.decision === 'allowed') this.#liveCalls.began(scope);
    const { requiresTwoPartyConsent, recording, nextOpenAt, ...decision } = decided;
    const { state, zones } = inputs.callee;
    // What is allowed goes with its call, which has its id unless it names another.
    const erasedWith = named ?? (decision.decision === 'denied' ? call.contactId : undefined);
    const document: ComplianceCheckDocument = {
      _id: checkId,
      ...ownedBy(scope),
      ...decision,
      inputs: JSON.stringify(recordedInputs(inputs)),
      from_number: call.fromNumber,
      to_number: call.toNumber,
      agent_id: call.agent?.id ?? null,
      state,
      timezone: zones.length === 1 ? zones[0]! : null,
      timezones: [...zones],
      requires_two_party_consent: requiresTwoPartyConsent,
      recording,
      next_open_at: nextOpenAt === null ? null : new Date(nextOpenAt),
      ...(erasedWith === undefined ? {} : { erased_with: erasedWith }),
      created_at: new Date(inputs.now),
    };
    await this.#inserts.insert(document);
    return document;
  }

  /** Throws 404 `compliance_check_not_found`. */
  async find(scope: TenantScope, checkId: string): Promise<ComplianceCheckDocument> {
    const found = await this.#options.checks
      .findOne({ _id: checkId, ...ownedBy(scope) })
      .lean<ComplianceCheckDocument>()
      .exec();
    if (!found) throw apiError('compliance_check_not_found');
    return found;
  }

  /**
   * Admits a call by a fresh check. Where the tenant names an earlier one, that must have allowed the same
   * call; the call is judged anew all the same, because hours pass and people ask not to be called.
   */
  async admit(
    scope: TenantScope,
    call: CallToCheck,
    earlierCheckId: string | undefined,
  ): Promise<AdmittedCheck> {
    const judge = () => this.#judge(scope, call, { begins: true, named: earlierCheckId ?? null });
    if (earlierCheckId === undefined) return AdmittedCheck.admit(await judge());
    const earlier = await this.find(scope, earlierCheckId);
    AdmittedCheck.admit(earlier);
    const age = this.#options.clock.now() - earlier.created_at.getTime();
    const sameCall =
      earlier.to_number === call.toNumber &&
      (earlier.from_number === null || earlier.from_number === call.fromNumber) &&
      (earlier.agent_id === null || earlier.agent_id === call.agent?.id);
    if (!sameCall || age > CHECK_LIFE_MS) throw apiError('compliance_check_mismatch');
    return AdmittedCheck.admit(earlier, await judge());
  }

  /**
   * Returns the check by which a stored call was admitted, for the dispatcher. Throws where there is none that allowed
   * this number, or where time or people have decided otherwise since (`confirm`).
   */
  async admitted(scope: TenantScope, checkId: string | null, toNumber: string): Promise<AdmittedCheck> {
    if (checkId === null) throw apiError('compliance_check_not_found');
    const admitted = AdmittedCheck.admit(await this.find(scope, checkId));
    await this.confirm(scope, admitted, toNumber);
    return admitted;
  }

  /**
   * Asks again about a call that waited. Throws where the check was made for another number, where the number was put on
   * a do-not-call list since, and where its calling hours have closed.
   */
  async confirm(scope: TenantScope, admitted: AdmittedCheck, toNumber: string): Promise<void> {
    if (!admitted.covers(scope, toNumber)) throw apiError('compliance_check_mismatch');
    const { registry, regions, clock } = this.#options;
    const listedBy = await registry.listedBy(scope, toNumber);
    const hours = admitted.callingHours;
    const window = windowOf(hours, regions.of(toNumber), clock.now());
    const closed = hoursCheck(window, hours).reason;
    const reasons = [...(listedBy.length > 0 ? ['do_not_call'] : []), ...(closed === null ? [] : [closed])];
    if (reasons.length === 0) return;
    throw denial(admitted.id, reasons, window.nextOpenAt === null ? null : new Date(window.nextOpenAt));
  }

  /** Returns what the recording of a call must be, outbound or inbound; `own` is the number on our side. */
  recordingOf(
    numbers: { readonly other: string; readonly own: string },
    settings: { readonly enabled: boolean; readonly announce: boolean },
  ): RecordingDirective {
    const { regions } = this.#options;
    const consent = requiresTwoPartyConsent(regions.of(numbers.other), regions.of(numbers.own));
    return recordingDirective(settings, consent);
  }

  /**
   * Erases who was called from the stored check of a call, and from those that were made of calls that named it: the
   * number, and the words that were rendered for them. What was decided, and why, stays.
   */
  async erase(tenant: TenantId, checkId: string): Promise<void> {
    await this.#eraseWith(tenant, checkId);
    const check = await this.#options.checks
      .findOne({ _id: checkId, tenant_id: tenant }, ERASED_FROM)
      .lean<CheckToErase>();
    if (check) await this.#erase(check);
  }

  /** Does the same for the checks by which calls of a contact were refused. */
  async eraseRefusals(tenant: TenantId, contactId: string): Promise<void> {
    await this.#eraseWith(tenant, contactId);
  }

  async #eraseWith(tenant: TenantId, id: string): Promise<void> {
    const left = await this.#options.checks
      .find({ tenant_id: tenant, erased_with: id, to_number: { $gt: '' } }, ERASED_FROM)
      .lean<CheckToErase[]>();
    for (const check of left) await this.#erase(check);
  }

  async #erase(check: CheckToErase): Promise<void> {
    const erased = { to_number: '', inputs: withoutPerson(check.inputs) };
    await this.#options.checks.updateOne(keyOf(check), { $set: erased });
  }

  async #inputs(scope: TenantScope, call: CallToCheck, begins: boolean): Promise<GateInputs> {
    const { registry, regions, clock, maxConcurrentCalls } = this.#options;
    const [listedBy, liveCalls] = await Promise.all([
      registry.listedBy(scope, call.toNumber),
      // Who asks for a check alone asks seldom, and is answered as it is now.
      begins
        ? this.#liveCalls.of(scope, maxConcurrentCalls)
        : this.#liveCalls.counted(scope, maxConcurrentCalls),
    ]);
    return {
      now: clock.now(),
      callee: regions.of(call.toNumber),
      caller: call.fromNumber === null ? null : regions.of(call.fromNumber),
      listedBy,
      callingHours: call.agent?.callingHours ?? DEFAULT_HOURS,
      agent: call.agent,
      liveCalls,
      maxConcurrentCalls,
    };
  }
}
