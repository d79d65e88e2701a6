import type { Clock } from '@voice/shared/clock/clock';
import type { AgentSnapshot } from '@voice/shared/contracts/agent';
import { testNumber } from '@voice/shared/contracts/test-numbers';
import { newId } from '@voice/shared/ids/ids';
import { type Log, maskPhoneNumber } from '@voice/shared/log/log';
import { requireRunnable } from '../../agents/runnable.js';
import type { AdmittedCheck } from '../../compliance/admitted-check.js';
import type { ComplianceGate } from '../../compliance/gate.js';
import type { Config } from '../../config.js';
import { apiError } from '../../platform/http/error-codes.js';
import type { MicroDollars } from '../../platform/money/micro-dollars.js';
import type { SecretBox } from '../../platform/secrets/secret-box.js';
import { GatheredInserts } from '../../platform/store/gathered-inserts.js';
import { ownedBy, type TenantScope } from '../../platform/store/tenant-scope.js';
import type { Carriers } from '../../telephony/carriers/carriers.js';
import type { CarrierName } from '../../telephony/carriers/port.js';
import type { PhonesService } from '../../telephony/phones/service.js';
import type { AgentDirectory, AgentForCall } from '../plan/agent-directory.js';
import { asRecorded, openingWords } from '../plan/as-recorded.js';
import type { CallBilling } from '../plan/call-billing.js';
import { gateAgent } from '../plan/gate-agent.js';
import { renderVariables, type Variables } from '../plan/variables.js';
import { statusEntry } from '../record/call-changes.js';
import { freezeAgent } from '../record/frozen-agent.js';
import type { CallDocument, CallModel } from '../record/model.js';
import { PENDING_STATUS } from '../record/pending-status.js';
import type { CallCreate, CallCreateResponse } from '../record/schemas.js';
import { LEASE_MS, type LeasedCall } from './dispatch-lease.js';
import type { Dispatcher } from './dispatcher.js';

/** For how long a queued call looks for a place, in ms. */
const DISPATCH_DEADLINE_MS = 60_000;

export interface NewCall {
  readonly id: string;
  /** True when no earlier attempt of the same request can have made the call. */
  readonly isNew?: boolean;
  readonly request: CallCreate;
  /** Whose contact it calls, where it belongs to a campaign. */
  readonly campaign?: { readonly campaignId: string; readonly contactId: string };
}

export interface CreateCallOptions {
  readonly calls: CallModel;
  readonly agents: AgentDirectory;
  readonly phones: PhonesService;
  readonly gate: ComplianceGate;
  /** Refuses with 402 when the tenant may not spend any more. */
  readonly admitSpending: CallBilling['admit'];
  readonly minuteHold: CallBilling['minuteHold'];
  readonly carriers: Carriers;
  readonly dispatcher: Dispatcher;
  readonly secrets: SecretBox;
  readonly vendors: Config['vendors'];
  readonly clock: Clock;
  readonly log: Log;
  readonly dispatchDeadlineMs?: number;
}

/** Fills the call's variables into the agent. */
function withVariables(agent: AgentSnapshot, variables: Variables): AgentSnapshot {
  return {
    ...agent,
    system_prompt: renderVariables(agent.system_prompt, variables),
    first_message: renderVariables(agent.first_message, variables),
  };
}

/** Takes outbound calls: every check first, then the document that is the promise, then dispatch. */
export class CreateCall {
  readonly #options: CreateCallOptions;
  readonly #inserts: GatheredInserts<CallDocument>;

  constructor(options: CreateCallOptions) {
    this.#options = options;
    this.#inserts = new GatheredInserts(options.calls);
  }

