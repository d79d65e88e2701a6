import type { Clock } from '@voice/shared/clock/clock';
import { newId, type TenantId } from '@voice/shared/ids/ids';
import { apiError } from '../http/error-codes.js';
import { AllowedCheck } from './allowed-check.js';
import { decide } from './decide.js';
import type { ComplianceCheckDocument, ComplianceCheckModel } from './model.js';

/** For how long an earlier check may stand for a call, in ms. */
export const CHECK_LIFE_MS = 15 * 60_000;

/** The call that is judged. */
export interface CallToCheck {
  readonly fromNumber: string | null;
  readonly toNumber: string;
  readonly agent: { readonly id: string; readonly disclosure: string | null } | null;
}

export interface GateOptions {
  readonly checks: ComplianceCheckModel;
  readonly clock: Clock;
  /** Live calls that a tenant may have at once. */
  readonly maxConcurrentCalls: number;
  /** Counts the tenant's live calls, at most up to `limit`. */
  readonly countLiveCalls: (tenant: TenantId, limit: number) => Promise<number>;
}

/** Runs the checks, stores what they decided, and admits calls by it. */
export class ComplianceGate {
  readonly #options: GateOptions;

  constructor(options: GateOptions) {
    this.#options = options;
  }

  /** Judges the call and stores the result, allowed or denied. */
  async check(tenant: TenantId, call: CallToCheck): Promise<ComplianceCheckDocument> {
    const { checks, clock, maxConcurrentCalls, countLiveCalls } = this.#options;
    // Two calls checked at the same moment may both get the last place; a place at a worker is what
    // is never given twice.
    const liveCalls = await countLiveCalls(tenant, maxConcurrentCalls);
    const decision = decide({
      disclosure: call.agent?.disclosure ?? null,
      hasAgent: call.agent !== null,
      liveCalls,
      maxConcurrentCalls,
    });
    const document: ComplianceCheckDocument = {
      _id: newId(),
      tenant_id: tenant,
      ...decision,
      from_number: call.fromNumber,
      to_number: call.toNumber,
      agent_id: call.agent?.id ?? null,
      state: null,
      timezone: null,
      requires_two_party_consent: null,
      created_at: new Date(clock.now()),
    };
    await checks.create(document);
    return document;
  }

  /** Admits a call by a fresh check, or by the earlier one that the tenant names. */
  async admit(
    tenant: TenantId,
    call: CallToCheck,
    earlierCheckId: string | undefined,
  ): Promise<AllowedCheck> {
    if (earlierCheckId === undefined) return AllowedCheck.admit(await this.check(tenant, call));
    const earlier = await this.#find(tenant, earlierCheckId);
    if (!earlier) throw apiError('compliance_check_not_found');
    const admitted = AllowedCheck.admit(earlier);
    const age = this.#options.clock.now() - earlier.created_at.getTime();
    const sameCall =
      earlier.to_number === call.toNumber &&
      (earlier.from_number === null || earlier.from_number === call.fromNumber);
    if (!sameCall || age > CHECK_LIFE_MS) throw apiError('compliance_check_mismatch');
    // An earlier check without this agent has not seen its disclosure, which is asked for here.
    if (earlier.agent_id !== (call.agent?.id ?? null)) AllowedCheck.admit(await this.check(tenant, call));
    return admitted;
  }

  /** The check by which a stored call was admitted, for whoever dials it. */
  async admitted(tenant: TenantId, checkId: string): Promise<AllowedCheck> {
    const found = await this.#find(tenant, checkId);
    if (!found) throw apiError('compliance_check_not_found');
    return AllowedCheck.admit(found);
  }

  #find(tenant: TenantId, checkId: string): Promise<ComplianceCheckDocument | null> {
    return this.#options.checks
      .findOne({ _id: checkId, tenant_id: tenant })
      .lean<ComplianceCheckDocument>()
      .exec();
  }
}
