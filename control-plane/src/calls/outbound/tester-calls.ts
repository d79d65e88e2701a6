import type { Clock } from '@voice/shared/clock/clock';
import type { AgentSnapshot } from '@voice/shared/contracts/agent';
import type { Reservation } from '@voice/shared/contracts/call-plan';
import { SANDBOX_CALLER_ID } from '@voice/shared/contracts/test-numbers';
import type { WebRtcOffer } from '@voice/shared/contracts/webrtc';
import { requireRunnable } from '../../agents/runnable.js';
import type { Config } from '../../config.js';
import { apiError } from '../../platform/http/error-codes.js';
import { isDuplicateKey } from '../../platform/http/errors.js';
import type { SecretBox } from '../../platform/secrets/secret-box.js';
import { ownedBy, type TenantScope } from '../../platform/store/tenant-scope.js';
import type { AccountsOf } from '../../vendors/keys/service.js';
import type { Placement } from '../../workers/placement.js';
import type { WorkerRegistry } from '../../workers/registry.js';
import { webRtcLack } from '../../workers/web-rtc-ability.js';
import type { OfferOutcome, WorkerClient } from '../../workers/worker-client.js';
import type { AgentForCall } from '../plan/agent-directory.js';
import { planOf } from '../plan/call-plan.js';
import { renderVariables, type Variables } from '../plan/variables.js';
import { statusEntry } from '../record/call-changes.js';
import { isTerminal } from '../record/call-state.js';
import { freezeAgent } from '../record/frozen-agent.js';
import type { CallDocument, CallModel } from '../record/model.js';
import { PENDING_STATUS } from '../record/pending-status.js';
import type { TesterLine } from '../record/test-sessions.js';

/** How long a place is kept for a tester who has not connected, in ms. */
const CONNECT_DEADLINE_MS = 60_000;

export interface TesterCallsOptions {
  readonly calls: CallModel;
  /** Refuses with 402 when the tenant may not spend any more. */
  readonly admitSpending: (scope: TenantScope) => Promise<void>;
  readonly placement: Placement;
  readonly registry: Pick<WorkerRegistry, 'reporting' | 'find'>;
  readonly client: Pick<WorkerClient, 'offer'>;
  readonly secrets: SecretBox;
  readonly vendors: Config['vendors'];
  readonly accounts: AccountsOf;
  readonly clock: Clock;
}

/**
 * Test calls that a tester's own connection carries instead of a carrier. Nobody is dialed, so no gate is
 * passed: without a compliance check the dispatcher cannot take such a call to a carrier either. In production its
 * providers are charged as those of any call are; in the sandbox nothing is.
 */
export class TesterCalls {
  readonly #options: TesterCallsOptions;

  constructor(options: TesterCallsOptions) {
    this.#options = options;
  }

