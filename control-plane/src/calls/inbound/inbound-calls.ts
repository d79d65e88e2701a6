import type { Clock } from '@voice/shared/clock/clock';
import { ServiceError } from '@voice/shared/errors/service-error';
import { derivedId } from '@voice/shared/ids/ids';
import { type Log, maskPhoneNumber } from '@voice/shared/log/log';
import type { ComplianceGate } from '../../compliance/gate.js';
import type { RecordingDirective } from '../../compliance/recording-consent.js';
import { isDuplicateKey } from '../../platform/http/errors.js';
import type { SecretBox } from '../../platform/secrets/secret-box.js';
import { keyOf, type TenantScope } from '../../platform/store/tenant-scope.js';
import type { Carrier, InboundAnswer, InboundCall } from '../../telephony/carriers/port.js';
import type { Attestations } from '../../telephony/phones/attestations.js';
import type { AnsweredNumber, PhonesService } from '../../telephony/phones/service.js';
import type { AccountsOf } from '../../vendors/keys/service.js';
import type { Placement } from '../../workers/placement.js';
import type { CallEnding, End } from '../ending/call-ending.js';
import type { AgentDirectory, AgentForCall } from '../plan/agent-directory.js';
import { asRecorded, openingWords } from '../plan/as-recorded.js';
import type { CallBilling } from '../plan/call-billing.js';
import { CARRIER_SLACK_MS, planOf, RING_TIMEOUT_SECONDS } from '../plan/call-plan.js';
import { giveBackIfStray } from '../plan/stray-place.js';
import { renderVariables } from '../plan/variables.js';
import { statusEntry } from '../record/call-changes.js';
import { isTerminal } from '../record/call-state.js';
import { freezeAgent } from '../record/frozen-agent.js';
import { HOLDS_NOTHING } from '../record/hold.js';
import type { CallDocument, CallModel } from '../record/model.js';
import { PENDING_STATUS } from '../record/pending-status.js';
import { tenantOf } from '../record/tenant-of.js';

const NOT_IN_SERVICE: InboundAnswer = {
  kind: 'say',
  text: 'Thank you for calling. Nobody can answer at this number at the moment. Goodbye.',
};
const ALL_BUSY: InboundAnswer = {
  kind: 'say',
  text: 'Thank you for calling. All our lines are busy. Please call again in a few minutes. Goodbye.',
};
/** The tenant may not spend any more; its callers need not know. */
const NOT_TAKEN: InboundAnswer = {
  kind: 'say',
  text: 'Thank you for calling. Calls to this number cannot be taken at the moment. Please try again later. Goodbye.',
};

export interface InboundCallsOptions {
  readonly calls: CallModel;
  readonly agents: AgentDirectory;
  readonly phones: PhonesService;
  /** The caller may show a number of the tenant's own. */
  readonly attestations: Pick<Attestations, 'signedByCaller'>;
  /** Decides what the recording of a call must be by the law of those on the line. */
  readonly gate: Pick<ComplianceGate, 'recordingOf'>;
  /** Refuses with 402 when the tenant may not spend any more. */
  readonly admitSpending: CallBilling['admit'];
  readonly minuteHold: CallBilling['minuteHold'];
  readonly ending: Pick<CallEnding, 'end'>;
  readonly placement: Placement;
  readonly secrets: SecretBox;
  readonly accounts: AccountsOf;
  readonly clock: Clock;
  readonly log: Log;
}

/** Takes calls to numbers of ours: the number's agent answers, or a polite word does. */
export class InboundCalls {
  readonly #options: InboundCallsOptions;

  constructor(options: InboundCallsOptions) {
    this.#options = options;
  }

