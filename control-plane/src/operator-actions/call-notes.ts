import type { TenantId } from '@voice/shared/ids/ids';
import type { AgentDirectory } from '../calls/agent-directory.js';
import type { CallDocument, CallModel } from '../calls/model.js';
import { apiError } from '../http/error-codes.js';
import type { WorkerCommands } from '../workers/commands.js';
import type { OperatorAudit } from './audit.js';

interface Asked {
  /** Of the action: the same for every retry of the request. */
  readonly id: string;
  readonly apiKeyId: string;
}

/** Notes of operators that the agent of a live call takes into account; the other side does not hear them. */
export class CallNotes {
  readonly #calls: CallModel;
  readonly #agents: AgentDirectory;
  readonly #audit: OperatorAudit;
  readonly #commands: WorkerCommands;

  constructor(options: {
    readonly calls: CallModel;
    readonly agents: AgentDirectory;
    readonly audit: OperatorAudit;
    readonly commands: WorkerCommands;
  }) {
    this.#calls = options.calls;
    this.#agents = options.agents;
    this.#audit = options.audit;
    this.#commands = options.commands;
  }

  async whisper(tenant: TenantId, callId: string, text: string, asked: Asked): Promise<void> {
    const call = await this.#requireActive(tenant, callId);
    await this.#audit.run(tenant, { ...asked, callId, action: 'whisper', details: { text } }, () =>
      this.#send(call, asked.id, text),
    );
  }

  /** A preset of the call's agent as a whisper; throws 404 `nudge_preset_not_found`. */
  async nudge(tenant: TenantId, callId: string, presetId: string, asked: Asked): Promise<void> {
    const call = await this.#requireActive(tenant, callId);
    const { nudgePresets } = await this.#agents.snapshot(tenant, call.agent_id);
    const preset = nudgePresets.find(({ id }) => id === presetId);
    if (!preset) throw apiError('nudge_preset_not_found');
    const details = { preset_id: presetId, label: preset.label, text: preset.text };
    await this.#audit.run(tenant, { ...asked, callId, action: 'nudge', details }, () =>
      this.#send(call, asked.id, preset.text),
    );
  }

  async #requireActive(tenant: TenantId, callId: string): Promise<CallDocument> {
    const call = await this.#calls.findOne({ _id: callId, tenant_id: tenant }).lean<CallDocument>();
    if (!call) throw apiError('call_not_found');
    if (call.status !== 'IN_PROGRESS' || !call.media_started_at) throw apiError('call_not_active');
    return call;
  }

  async #send(call: CallDocument, actionId: string, text: string): Promise<void> {
    const outcome = await this.#commands.send(call, `action:${actionId}`, { kind: 'whisper', text });
    switch (outcome) {
      case 'accepted':
        return;
      case 'already_ended':
      case 'not_held':
        throw apiError('call_not_active');
      case 'unreachable':
        throw apiError('worker_unreachable', undefined, { retryable: true, retryAfterSeconds: 1 });
    }
  }
}