  /**
   * Reserves a place and stores the call. Throws 402 `credit_exhausted` and `daily_cap_reached` in production, 503
   * `workers_at_capacity` and `webrtc_not_available`, 409 `provider_unavailable`, 422 `pipeline_not_supported`.
   */
  async create(
    scope: TenantScope,
    line: TesterLine,
    { id, agent, variables }: { id: string; agent: AgentForCall; variables: Variables },
  ): Promise<{ reservation: Reservation; expiresAt: number }> {
    const { calls, admitSpending, placement, secrets, vendors, clock } = this.#options;
    requireRunnable(agent.snapshot, vendors);
    await admitSpending(scope);
    if (line === 'webrtc') await this.#requireWebRtc();
    const now = clock.now();
    const expiresAt = now + CONNECT_DEADLINE_MS;
    const snapshot: AgentSnapshot = {
      ...agent.snapshot,
      system_prompt: renderVariables(agent.snapshot.system_prompt, variables),
      first_message: renderVariables(agent.snapshot.first_message, variables),
    };
    const document = this.#document(scope, line, id, agent, snapshot, variables, now);
    const accounts = await this.#options.accounts({
      tenant: scope.tenant,
      own_vendors: snapshot.own_vendors,
    });
    const place = await placement.place({
      ...planOf(document, snapshot, { name: line, protocol: line }, accounts, now),
      stream_deadline_at: expiresAt,
    });
    if (place.kind === 'no_room') {
      throw apiError('workers_at_capacity', undefined, { retryable: true, retryAfterSeconds: 5 });
    }
    if (place.kind === 'refused') throw apiError('pipeline_not_supported', place.message);
    const worker = { worker_id: place.worker._id, placed_at: new Date(now) };
    try {
      await calls.create({
        ...document,
        ...worker,
        agent_snapshot: freezeAgent(secrets, { _id: id, tenant_id: scope.tenant }, snapshot),
      });
    } catch (error) {
      if (!isDuplicateKey(error)) {
        await placement.giveBack(place.worker._id, id);
        throw error;
      }
      // The same request once more, after its answer was lost: its call waits at a new place now.
      const before = await calls
        .findOneAndUpdate(
          { _id: id, ...ownedBy(scope), media_started_at: null },
          { $set: worker },
          { projection: { worker_id: 1 } },
        )
        .lean<Pick<CallDocument, 'worker_id'>>();
      if (before?.worker_id && before.worker_id !== worker.worker_id) {
        await placement.giveBack(before.worker_id, id);
      }
    }
    return { reservation: place.reservation, expiresAt };
  }

  /** Hands an offer to the worker that holds the call. */
  async offer(scope: TenantScope, callId: string, offer: WebRtcOffer): Promise<OfferOutcome> {
    const { calls, registry, client } = this.#options;
    const call = await calls
      .findOne({ _id: callId, ...ownedBy(scope) }, { status: 1, worker_id: 1 })
      .lean<Pick<CallDocument, 'status' | 'worker_id'>>();
    if (!call || isTerminal(call.status)) return { kind: 'over' };
    const worker = call.worker_id === null ? null : await registry.find(call.worker_id);
    if (!worker) return { kind: 'unreachable', cause: new Error('the worker of the call is not known') };
    return client.offer(worker.control_url, callId, offer);
  }

  /** Throws 503 `webrtc_not_available` where no worker that reports takes WebRTC sessions. */
  async #requireWebRtc(): Promise<void> {
    const { registry, clock } = this.#options;
    const lack = webRtcLack(await registry.reporting(), clock.now());
    if (!lack) return;
    throw apiError('webrtc_not_available', lack.reason, {
      retryable: true,
      ...(lack.readyInSeconds === null ? {} : { retryAfterSeconds: lack.readyInSeconds }),
    });
  }

  #document(
    scope: TenantScope,
    line: TesterLine,
    id: string,
    agent: AgentForCall,
    snapshot: AgentSnapshot,
    variables: Variables,
    now: number,
  ): CallDocument {
    const at = new Date(now);
    return {
      _id: id,
      ...ownedBy(scope),
      created_at: at,
      updated_at: at,
      agent_id: snapshot.id,
      agent_version: agent.version,
      status: 'QUEUED',
      direction: 'inbound',
      // Nobody has a number here; the sandbox's stands for both.
      from_number: SANDBOX_CALLER_ID,
      to_number: SANDBOX_CALLER_ID,
      campaign_id: null,
      contact_id: null,
      compliance_check_id: null,
      agent_snapshot: '',
      analysis_settings: JSON.stringify(agent.analysis),
      disclosure: agent.disclosure && renderVariables(agent.disclosure, variables),
      variables: JSON.stringify(variables),
      metadata: '{}',
      carrier: line,
      carrier_call_id: null,
      carrier_ended_at: null,
      answered_by: null,
      worker_id: null,
      placed_at: null,
      media_started_at: null,
      dispatch_stage: 'dialed',
      dispatch_lease_owner: null,
      dispatch_lease_until: at,
      dispatch_deadline_at: at,
      ring_deadline_at: null,
      hangup_requested_at: null,
      queued_at: at,
      ringing_at: null,
      started_at: null,
      ended_at: null,
      duration_ms: null,
      end_reason: null,
      outcome: null,
      summary: null,
      error_code: null,
      error_message: null,
      recording: null,
      decision_log_key: null,
      transfer_in_progress: false,
      [PENDING_STATUS]: null,
      timeline: [statusEntry(id, 'QUEUED', now, { carrier: line })],
    };
  }
}