  async create(
    scope: TenantScope,
    { id, isNew = false, request, campaign }: NewCall,
  ): Promise<CallCreateResponse> {
    const { agents, phones, gate, carriers, dispatcher, calls, admitSpending } = this.#options;
    const { tenant, sandbox } = scope;
    if (!isNew) {
      const earlier = await calls.findOne({ _id: id, ...ownedBy(scope) }).lean<CallDocument>();
      if (earlier) return answer(earlier);
    }
    // Asked for at the same time; refused in this order.
    const finding = agents.snapshot(tenant, request.agent_id);
    const verifying = phones.requireCallerId(scope, request.from_number);
    const hold = async () => this.#holdOf((await finding).snapshot, (await verifying).provider, request);
    const [found, spending, verified] = await Promise.allSettled([
      finding,
      admitSpending(scope, hold),
      verifying,
    ]);
    const agent = settledAs(found);
    if (!agent.isActive) throw apiError('agent_inactive');
    requireRunnable(agent.snapshot, this.#options.vendors);
    if (sandbox && !testNumber(request.to_number)) throw apiError('sandbox_number_required');
    settledAs(spending);
    const callerId = settledAs(verified);
    const carrier = carriers.require(sandbox ? 'simulated' : callerId.provider);
    const judged = gateAgent(agent, request.variables);
    const admitted = await gate.admit(
      scope,
      {
        fromNumber: request.from_number,
        toNumber: request.to_number,
        agent: judged,
        contactId: campaign?.contactId,
      },
      request.compliance_check_id,
    );
    const heard = asRecorded(withVariables(agent.snapshot, request.variables), admitted.recording);
    const call = this.#document(admitted, {
      id,
      scope,
      request,
      campaign,
      carrier: carrier.name,
      disclosure: openingWords(judged.disclosure, admitted.recording, agent.recordingAnnouncement),
      agent: heard,
      agentVersion: agent.version,
      analysis: agent.analysis,
      holdPerMinute: this.#holdOf(heard, carrier.name, request),
    });
    if (!(await this.#inserts.insert(call))) {
      // The same request made it before, and its dispatching is under way.
      return answer(
        await calls
          .findOne({ _id: id, ...ownedBy(scope) })
          .orFail()
          .lean<CallDocument>(),
      );
    }
    this.#options.log.info(
      { call_id: id, tenant, sandbox, to: maskPhoneNumber(request.to_number), agent_id: request.agent_id },
      'call queued',
    );
    dispatcher.begin(tenant, { call, agent: heard, admitted });
    return answer(call);
  }

  /** Returns what a minute of the call is taken to cost until it is known, in micro-dollars. */
  #holdOf(agent: AgentSnapshot, carrier: CarrierName, { to_number: toNumber }: CallCreate): MicroDollars {
    return this.#options.minuteHold({ agent, carrier, direction: 'outbound', toNumber });
  }

  #document(
    admitted: AdmittedCheck,
    call: {
      readonly id: string;
      readonly scope: TenantScope;
      readonly request: CallCreate;
      readonly campaign: NewCall['campaign'];
      readonly carrier: CallDocument['carrier'];
      readonly disclosure: string | null;
      readonly agent: AgentSnapshot;
      readonly agentVersion: number;
      readonly analysis: AgentForCall['analysis'];
      readonly holdPerMinute: MicroDollars;
    },
  ): LeasedCall {
    const { id, scope, request } = call;
    if (!admitted.covers(scope, request.to_number)) throw apiError('compliance_check_mismatch');
    const now = this.#options.clock.now();
    const at = new Date(now);
    return {
      _id: id,
      ...ownedBy(scope),
      created_at: at,
      updated_at: at,
      agent_id: request.agent_id,
      agent_version: call.agentVersion,
      status: 'QUEUED',
      direction: 'outbound',
      from_number: request.from_number,
      to_number: request.to_number,
      campaign_id: call.campaign?.campaignId ?? null,
      contact_id: call.campaign?.contactId ?? null,
      compliance_check_id: admitted.id,
      agent_snapshot: freezeAgent(this.#options.secrets, { _id: id, tenant_id: scope.tenant }, call.agent),
      disclosure: call.disclosure,
      analysis_settings: JSON.stringify(call.analysis),
      hold_per_minute: call.holdPerMinute,
      cost: null,
      publish_due_at: null,
      end_held_until: null,
      published: [],
      published_at: null,
      lost_at: null,
      spool_due_at: null,
      post_call_due_at: null,
      post_call_done: [],
      post_call_attempts: 0,
      post_call_unfinished: 0,
      post_call_lease_owner: null,
      post_call_lease_until: new Date(0),
      variables: JSON.stringify(request.variables),
      metadata: JSON.stringify(request.metadata),
      carrier: call.carrier,
      carrier_call_id: null,
      carrier_ended_at: null,
      answered_by: null,
      worker_id: null,
      placed_at: null,
      media_started_at: null,
      dispatch_stage: 'waiting',
      dispatch_lease_owner: newId(),
      dispatch_lease_until: new Date(now + LEASE_MS),
      dispatch_deadline_at: new Date(now + (this.#options.dispatchDeadlineMs ?? DISPATCH_DEADLINE_MS)),
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
      transfer_id: null,
      [PENDING_STATUS]: null,
      timeline: [statusEntry(id, 'QUEUED', now, { compliance_check_id: admitted.id })],
    };
  }
}

/** Returns the value; throws what was thrown instead of it. */
function settledAs<Value>(result: PromiseSettledResult<Value>): Value {
  if (result.status === 'rejected') throw result.reason;
  return result.value;
}

function answer(call: CallDocument): CallCreateResponse {
  return {
    id: call._id,
    call_id: call._id,
    status: 'queued',
    // An outbound call always has one.
    compliance_check_id: call.compliance_check_id!,
  };
}
