import type { Clock } from '@voice/shared/clock/clock';
import type { TenantId } from '@voice/shared/ids/ids';
import type { Actor } from '../../platform/http/actor.js';
import { isDuplicateKey } from '../../platform/http/errors.js';
import { NEWEST_FIRST } from '../../platform/http/pagination.js';
import type { OperatorActionKind, OperatorActionModel, OperatorActionRow } from './model.js';

/** An action as it is asked for. */
export interface AskedAction {
  /** The same for every retry of the request, so that it is one row and one command. */
  readonly id: string;
  readonly callId: string;
  readonly action: OperatorActionKind;
  readonly apiKeyId: string;
  readonly actor: Actor | null;
  readonly details: object;
}

/** The audit log of what operators do to calls. The row is there before the command leaves. */
export class OperatorAudit {
  readonly #actions: OperatorActionModel;
  readonly #clock: Clock;

  constructor(actions: OperatorActionModel, clock: Clock) {
    this.#actions = actions;
    this.#clock = clock;
  }

  /** Writes the row and then runs the command; what the command throws is noted and thrown on. */
  async run<T>(tenant: TenantId, asked: AskedAction, command: () => Promise<T>): Promise<T> {
    await this.#write(tenant, asked);
    try {
      const result = await command();
      await this.#settle(tenant, asked.id, null);
      return result;
    } catch (error) {
      await this.#settle(tenant, asked.id, codeOf(error));
      throw error;
    }
  }

  /** Lists the whole log of a call, newest first. */
  list(tenant: TenantId, callId: string): Promise<OperatorActionRow[]> {
    return this.#actions
      .find({ tenant_id: tenant, call_id: callId })
      .sort(NEWEST_FIRST)
      .lean<OperatorActionRow[]>()
      .exec();
  }

  /** Empties what operators wrote and the names in it; who did what, and when, stays. */
  async erase(tenant: TenantId, callId: string): Promise<void> {
    await this.#actions.updateMany({ tenant_id: tenant, call_id: callId }, { $set: { details: '{}' } });
  }

  async #write(tenant: TenantId, asked: AskedAction): Promise<void> {
    const { id, callId, action, apiKeyId, actor, details } = asked;
    const row: OperatorActionRow = {
      _id: id,
      tenant_id: tenant,
      call_id: callId,
      action,
      api_key_id: apiKeyId,
      actor,
      details: JSON.stringify(details),
      status: 'requested',
      error_code: null,
      created_at: new Date(this.#clock.now()),
      completed_at: null,
    };
    try {
      await this.#actions.collection.insertOne(row as never);
    } catch (error) {
      // The same request, sent again after its first try died: its row stands.
      if (!isDuplicateKey(error)) throw error;
    }
  }

  async #settle(tenant: TenantId, id: string, errorCode: string | null): Promise<void> {
    await this.#actions.updateOne(
      { _id: id, tenant_id: tenant, status: 'requested' },
      {
        $set: {
          status: errorCode === null ? 'carried_out' : 'failed',
          error_code: errorCode,
          completed_at: new Date(this.#clock.now()),
        },
      },
    );
  }
}

function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
    ? error.code
    : 'internal_error';
}
