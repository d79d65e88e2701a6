import type { TenantId } from '@voice/shared/ids/ids';
import type { Connection } from 'mongoose';
import { apiError } from '../../platform/http/error-codes.js';
import { isDuplicateKey } from '../../platform/http/errors.js';
import type { CursorCodec } from '../../platform/http/pagination.js';
import { TenantCollection } from '../../platform/store/tenant-collection.js';
import { type AgentDefinition, type AgentRow, openDefinition } from '../model.js';
import { differences } from './differences.js';
import { type AgentVersionRow, agentVersionModel } from './model.js';
import type { AgentVersionDiffResponse, AgentVersionListResponse, AgentVersionResponse } from './schemas.js';

/** Versions that are kept of an agent beside the one in force. */
export const KEPT_VERSIONS = 100;

interface AgentVersionsOptions {
  readonly store: Connection;
  readonly cursors: CursorCodec;
  /** The agent as it is now. Throws `agent_not_found`. */
  readonly find: (tenant: TenantId, agentId: string) => Promise<AgentRow>;
}

/** The latest versions that are looked through for one like another. */
const LATEST_VERSIONS = 20;

interface VersionsPage {
  readonly limit: number;
  readonly cursor?: string;
}

const idOf = (agentId: string, version: number) => `${agentId}/${version}`;

/** The agent's own document as the version that it is. */
function versionOf(row: AgentRow): AgentVersionRow {
  const { _id, tenant_id, name, is_active, definition, revision, changed = [], author, updated_at } = row;
  return {
    _id: idOf(_id, revision),
    tenant_id,
    agent_id: _id,
    version: revision,
    name,
    is_active,
    definition,
    changed,
    author: author ?? null,
    created_at: updated_at,
  };
}

/** The versions of agents: every save is one, and the last hundred can be read, compared and restored. */
export class AgentVersions {
  readonly #versions;
  readonly #options: AgentVersionsOptions;

  constructor(options: AgentVersionsOptions) {
    this.#versions = new TenantCollection(agentVersionModel(options.store));
    this.#options = options;
  }

  /** Keeps what the agent is, before something else takes its place. Keeping it again changes nothing. */
  async keep(tenant: TenantId, row: AgentRow): Promise<void> {
    try {
      await this.#versions.insert(tenant, versionOf(row));
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
    }
    const tooOld = row.revision - KEPT_VERSIONS;
    if (tooOld > 0) await this.#versions.delete(tenant, { _id: idOf(row._id, tooOld) });
  }

  /** Returns a page of versions, the newest first. */
  async list(tenant: TenantId, agentId: string, page: VersionsPage): Promise<AgentVersionListResponse> {
    const scope = `agent-versions/${tenant}/${agentId}`;
    const current = await this.#options.find(tenant, agentId);
    const before = page.cursor && Number(this.#options.cursors.decode(scope, page.cursor).id);
    const rows = await this.#versions.findPage(
      tenant,
      // A copy of the one in force may be there already: a change that was beaten by another left it.
      { agent_id: agentId, version: { $lt: before || current.revision } },
      { sort: { version: -1 }, limit: page.limit + 1 },
    );
    const shown = (before ? rows : [versionOf(current), ...rows]).slice(0, page.limit);
    const has_more = (before ? 0 : 1) + rows.length > page.limit;
    const last = shown.at(-1);
    return {
      versions: shown.map((row) => summaryOf(row, current)),
      has_more,
      next_cursor:
        has_more && last
          ? this.#options.cursors.encode(scope, { createdAt: last.created_at, id: String(last.version) })
          : null,
    };
  }

  /** Returns the version in force and some before it, the newest first. */
  async latest(
    tenant: TenantId,
    current: AgentRow,
  ): Promise<{ readonly version: number; readonly definition: AgentDefinition }[]> {
    const rows = await this.#versions.findPage(
      tenant,
      { agent_id: current._id, version: { $lt: current.revision } },
      { sort: { version: -1 }, limit: LATEST_VERSIONS - 1 },
    );
    return [versionOf(current), ...rows].map((row) => ({
      version: row.version,
      definition: openDefinition(row),
    }));
  }

  async get(tenant: TenantId, agentId: string, version: number): Promise<AgentVersionResponse> {
    const current = await this.#options.find(tenant, agentId);
    const row = await this.#find(tenant, current, version);
    return { ...summaryOf(row, current), settings: settingsOf(openDefinition(row)) };
  }

  /** Compares a version with another, by default with the one in force. */
  async diff(
    tenant: TenantId,
    agentId: string,
    version: number,
    other?: number,
  ): Promise<AgentVersionDiffResponse> {
    const current = await this.#options.find(tenant, agentId);
    const to = other ?? current.revision;
    const [before, after] = await Promise.all([version, to].map((n) => this.#find(tenant, current, n)));
    return {
      from: version,
      to,
      changes: differences(settingsOf(openDefinition(before!)), settingsOf(openDefinition(after!))),
    };
  }

  /** Returns the definition that a version had. Throws `agent_version_not_found`. */
  async definition(tenant: TenantId, agentId: string, version: number): Promise<AgentDefinition> {
    const current = await this.#options.find(tenant, agentId);
    return openDefinition(await this.#find(tenant, current, version));
  }

  async #find(tenant: TenantId, current: AgentRow, version: number): Promise<AgentVersionRow> {
    if (version === current.revision) return versionOf(current);
    const row =
      version < current.revision ? await this.#versions.get(tenant, idOf(current._id, version)) : null;
    if (row === null) throw apiError('agent_version_not_found');
    return row;
  }
}

function summaryOf(row: AgentVersionRow, current: AgentRow) {
  const { version, name, changed, author, created_at } = row;
  return {
    version,
    is_current: version === current.revision,
    name,
    changed,
    author: author ?? null,
    created_at: created_at.toISOString(),
  };
}

/** What clients see of a definition: the choices of the pipeline that it is not of are none of it. */
function settingsOf(definition: AgentDefinition) {
  const { parked_voice_config: _parked, ...settings } = definition;
  return settings;
}

/** Returns the fields that a change has changed, as paths. Pure. */
export const changedFields = (before: AgentDefinition, after: AgentDefinition): string[] =>
  differences(settingsOf(before), settingsOf(after)).map(({ path }) => path);
