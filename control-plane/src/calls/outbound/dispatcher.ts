import type { AgentSnapshot } from '@voice/shared/contracts/agent';
import { ServiceError } from '@voice/shared/errors/service-error';
import { derivedId, newId, type TenantId } from '@voice/shared/ids/ids';
import type { AdmittedCheck } from '../../compliance/admitted-check.js';
import type { ComplianceGate } from '../../compliance/gate.js';
import type { SecretBox } from '../../platform/secrets/secret-box.js';
import { ConditionalUpdates } from '../../platform/store/conditional-updates.js';
import { keyOf, scopeOf } from '../../platform/store/tenant-scope.js';
import type { Carriers } from '../../telephony/carriers/carriers.js';
import type { CarrierFailure } from '../../telephony/carriers/port.js';
import type { AccountsOf } from '../../vendors/keys/service.js';
import { CARRIER_SLACK_MS, planOf, RING_TIMEOUT_SECONDS } from '../plan/call-plan.js';
import { giveBackIfStray } from '../plan/stray-place.js';
import { thawAgent } from '../record/frozen-agent.js';
import type { CallDocument, CallModel } from '../record/model.js';
import { type Attempt, Dialer, type DialerOptions, RETRY_MS } from './dialer.js';
import { DispatchLease, type LeasedCall, type LeaseStore } from './dispatch-lease.js';

/** How long a call without a place waits at most before it looks again, in ms; at first, `RETRY_MS`. */
const RETRY_MAX_MS = 3000;

export interface DispatcherOptions extends DialerOptions {
  readonly calls: CallModel;
  readonly gate: ComplianceGate;
  readonly carriers: Carriers;
  readonly secrets: SecretBox;
  readonly accounts: AccountsOf;
}

/** A call that was stored just now under a lease of its own, with what its maker knows of it. */
export interface CreatedCall {
  readonly call: LeasedCall;
  /** As the call's snapshot holds it. */
  readonly agent: AgentSnapshot;
  readonly admitted: AdmittedCheck;
}

/** Says why a stored call is not dialed, in words for its tenant. */
function denialOf({ fields: { reasons } }: ServiceError): string {
  const why = Array.isArray(reasons) ? `: ${reasons.join(', ')}` : '';
  return `The compliance gate denies the call${why}.`;
}

