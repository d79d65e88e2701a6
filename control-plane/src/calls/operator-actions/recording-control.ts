import { apiError } from '../../platform/http/error-codes.js';
import type { SecretBox } from '../../platform/secrets/secret-box.js';
import type { TenantScope } from '../../platform/store/tenant-scope.js';
import type { WorkerCommands } from '../../workers/commands.js';
import { thawAgent } from '../record/frozen-agent.js';
import type { CallModel } from '../record/model.js';
import { requireActive, requireTaken } from './active-call.js';
import type { AskedAction, OperatorAudit } from './audit.js';

export interface RecordingControlOptions {
  readonly calls: CallModel;
  readonly audit: OperatorAudit;
  readonly commands: WorkerCommands;
  readonly secrets: SecretBox;
}

const COMMANDS = { pause: 'pause_recording', resume: 'resume_recording' } as const;

/** Pauses and resumes the recording of a live call. */
export class RecordingControl {
  readonly #options: RecordingControlOptions;

  constructor(options: RecordingControlOptions) {
    this.#options = options;
  }

  /** Throws 404 `call_not_found`, 409 `call_not_active` and `not_recorded`, 503 `worker_unreachable`. */
  async change(
    scope: TenantScope,
    callId: string,
    change: keyof typeof COMMANDS,
    { id, ...by }: Pick<AskedAction, 'id' | 'apiKeyId' | 'actor'>,
  ): Promise<void> {
    const { calls, audit, commands, secrets } = this.#options;
    const call = await requireActive(calls, scope, callId);
    // As this call has its agent: compliance may have switched the recording off.
    if (!thawAgent(secrets, call).recording.enabled) throw apiError('not_recorded');
    const kind = COMMANDS[change];
    await audit.run(scope.tenant, { id, callId, action: kind, ...by, details: {} }, async () =>
      requireTaken(await commands.send(call, `action:${id}`, { kind })),
    );
  }
}
