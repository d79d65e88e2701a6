import type { Clock } from '@voice/shared/clock/clock';
import type { AddressPolicy } from '@voice/shared/egress/address-policy';
import type { TenantId } from '@voice/shared/ids/ids';
import type { Connection } from 'mongoose';
import type { Actor } from '../platform/http/actor.js';
import { isDuplicateKey } from '../platform/http/errors.js';
import { after, type CursorCodec, NEWEST_FIRST, pageOf } from '../platform/http/pagination.js';
import { totalOf } from '../platform/http/totals.js';
import { parseOrRefuse } from '../platform/http/validation.js';
import type { SecretBox } from '../platform/secrets/secret-box.js';
import { TenantCollection } from '../platform/store/tenant-collection.js';
import type { TenantEvents } from '../webhooks/events/tenant-events.js';
import { AgentChanges, type AgentEditor } from './agent-changes.js';
import { AgentPreviews } from './agent-previews.js';
import { withSecrets } from './agent-secrets.js';
import { requireKnownTargets } from './handoff-targets.js';
import {
  type AgentDefinition,
  type AgentRow,
  agentModel,
  definitionColumns,
  openDefinition,
  PENDING_SWITCH,
  secretsOf,
} from './model.js';
import { presetsOf, withPresetIds } from './nudge-presets.js';
import { type AgentForCall, OpenedAgents } from './opened-agents.js';
import { requireUsable } from './outside-world.js';
import { applyPatch } from './patch.js';
import { type Installation, listProviders, type ProviderListResponse } from './provider-list.js';
import { isExperimental } from './provider-matrix.js';
import { warningsOf } from './runnable.js';
import {
  type AgentCreate,
  type AgentListResponse,
  type AgentResponse,
  type AgentSettings,
  type AgentUpdate,
  agentSettings,
  coherentSettings,
  type NudgePresetsResponse,
  type UnknownAction,
} from './schemas.js';
import { withHeaderNames } from './secret-headers.js';
import type { AgentVersions } from './versions/versions.js';
import {
  completeVoiceConfig,
  type DefaultProviders,
  defaultProviders,
  parkedChoices,
  type VoiceConfigInput,
} from './voice-config.js';

interface AgentsPage {
  readonly offset: number;
  readonly limit: number;
  readonly active_only: boolean;
  readonly cursor?: string;
  readonly include_total?: boolean;
}

interface AgentsServiceOptions extends Installation {
  readonly store: Connection;
  readonly clock: Clock;
  readonly cursors: CursorCodec;
  readonly secrets: SecretBox;
  readonly events: TenantEvents;
  /** Where agents' tools and language models may be. */
  readonly egress: AddressPolicy;
  /** The vendors that the tenant has a key of its own for. */
  readonly ownVendors: (tenant: TenantId) => Promise<readonly string[]>;
  /** Which actions integrations have. */
  readonly unknownAction: UnknownAction;
  /** Called when an agent has other calling hours: who waits for the old ones may be called now. */
  readonly hoursChanged: (tenant: TenantId, agentId: string) => Promise<void>;
}

/** Agents: the configured voice personas of a tenant. */
export class AgentsService {
  /** What agents were before. */
  readonly versions: AgentVersions;
  /** What agents would be. */
  readonly previews: AgentPreviews;
  readonly #agents;
  readonly #changes;
  readonly #options: AgentsServiceOptions;
  readonly #coherent;
  readonly #opened;

  constructor(options: AgentsServiceOptions) {
    const model = agentModel(options.store);
    this.#agents = new TenantCollection(model);
    this.#options = options;
    this.#changes = new AgentChanges({ ...options, model });
    this.versions = this.#changes.versions;
    this.#coherent = coherentSettings(options.unknownAction);
    this.#opened = new OpenedAgents(options);
    this.previews = new AgentPreviews({
      ...options,
      versions: this.versions,
      opened: this.#opened,
      find: (tenant, id) => this.#find(tenant, id),
      defaults: async (tenant) => this.#defaults(await options.ownVendors(tenant)),
    });
  }

