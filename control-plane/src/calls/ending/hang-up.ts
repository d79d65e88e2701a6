import type { Clock } from '@voice/shared/clock/clock';
import type { Actor } from '../../platform/http/actor.js';
import { apiError } from '../../platform/http/error-codes.js';
import { ownedBy, type TenantScope } from '../../platform/store/tenant-scope.js';
import type { WorkerCommands } from '../../workers/commands.js';
import type { OperatorAudit } from '../operator-actions/audit.js';
import { recordOnce } from '../record/call-changes.js';
import { isTerminal } from '../record/call-state.js';
import type { CallDocument, CallModel } from '../record/model.js';
import type { CallEnding } from './call-ending.js';

export type HangUpOutcome = 'hanging_up' | 'already_ended';

interface HangUpOptions {
  readonly calls: CallModel;
  readonly ending: CallEnding;
  readonly commands: WorkerCommands;
  readonly audit: OperatorAudit;
  readonly clock: Clock;
}

/** Ends a call at a tenant's wish. */
export class HangUp {
  readonly #options: HangUpOptions;

  constructor(options: HangUpOptions) {
    this.#options = options;
  }

  async hangUp(
    scope: TenantScope,
    callId: string,
    asked: {
      readonly id: string;
      readonly by: string;
      readonly actor: Actor | null;
      readonly reason?: string;
    },
  ): Promise<HangUpOutcome> {
    const call = await this.#options.calls.findOne({ _id: callId, ...ownedBy(scope) }).lean<CallDocument>();
    if (!call) throw apiError('call_not_found');
    if (isTerminal(call.status)) return 'already_ended';
    const { id, by, actor } = asked;
    const details = { reason: asked.reason ?? null };
    return this.#options.audit.run(
      scope.tenant,
      { id, callId, action: 'hangup', apiKeyId: by, actor, details },
      () => this.#end(scope.tenant, call, asked),
    );
  }

  async #end(
    tenant: TenantScope['tenant'],
    call: CallDocument,
    asked: { readonly by: string; readonly reason?: string },
  ): Promise<HangUpOutcome> {
    const callId = call._id;
    const now = this.#options.clock.now();
    await recordOnce(
      this.#options.calls,
      tenant,
      callId,
      {
        name: 'hangup_requested',
        type: 'call.hangup_requested',
        at: now,
        data: { api_key_id: asked.by, reason: asked.reason ?? null },
      },
      { hangup_requested_at: new Date(now) },
    );
    if (call.media_started_at) {
      // The worker ends it gracefully and says so; one that is gone is dealt with by the sweep.
      const outcome = await this.#options.commands.send(call, 'operator_hangup', {
        kind: 'hang_up',
        reason: 'operator_hangup',
      });
      if (outcome === 'unreachable' || outcome === 'not_held')
        await this.#options.ending.hangUpAtCarrier(call);
      return 'hanging_up';
    }
    const unanswered = call.status !== 'IN_PROGRESS';
    const ended = await this.#options.ending.end(
      tenant,
      callId,
      {
        to: 'ended',
        at: now,
        cause: 'operator',
        endReason: 'operator_hangup',
        ...(unanswered
          ? {
              status: 'FAILED',
              errorCode: 'cancelled',
              errorMessage: 'Hung up before it was answered.',
            }
          : {}),
      },
      'control_plane',
    );
    return ended?.applied ? 'hanging_up' : 'already_ended';
  }
}
