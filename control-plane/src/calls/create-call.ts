import type { Clock } from '@voice/shared/clock/clock';
import type { AgentSnapshot } from '@voice/shared/contracts/agent';
import { testNumber } from '@voice/shared/contracts/test-numbers';
import type { TenantId } from '@voice/shared/ids/ids';
import { type Log, maskPhoneNumber } from '@voice/shared/log/log';
import type { Carriers } from '../carriers/carriers.js';
import type { AllowedCheck } from '../compliance/allowed-check.js';
import type { ComplianceGate } from '../compliance/gate.js';
import { apiError } from '../http/error-codes.js';
import { isDuplicateKey } from '../http/errors.js';
import type { PhonesService } from '../phones/service.js';
import type { SecretBox } from '../secrets/secret-box.js';
import type { AgentDirectory, AgentForCall } from './agent-directory.js';
import { asRecorded, openingWords } from './as-recorded.js';
import { statusEntry } from './call-changes.js';
import type { Dispatcher } from './dispatcher.js';
import { freezeAgent } from './frozen-agent.js';
import { gateAgent } from './gate-agent.js';
import type { CallDocument, CallModel } from './model.js';
import type { CallCreate, CallCreateResponse } from './schemas.js';
import { renderVariables, type Variables } from './variables.js';

/** For how long a queued call looks for a place, in ms. */
export const DISPATCH_DEADLINE_MS = 60_000;

export interface NewCall {
  readonly id: string;
  readonly sandbox: boolean;
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
  readonly admitSpending: (tenant: TenantId, sandbox: boolean) => Promise<void>;
  readonly carriers: Carriers;
  readonly dispatcher: Dispatcher;
  readonly secrets: SecretBox;
  readonly clock: Clock;
  readonly log: Log;
  readonly dispatchDeadlineMs?: number;
}

/** The agent as this call will hear it. */
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

  constructor(options: CreateCallOptions) {
    this.#options = options;
  }

  async create(tenant: TenantId, { id, sandbox, request, campaign }: NewCall): Promise<CallCreateResponse> {
    const { agents, phones, gate, carriers, dispatcher, calls, admitSpending } = this.#options;
    const earlier = await calls.findOne({ _id: id, tenant_id: tenant }).lean<CallDocument>();
    if (earlier) return answer(earlier);
    const agent = await agents.snapshot(tenant, request.agent_id);
    if (!agent.isActive) throw apiError('agent_inactive');
    if (sandbox && !testNumber(request.to_number)) throw apiError('sandbox_number_required');
    await admitSpending(tenant, sandbox);
    const callerId = await phones.requireCallerId(tenant, request.from_number, sandbox);
    const carrier = carriers.require(sandbox ? 'simulated' : callerId.provider);
    const judged = gateAgent(agent, request.variables);
    const admitted = await gate.admit(
      tenant,
      {
        fromNumber: request.from_number,
        toNumber: request.to_number,
        agent: judged,
      },
      request.compliance_check_id,
    );
    const call = await this.#store(
      this.#document(admitted, {
        id,
        tenant,
        sandbox,
        request,
        campaign,
        carrier: carrier.name,
        disclosure: openingWords(judged.disclosure, admitted.recording, agent.recordingAnnouncement),
        agent: asRecorded(withVariables(agent.snapshot, request.variables), admitted.recording),
        analysis: agent.analysis,
      }),
    );
    this.#options.log.info(
      { call_id: id, tenant, sandbox, to: maskPhoneNumber(request.to_number), agent_id: request.agent_id },
      'call queued',
    );
    dispatcher.start(tenant, call._id);
    return answer(call);
  }

  /** Inserts the call; a retry of the same request finds the one that it made before. */
  async #store(call: CallDocument): Promise<CallDocument> {
    const { calls } = this.#options;
    try {
      await calls.create(call);
      return call;
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      return calls.findOne({ _id: call._id, tenant_id: call.tenant_id }).orFail().lean<CallDocument>();
    }
  }

  #document(
    admitted: AllowedCheck,
    call: {
      readonly id: string;
      readonly tenant: TenantId;
      readonly sandbox: boolean;
      readonly request: CallCreate;
      readonly campaign: NewCall['campaign'];
      readonly carrier: CallDocument['carrier'];
      readonly disclosure: string | null;
      readonly agent: AgentSnapshot;
      readonly analysis: AgentForCall['analysis'];
    },
  ): CallDocument {
    const { id, tenant, request } = call;
    if (!admitted.covers(tenant, request.to_number)) throw apiError('compliance_check_mismatch');
    const now = this.#options.clock.now();
    const at = new Date(now);
    return {
      _id: id,
      tenant_id: tenant,
      created_at: at,
      updated_at: at,
      agent_id: request.agent_id,
      status: 'QUEUED',
      direction: 'outbound',
      from_number: request.from_number,
      to_number: request.to_number,
      sandbox: call.sandbox,
      campaign_id: call.campaign?.campaignId ?? null,
      contact_id: call.campaign?.contactId ?? null,
      compliance_check_id: admitted.id,
      agent_snapshot: freezeAgent(this.#options.secrets, { _id: id, tenant_id: tenant }, call.agent),
      disclosure: call.disclosure,
      analysis_settings: JSON.stringify(call.analysis),
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
      dispatch_lease_owner: null,
      dispatch_lease_until: at,
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
      untold: null,
      timeline: [statusEntry(id, 'QUEUED', now, { compliance_check_id: admitted.id })],
    };
  }
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