/**
 * Brings a queued call onto the line: a place at a worker, then the carrier. One dispatcher at a time
 * holds a call's lease; when it dies, another takes the lease over and goes on, but nobody dials a
 * number that may have been dialed already.
 */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #leases: LeaseStore;
  readonly #dialer: Dialer;
  readonly #stopping = new AbortController();
  readonly #running = new Set<Promise<void>>();

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.#dialer = new Dialer(options);
    const { calls, clock } = options;
    this.#leases = { calls, clock, updates: new ConditionalUpdates(calls) };
  }

  /** Begins to dispatch a call that was stored just now, and returns at once. */
  begin(tenant: TenantId, created: CreatedCall): void {
    const { _id: callId, dispatch_lease_owner: owner } = created.call;
    const lease = DispatchLease.held(this.#leases, { tenant, callId, owner });
    this.#keepRunning(callId, this.#run(tenant, lease, created));
  }

  /** Goes on with a queued call and returns at once. Harmless when somebody else is at it. */
  resume(tenant: TenantId, callId: string): void {
    this.#keepRunning(callId, this.#takeOver(tenant, callId));
  }

  /** Ends the waiting for places; what is being dialed is finished. Queued calls stay queued. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error('the dispatcher stops'));
    await Promise.all(this.#running);
  }

  #keepRunning(callId: string, dispatching: Promise<void>): void {
    const running = dispatching
      .catch((err: unknown) => this.#options.log.error({ call_id: callId, err }, 'dispatch broke off'))
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  /** Resolves when the call is dialed, over, or somebody else's. */
  async #takeOver(tenant: TenantId, callId: string): Promise<void> {
    const lease = await DispatchLease.take(this.#leases, { tenant, callId, owner: newId() });
    if (lease) await this.#run(tenant, lease);
  }

  async #run(tenant: TenantId, lease: DispatchLease, created?: CreatedCall): Promise<void> {
    const { clock } = this.#options;
    try {
      let known = created;
      let failure: CarrierFailure | undefined;
      for (
        let waitMs = RETRY_MS;
        !this.#stopping.signal.aborted;
        waitMs = Math.min(RETRY_MAX_MS, waitMs * 1.5)
      ) {
        // What was stored just now is not read again.
        const call = known?.call ?? (await lease.renew());
        if (!call) return;
        const attempt = await this.#attempt(call, tenant, lease, { created: known, failure });
        if (attempt === 'done') return;
        failure = attempt === 'no_room' ? undefined : attempt;
        known = undefined;
        await clock.sleep(waitMs, this.#stopping.signal).catch(() => {});
      }
    } finally {
      await lease.release();
    }
  }

  async #attempt(
    call: CallDocument,
    tenant: TenantId,
    lease: DispatchLease,
    { created, failure }: { readonly created?: CreatedCall; readonly failure?: CarrierFailure },
  ): Promise<Attempt> {
    const { calls, carriers, placement, secrets, clock, gate } = this.#options;
    const late = clock.now() >= call.dispatch_deadline_at.getTime();
    if (late) {
      await (failure
        ? this.#dialer.giveUp(tenant, call, 'carrier_failed', failure.code, failure.message)
        : this.#dialer.giveUp(
            tenant,
            call,
            'no_capacity',
            'no_capacity',
            'No media worker had a place in time.',
          ));
      return 'done';
    }
    const carrier = carriers.find(call.carrier);
    if (!carrier) {
      await this.#dialer.giveUp(
        tenant,
        call,
        'carrier_failed',
        'carrier_not_configured',
        'The carrier is not configured.',
      );
      return 'done';
    }
    if (call.compliance_check_id === null) {
      const message = 'No compliance check was made for the call.';
      await this.#dialer.giveUp(tenant, call, 'rejected', 'compliance_check_not_found', message);
      return 'done';
    }
    const admitted =
      created?.admitted ??
      (await this.#gated(call, tenant, () =>
        gate.admitted(scopeOf(call), call.compliance_check_id, call.to_number),
      ));
    if (!admitted) return 'done';
    const agent = created?.agent ?? thawAgent(secrets, call);
    const accounts = await this.#options.accounts({ tenant, own_vendors: agent.own_vendors });
    const place = await placement.place(planOf(call, agent, carrier.link, accounts, clock.now()));
    if (place.kind === 'no_room') {
      await this.#waitsForRoom(call, lease);
      return 'no_room';
    }
    if (place.kind === 'refused') {
      await this.#dialer.giveUp(tenant, call, 'provider_failed', place.code, place.message);
      return 'done';
    }
    // And again, as late as can be: who asks not to be called while the call looks for a place is not called, nor is
    // anybody whose hours close meanwhile.
    const confirmed = await this.#gated(call, tenant, async () => {
      await gate.confirm(scopeOf(call), admitted, call.to_number);
      return admitted;
    });
    if (!confirmed) {
      await placement.giveBack(place.worker._id, call._id);
      return 'done';
    }
    const marked = await lease.beginDialing(
      place.worker._id,
      clock.now() + RING_TIMEOUT_SECONDS * 1000 + CARRIER_SLACK_MS,
    );
    if (!marked) {
      // Hung up meanwhile, or taken over by one who may have the same place for it.
      await giveBackIfStray({ calls, placement }, keyOf(call), place.worker._id);
      return 'done';
    }
    return this.#dialer.attempt({
      call,
      voicemail: agent.voicemail,
      tenant,
      lease,
      carrier,
      admitted: confirmed,
      place,
    });
  }

  /** Records why a call stays QUEUED, for those who look at it. */
  async #waitsForRoom(call: CallDocument, lease: DispatchLease): Promise<void> {
    const id = derivedId(call._id, 'waiting');
    if (call.timeline.some((entry) => entry.id === id)) return;
    await lease.waits({
      id,
      type: 'call.waiting',
      at: new Date(this.#options.clock.now()),
      data: JSON.stringify({
        reason: 'no_worker_has_room',
        message: 'No media worker has room now; the call waits for one.',
        until: call.dispatch_deadline_at.toISOString(),
      }),
    });
  }

  /** Returns what the gate says; null, and the call is over, where it refuses. */
  async #gated<Admission>(
    call: CallDocument,
    tenant: TenantId,
    ask: () => Promise<Admission>,
  ): Promise<Admission | null> {
    const { log } = this.#options;
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      log.warn({ call_id: call._id, tenant, error_code: error.code }, 'a queued call is not admitted');
      await this.#dialer.giveUp(tenant, call, 'rejected', 'compliance_denied', denialOf(error));
      return null;
    }
  }
}