  /** Makes the agent under `id`; the one that is there already when the same request has made it before. */
  async create(
    tenant: TenantId,
    id: string,
    { voice_config, ...settings }: AgentCreate,
    author: Actor | null,
  ): Promise<AgentResponse> {
    const ownVendors = await this.#options.ownVendors(tenant);
    const defaults = this.#defaults(ownVendors);
    const definition: AgentDefinition = {
      ...withPresetIds(parseOrRefuse(this.#coherent, 'body', settings)),
      voice_config: completeVoiceConfig(settings.pipeline_type, voice_config, {}, defaults),
    };
    await this.#requireKnownTargets(tenant, definition.tools);
    requireUsable(
      { ...definition, voice_config, extraction_schema: definition.analysis.extraction_schema },
      this.#options.egress,
    );
    const now = new Date(this.#options.clock.now());
    const row: AgentRow = {
      _id: id,
      tenant_id: tenant,
      ...definitionColumns(this.#options.secrets, id, definition),
      [PENDING_SWITCH]: null,
      revision: 1,
      changed: [],
      author,
      created_at: now,
      updated_at: now,
    };
    try {
      await this.#agents.insert(tenant, row);
      return this.#shown(row, ownVendors);
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      return await this.get(tenant, id);
    }
  }

  async get(tenant: TenantId, id: string): Promise<AgentResponse> {
    const [row, ownVendors] = await Promise.all([this.#find(tenant, id), this.#options.ownVendors(tenant)]);
    return this.#shown(row, ownVendors);
  }

  /** Counts the tenant's agents, inactive ones included. */
  count(tenant: TenantId): Promise<number> {
    return this.#agents.count(tenant, {});
  }

  /** Returns the names of those among these ids that there are. */
  async names(tenant: TenantId, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    if (ids.length === 0) return new Map();
    const page = { sort: NEWEST_FIRST, limit: ids.length };
    const rows = await this.#agents.findPage(tenant, { _id: { $in: [...ids] } }, page);
    return new Map(rows.map(({ _id, name }) => [_id, name]));
  }

  async list(tenant: TenantId, page: AgentsPage): Promise<AgentListResponse> {
    const scope = `agents/${tenant}`;
    const filter = page.active_only ? { is_active: true } : {};
    const place = page.cursor === undefined ? undefined : this.#options.cursors.decode(scope, page.cursor);
    const [rows, total, ownVendors] = await Promise.all([
      this.#agents.findPage(
        tenant,
        { ...filter, ...(place ? after(place) : {}) },
        { sort: NEWEST_FIRST, skip: place ? 0 : page.offset, limit: page.limit + 1 },
      ),
      totalOf(page.include_total === true, (limit) => this.#agents.count(tenant, filter, limit)),
      this.#options.ownVendors(tenant),
    ]);
    const { rows: shown, ...rest } = pageOf(rows, page.limit, (position) =>
      this.#options.cursors.encode(scope, position),
    );
    return { agents: shown.map((row) => this.#shown(row, ownVendors)), ...total, ...rest };
  }

  /** Changes only what is given. */
  async update(tenant: TenantId, id: string, change: AgentUpdate, by: AgentEditor): Promise<AgentResponse> {
    // An agent that is not there answers 404, whatever is wrong with the change.
    if (change.tools) {
      await this.#find(tenant, id);
      await this.#requireKnownTargets(tenant, change.tools);
    }
    // Read beside the agent itself; where that is not there, nobody waits for it.
    const ownVendors = this.#options.ownVendors(tenant);
    ownVendors.catch(() => {});
    const changed = await this.#changes.change(tenant, id, by, async (current) => {
      const defaults = this.#defaults(await ownVendors);
      const { voice_config: voices, ...fields } = change;
      const merged = parseOrRefuse(this.#coherent, 'body', applyPatch(agentSettings, current, fields));
      requireUsable(
        {
          ...(change.tools ? { tools: merged.tools } : {}),
          ...(change.analysis?.extraction_schema
            ? { extraction_schema: merged.analysis.extraction_schema }
            : {}),
          ...(voices ? { voice_config: voices } : {}),
          ...(change.fallback_voice_config ? { fallback_voice_config: merged.fallback_voice_config } : {}),
        },
        this.#options.egress,
      );
      const before: VoiceConfigInput = { ...current.parked_voice_config, ...current.voice_config };
      const voice_config = completeVoiceConfig(merged.pipeline_type, voices ?? {}, before, defaults);
      return {
        ...withPresetIds(merged),
        voice_config,
        parked_voice_config: parkedChoices(voice_config, before),
      };
    });
    if (change.calling_hours !== undefined) await this.#options.hoursChanged(tenant, id);
    return this.#shown(changed, await ownVendors);
  }

  /**
   * Makes an earlier version the one in force, as a new one. Whether the agent is on stays as it is; secrets are those
   * that it has now.
   */
  async restore(tenant: TenantId, id: string, version: number, by: AgentEditor): Promise<AgentResponse> {
    const { is_active: _switch, ...earlier } = await this.versions.definition(tenant, id, version);
    const { voice_config, parked_voice_config, ...settings } = earlier;
    await this.#requireKnownTargets(tenant, settings.tools);
    const { extraction_schema } = settings.analysis;
    requireUsable({ ...settings, voice_config, extraction_schema }, this.#options.egress);
    const restored = await this.#change(tenant, id, by, ({ is_active }) => ({
      ...parseOrRefuse(this.#coherent, 'body', { ...settings, is_active }),
      voice_config,
      ...(parked_voice_config ? { parked_voice_config } : {}),
    }));
    await this.#options.hoursChanged(tenant, id);
    return restored;
  }

  /** Switches the agent off; it stays readable. */
  async deactivate(tenant: TenantId, id: string, by: AgentEditor): Promise<void> {
    await this.#change(tenant, id, by, (current) => ({ ...current, is_active: false }));
  }

  async nudgePresets(tenant: TenantId, id: string): Promise<NudgePresetsResponse> {
    return presetsOf(await this.get(tenant, id));
  }

  /** Replaces the whole list; presets without an id get one. */
  async replaceNudgePresets(
    tenant: TenantId,
    id: string,
    presets: AgentSettings['nudge_presets'],
    by: AgentEditor,
  ): Promise<NudgePresetsResponse> {
    return presetsOf(await this.update(tenant, id, { nudge_presets: presets }, by));
  }

  /** Returns the provider matrix, and what the tenant's agents use here where they name nothing. */
  async providers(tenant: TenantId): Promise<ProviderListResponse> {
    return listProviders(this.#options, await this.#options.ownVendors(tenant));
  }

  /** Returns the agent as it is now, for a call that begins now. Throws `agent_not_found`. */
  async snapshot(tenant: TenantId, id: string): Promise<AgentForCall> {
    const [row, ownVendors] = await Promise.all([this.#find(tenant, id), this.#options.ownVendors(tenant)]);
    return this.#opened.open(row, ownVendors);
  }

  #requireKnownTargets(tenant: TenantId, tools: AgentSettings['tools']): Promise<void> {
    return requireKnownTargets(tools, async (id) => (await this.#agents.get(tenant, id)) !== null);
  }

  #defaults(ownVendors: readonly string[]): DefaultProviders {
    return defaultProviders(this.#options.vendors, ownVendors);
  }

  #shown(row: AgentRow, ownVendors: readonly string[]): AgentResponse {
    const { parked_voice_config: _parked, ...shown } = openDefinition(row);
    // A secret of the agent's own is not in what is shown, and counts all the same.
    const whole = withSecrets(shown, secretsOf(this.#options.secrets, row));
    return {
      id: row._id,
      version: row.revision,
      ...shown,
      tools: whole.tools.map((tool, i) => withHeaderNames(shown.tools[i]!, tool)),
      experimental: isExperimental(shown.voice_config, shown.fallback_voice_config),
      warnings: warningsOf({ ...whole, own_vendors: ownVendors }, this.#options.vendors),
      created_at: row.created_at.toISOString(),
      updated_at: row.updated_at.toISOString(),
    };
  }

  /** Publishes the events of switches that a crash left pending. */
  publishPending(): Promise<void> {
    return this.#changes.publishPending();
  }

  /** Returns the id of the tenant's most recently updated active agent; null without any. */
  async latestActive(tenant: TenantId): Promise<string | null> {
    const [latest] = await this.#agents.findPage(
      tenant,
      { is_active: true },
      { sort: { updated_at: -1, _id: -1 }, limit: 1 },
    );
    return latest?._id ?? null;
  }

  #find(tenant: TenantId, id: string): Promise<AgentRow> {
    return this.#changes.find(tenant, id);
  }

  async #change(
    tenant: TenantId,
    id: string,
    by: AgentEditor,
    decide: (current: AgentDefinition) => AgentDefinition,
  ): Promise<AgentResponse> {
    const row = await this.#changes.change(tenant, id, by, decide);
    return this.#shown(row, await this.#options.ownVendors(tenant));
  }
}
