import type { Actor } from '../../platform/http/actor.js';
import { apiError } from '../../platform/http/error-codes.js';
import type { TenantScope } from '../../platform/store/tenant-scope.js';
import type { WorkerCommands } from '../../workers/commands.js';
import type { AgentDirectory } from '../plan/agent-directory.js';
import type { CallDocument, CallModel } from '../record/model.js';
import { requireInProgress, requireTaken } from './active-call.js';
import type { OperatorAudit } from './audit.js';

interface Asked {
  /** Of the action: the same for every retry of the request. */
  readonly id: string;
  readonly apiKeyId: string;
  readonly actor: Actor | null;
}

interface CallNotesOptions {
  readonly calls: CallModel;
  readonly agents: AgentDirectory;
  readonly audit: OperatorAudit;
  readonly commands: WorkerCommands;
}

/**
 * Notes of operators that the agent of a live call takes into account; the other side does not hear them. A call may
 * be answered before its media start: its worker keeps the note until the agent can read it.
 */
export class CallNotes {
  readonly #options: CallNotesOptions;

  constructor(options: CallNotesOptions) {
    this.#options = options;
  }

  async whisper(scope: TenantScope, callId: string, text: string, asked: Asked): Promise<void> {
    const call = await requireInProgress(this.#options.calls, scope, callId);
    await this.#options.audit.run(
      scope.tenant,
      { ...asked, callId, action: 'whisper', details: { text } },
      () => this.#send(call, asked.id, text),
    );
  }

  /** Sends a preset of the call's agent as a whisper; throws 404 `nudge_preset_not_found`. */
  async nudge(scope: TenantScope, callId: string, presetId: string, asked: Asked): Promise<void> {
    const call = await requireInProgress(this.#options.calls, scope, callId);
    const { nudgePresets } = await this.#options.agents.snapshot(scope.tenant, call.agent_id);
    const preset = nudgePresets.find(({ id }) => id === presetId);
    if (!preset) throw apiError('nudge_preset_not_found');
    const details = { preset_id: presetId, label: preset.label, text: preset.text };
    await this.#options.audit.run(scope.tenant, { ...asked, callId, action: 'nudge', details }, () =>
      this.#send(call, asked.id, preset.text),
    );
  }

  async #send(call: CallDocument, actionId: string, text: string): Promise<void> {
    const outcome = await this.#options.commands.send(call, `action:${actionId}`, { kind: 'whisper', text });
    requireTaken(outcome);
  }
}
