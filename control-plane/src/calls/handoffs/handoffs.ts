import type { Clock } from '@voice/shared/clock/clock';
import type { AgentSnapshot } from '@voice/shared/contracts/agent';
import type { CallPlan } from '@voice/shared/contracts/call-plan';
import type { HandoffReply, HandoffRequest } from '@voice/shared/contracts/handoff';
import { ServiceError } from '@voice/shared/errors/service-error';
import { requireRunnable } from '../../agents/runnable.js';
import type { Config } from '../../config.js';
import { apiError } from '../../platform/http/error-codes.js';
import type { SecretBox } from '../../platform/secrets/secret-box.js';
import type { AccountsOf } from '../../vendors/keys/service.js';
import type { AgentDirectory } from '../plan/agent-directory.js';
import type { CallBilling } from '../plan/call-billing.js';
import { speakingPart } from '../plan/call-plan.js';
import { renderVariables, type Variables } from '../plan/variables.js';
import { type GrantedHandoff, openHandoffs, sealHandoffs } from '../record/call-handoffs.js';
import { LIVE_STATUSES } from '../record/call-state.js';
import { thawAgent } from '../record/frozen-agent.js';
import type { CallDocument, CallModel } from '../record/model.js';
import { tenantOf } from '../record/tenant-of.js';
import { handoffRefusal } from './handoff-rules.js';

/** What of a plan an agent brings. */
type SpeakingPart = Pick<CallPlan, 'call_id' | 'agent' | 'credentials'>;

export interface HandoffsOptions {
  readonly calls: CallModel;
  readonly agents: AgentDirectory;
  readonly secrets: SecretBox;
  readonly vendors: Config['vendors'];
  readonly accounts: AccountsOf;
  readonly minuteHold: CallBilling['minuteHold'];
  /** Final transform before what a plan holds is sent to a worker. */
  readonly preparePlan: ((part: SpeakingPart) => SpeakingPart) | undefined;
  readonly clock: Clock;
}

/** Gives workers the agents that live calls are handed to: of the call's own tenant, as often as the rules allow. */
export class Handoffs {
  readonly #options: HandoffsOptions;

  constructor(options: HandoffsOptions) {
    this.#options = options;
  }

  /** Throws `call_not_found` for a call that is not live; everything that the model can use is a reply. */
  async grant(request: HandoffRequest): Promise<HandoffReply> {
    const { calls, secrets } = this.#options;
    for (;;) {
      const call = await calls
        .findOne({ _id: request.call_id, status: { $in: LIVE_STATUSES } })
        .lean<CallDocument>();
      if (!call) throw apiError('call_not_found');
      const first = thawAgent(secrets, call);
      const granted = openHandoffs(secrets, call);
      const before = granted.find(
        ({ tool_call_id, agent }) => tool_call_id === request.tool_call_id && agent.id === request.agent_id,
      );
      if (before) return this.#reply(call, before.agent);
      const refusal = refusalOf(request, first, granted);
      if (refusal !== null) return { ok: false, reason: refusal };
      const target = await this.#find(call, request.agent_id);
      if ('refusal' in target) return { ok: false, reason: target.refusal };
      const agent = asContinued(target.snapshot, first, call);
      const { tool_call_id, from_agent_id, reason } = request;
      const handoff: GrantedHandoff = { tool_call_id, from_agent_id, reason, agent };
      if (await this.#keep(call, [...granted, handoff])) return this.#reply(call, agent);
    }
  }

  /** Finds an agent of the tenant that can speak in this installation, or why not. */
  async #find(
    call: CallDocument,
    agentId: string,
  ): Promise<{ readonly snapshot: AgentSnapshot } | { readonly refusal: string }> {
    const { agents, vendors } = this.#options;
    try {
      const { snapshot, isActive } = await agents.snapshot(tenantOf(call), agentId);
      if (!isActive) return { refusal: `${snapshot.name} is switched off. Go on with the caller yourself.` };
      requireRunnable(snapshot, vendors);
      return { snapshot };
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      if (error.code === 'agent_not_found') return { refusal: 'There is no such agent.' };
      if (error.code === 'provider_unavailable') {
        return { refusal: `This agent cannot speak here: ${error.message} Go on with the caller yourself.` };
      }
      throw error;
    }
  }

  /** Keeps the handoffs unless another was granted since they were read. */
  async #keep(call: CallDocument, granted: readonly GrantedHandoff[]): Promise<boolean> {
    const { calls, secrets, minuteHold } = this.#options;
    const { _id, tenant_id, carrier, direction, to_number: toNumber, hold_per_minute: hold } = call;
    const agent = granted.at(-1)!.agent;
    const { matchedCount } = await calls.updateOne(
      { _id, tenant_id, handoffs: call.handoffs ?? null },
      {
        $set: {
          handoffs: sealHandoffs(secrets, call, granted),
          // What is held back for the rest of the call is what the dearest of its agents may cost.
          ...(hold == null
            ? {}
            : { hold_per_minute: Math.max(hold, minuteHold({ agent, carrier, direction, toNumber })) }),
        },
      },
    );
    return matchedCount === 1;
  }

  async #reply(call: CallDocument, agent: AgentSnapshot): Promise<HandoffReply> {
    const { preparePlan, clock } = this.#options;
    const accounts = await this.#options.accounts({
      tenant: tenantOf(call),
      own_vendors: agent.own_vendors,
    });
    const part = { call_id: call._id, ...speakingPart(agent, accounts, clock.now()) };
    const { agent: prepared, credentials } = preparePlan?.(part) ?? part;
    return { ok: true, agent: prepared, credentials };
  }
}

function refusalOf(
  { from_agent_id: from, agent_id: to, reason }: HandoffRequest,
  first: AgentSnapshot,
  granted: readonly GrantedHandoff[],
): string | null {
  const speaks = [first, ...granted.map(({ agent }) => agent)].findLast(({ id }) => id === from);
  const mayHandOver = speaks?.tools.some(
    (tool) => tool.type === 'transfer_to_agent' && tool.agents.some(({ agent_id }) => agent_id === to),
  );
  if (!mayHandOver) return 'There is no such agent.';
  const past = granted.map((handoff) => ({ to: handoff.agent.id, reason: handoff.reason }));
  return handoffRefusal({ from, to, reason }, first.id, past);
}

/** Returns the agent as it goes on with a call: what was begun by the first one stays as it was begun. Pure. */
function asContinued(agent: AgentSnapshot, first: AgentSnapshot, call: CallDocument): AgentSnapshot {
  return {
    ...agent,
    system_prompt: renderVariables(agent.system_prompt, JSON.parse(call.variables) as Variables),
    first_message: '',
    recording: first.recording,
    voicemail: first.voicemail,
    max_duration_seconds: first.max_duration_seconds,
  };
}