  /** Returns what the carrier is to do. The same call reported twice is one call. */
  async receive(carrier: Carrier, inbound: InboundCall): Promise<InboundAnswer> {
    const { calls, agents, phones, placement, clock, log } = this.#options;
    const phone = await phones.answering(carrier.name, inbound.to);
    if (!phone) return NOT_IN_SERVICE;
    if (inbound.attestation !== null) {
      const { tenant, sandbox } = phone;
      await this.#options.attestations.signedByCaller(
        { tenant, sandbox, number: inbound.from },
        inbound.attestation,
      );
    }
    if (phone.agentId === null) return NOT_IN_SERVICE;
    const id = derivedId(phone.id, `inbound:${inbound.carrierCallId}`);
    const known = await calls.findOne({ _id: id, tenant_id: phone.tenant }).lean<CallDocument>();
    if (known?.status === 'FAILED' && known.end_reason === 'rejected') return NOT_TAKEN;
    if (known?.status === 'FAILED' && known.end_reason === 'no_capacity') return ALL_BUSY;
    // Reported again: a repeat from elsewhere must neither get the stream nor disturb it.
    if (known && (isTerminal(known.status) || known.media_started_at)) return { kind: 'hang_up' };
    const agent = await agents.snapshot(phone.tenant, phone.agentId).catch(() => null);
    if (!agent?.isActive) return NOT_IN_SERVICE;
    const call = known ?? this.#document(id, phone, carrier, inbound, agent);
    if (known?.worker_id) {
      await placement.giveBack(known.worker_id, id);
    } else {
      const refusal = await this.#refusalOf(phone, call.hold_per_minute ?? 0);
      if (refusal) {
        await this.#keepUntaken(
          { ...call, hold_per_minute: HOLDS_NOTHING },
          {
            cause: 'spending',
            endReason: 'rejected',
            errorCode: refusal.code,
            errorMessage: refusal.message,
          },
        );
        return NOT_TAKEN;
      }
      // After its admission: a call takes the place of one before it.
      if (!known) call.created_at = new Date(clock.now());
    }
    const snapshot = this.#asHeard(agent, inbound);
    const accounts = await this.#options.accounts({
      tenant: phone.tenant,
      own_vendors: snapshot.own_vendors,
    });
    const place = await placement.place(planOf(call, snapshot, carrier.link, accounts, clock.now()));
    if (place.kind !== 'placed') {
      log.warn({ call_id: id, tenant: phone.tenant, outcome: place.kind }, 'nobody can take a call');
      await this.#keepUntaken(call, {
        cause: 'placement',
        ...(place.kind === 'no_room'
          ? {
              endReason: 'no_capacity',
              errorCode: 'no_capacity',
              errorMessage: 'No media worker had a place.',
            }
          : { endReason: 'provider_failed', errorCode: place.code, errorMessage: place.message }),
      });
      return ALL_BUSY;
    }
    const worker = { worker_id: place.worker._id, placed_at: new Date(clock.now()) };
    try {
      if (known) await calls.updateOne({ _id: id, tenant_id: phone.tenant }, { $set: worker });
      else await calls.create({ ...call, ...worker });
    } catch (error) {
      if (!isDuplicateKey(error)) {
        await placement.giveBack(place.worker._id, id);
        throw error;
      }
      // Reported twice at the same moment: at the same worker it is the same place, whichever answer the carrier takes.
      const isStray = await giveBackIfStray({ calls, placement }, keyOf(call), place.worker._id);
      if (isStray) return { kind: 'hang_up' };
    }
    log.info(
      { call_id: id, tenant: phone.tenant, from: maskPhoneNumber(inbound.from), worker_id: worker.worker_id },
      'inbound call',
    );
    return {
      kind: 'stream',
      callId: id,
      streamUrl: place.reservation.stream_url,
      streamToken: place.reservation.stream_token,
    };
  }

  /** Why the tenant may take no call now; null when it may. */
  async #refusalOf(scope: TenantScope, holdPerMinute: number): Promise<ServiceError | null> {
    try {
      await this.#options.admitSpending(scope, async () => holdPerMinute);
      return null;
    } catch (error) {
      if (error instanceof ServiceError && error.status === 402) return error;
      throw error;
    }
  }

  /** Keeps the call, so that the tenant sees who could not be served, and why. */
  async #keepUntaken(
    call: CallDocument,
    why: Pick<End, 'cause' | 'endReason' | 'errorCode' | 'errorMessage'>,
  ): Promise<void> {
    const { calls, ending, clock } = this.#options;
    try {
      await calls.create(call);
    } catch (error) {
      // Reported again before it was ended.
      if (!isDuplicateKey(error)) throw error;
    }
    // As if the carrier had reported it: it hangs up by itself, after the words.
    await ending.end(tenantOf(call), call._id, { to: 'ended', at: clock.now(), ...why }, 'carrier');
  }

  #asHeard(agent: AgentForCall, inbound: InboundCall): AgentForCall['snapshot'] {
    const variables = { caller_number: inbound.from };
    const heard = {
      ...agent.snapshot,
      system_prompt: renderVariables(agent.snapshot.system_prompt, variables),
      first_message: renderVariables(agent.snapshot.first_message, variables),
    };
    return asRecorded(heard, this.#recordingOf(agent, inbound));
  }

  #recordingOf(agent: AgentForCall, { from, to }: InboundCall): RecordingDirective {
    return this.#options.gate.recordingOf({ other: from, own: to }, agent.snapshot.recording);
  }

  #document(
    id: string,
    { tenant, sandbox }: AnsweredNumber,
    carrier: Carrier,
    inbound: InboundCall,
    agent: AgentForCall,
  ): CallDocument {
    const now = this.#options.clock.now();
    const at = new Date(now);
    const variables = { caller_number: inbound.from };
    return {
      _id: id,
      tenant_id: tenant,
      created_at: at,
      updated_at: at,
      agent_id: agent.snapshot.id,
      agent_version: agent.version,
      status: 'RINGING',
      direction: 'inbound',
      from_number: inbound.from,
      to_number: inbound.to,
      sandbox,
      campaign_id: null,
      contact_id: null,
      compliance_check_id: null,
      agent_snapshot: freezeAgent(
        this.#options.secrets,
        { _id: id, tenant_id: tenant },
        this.#asHeard(agent, inbound),
      ),
      analysis_settings: JSON.stringify(agent.analysis),
      disclosure: openingWords(
        agent.disclosure && renderVariables(agent.disclosure, variables),
        this.#recordingOf(agent, inbound),
        agent.recordingAnnouncement,
      ),
      variables: JSON.stringify(variables),
      metadata: '{}',
      hold_per_minute: this.#options.minuteHold({
        agent: agent.snapshot,
        carrier: carrier.name,
        direction: 'inbound',
        toNumber: inbound.to,
      }),
      carrier: carrier.name,
      carrier_call_id: inbound.carrierCallId,
      carrier_ended_at: null,
      answered_by: null,
      worker_id: null,
      placed_at: null,
      media_started_at: null,
      dispatch_stage: 'dialed',
      dispatch_lease_owner: null,
      dispatch_lease_until: at,
      dispatch_deadline_at: at,
      ring_deadline_at: new Date(now + RING_TIMEOUT_SECONDS * 1000 + CARRIER_SLACK_MS),
      hangup_requested_at: null,
      queued_at: at,
      ringing_at: at,
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
      timeline: [statusEntry(id, 'RINGING', now, { cause: 'carrier:inbound' })],
    };
  }
}
