import type { Clock } from '@voice/shared/clock/clock';
import { asTenantId, derivedId, type TenantId } from '@voice/shared/ids/ids';
import type { Connection } from 'mongoose';
import type { Actor } from '../platform/http/actor.js';
import { apiError } from '../platform/http/error-codes.js';
import type { CursorCodec } from '../platform/http/pagination.js';
import type { SecretBox } from '../platform/secrets/secret-box.js';
import { TenantCollection } from '../platform/store/tenant-collection.js';
import type { TenantEvents } from '../webhooks/events/tenant-events.js';
import {
  type AgentDefinition,
  type AgentModel,
  type AgentRow,
  definitionColumns,
  openDefinition,
  PENDING_SWITCH,
  type PendingSwitchEvent,
  secretsOf,
} from './model.js';
import { AgentVersions, changedFields } from './versions/versions.js';

/** Changes of one agent at the same time are tried again this often before the client gets an error. */
const CHANGE_ATTEMPTS = 10;
const PENDING_BATCH = 100;

interface AgentChangesOptions {
  readonly store: Connection;
  readonly model: AgentModel;
  readonly clock: Clock;
  readonly cursors: CursorCodec;
  readonly secrets: SecretBox;
  readonly events: TenantEvents;
}

/** Who changes an agent: their mode for the events, their name for the versions. */
export interface AgentEditor {
  readonly sandbox: boolean;
  readonly actor: Actor | null;
}

/** Changes agents: none undoes another, each leaves a version behind, and a switch publishes its event once. */
export class AgentChanges {
  readonly versions: AgentVersions;
  readonly #agents;
  /** For the pending events of every tenant's agents after a crash. */
  readonly #allAgents;
  readonly #options: AgentChangesOptions;

  constructor(options: AgentChangesOptions) {
    this.#allAgents = options.model;
    this.#agents = new TenantCollection(this.#allAgents);
    this.#options = options;
    this.versions = new AgentVersions({ ...options, find: (tenant, id) => this.find(tenant, id) });
  }

  /** Throws `agent_not_found`. */
  async find(tenant: TenantId, id: string): Promise<AgentRow> {
    const row = await this.#agents.get(tenant, id);
    if (!row) throw apiError('agent_not_found');
    return row;
  }

  /** Read, decide, write if nobody wrote in between; so that two changes of different fields both stay. */
  async change(
    tenant: TenantId,
    id: string,
    { sandbox, actor }: AgentEditor,
    decide: (current: AgentDefinition) => AgentDefinition | Promise<AgentDefinition>,
  ): Promise<AgentRow> {
    for (let attempt = 0; attempt < CHANGE_ATTEMPTS; attempt++) {
      const row = await this.find(tenant, id);
      if (row[PENDING_SWITCH]) await this.#publishSwitch(row);
      const now = new Date(this.#options.clock.now());
      const revision = row.revision + 1;
      const before = openDefinition(row);
      const columns = definitionColumns(
        this.#options.secrets,
        id,
        await decide(before),
        secretsOf(this.#options.secrets, row),
      );
      const pending: PendingSwitchEvent | null =
        columns.is_active === row.is_active
          ? null
          : {
              event_id: derivedId(id, `is_active:${revision}`),
              is_active: columns.is_active,
              sandbox,
              at: now,
            };
      const next: AgentRow = {
        ...row,
        ...columns,
        [PENDING_SWITCH]: pending,
        revision,
        changed: changedFields(before, openDefinition(columns)),
        author: actor,
        updated_at: now,
      };
      await this.versions.keep(tenant, row);
      if (await this.#agents.replace(tenant, { _id: id, revision: row.revision }, next)) {
        if (pending) await this.#publishSwitch(next);
        return next;
      }
    }
    throw apiError('conflict', undefined, { retryable: true, retryAfterSeconds: 1 });
  }

  /** Publishes the events of switches that a crash left pending. */
  async publishPending(): Promise<void> {
    const rows = await this.#allAgents
      .find({ [`${PENDING_SWITCH}.at`]: { $gt: new Date(0) } })
      .limit(PENDING_BATCH)
      .lean<AgentRow[]>();
    for (const row of rows) await this.#publishSwitch(row);
  }

  /** Publishes the event of a switch. Publishing again is safe: the event's id is the switch's own. */
  async #publishSwitch({ _id, tenant_id, [PENDING_SWITCH]: pending }: AgentRow): Promise<void> {
    if (!pending) return;
    await this.#options.events.emit({
      id: pending.event_id,
      type: pending.is_active ? 'agent.activated' : 'agent.deactivated',
      tenant: asTenantId(tenant_id),
      sandbox: pending.sandbox,
      occurredAt: pending.at.getTime(),
      data: { agent_id: _id },
    });
    await this.#allAgents.updateOne(
      { _id, tenant_id, [`${PENDING_SWITCH}.event_id`]: pending.event_id },
      { $set: { [PENDING_SWITCH]: null } },
    );
  }
}
