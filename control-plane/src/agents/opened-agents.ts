import { type AgentSnapshot, agentSnapshot } from '@voice/shared/contracts/agent';
import type { SecretBox } from '../platform/secrets/secret-box.js';
import { withSecrets } from './agent-secrets.js';
import type { CallingHours } from './calling-hours.js';
import { type AgentRow, openDefinition, secretsOf } from './model.js';
import type { Installation } from './provider-list.js';
import type { AgentSettings } from './schemas.js';
import { completeFallback, defaultProviders } from './voice-config.js';

/** What a call needs of its agent, secrets included: for plans, never for clients. */
export interface AgentForCall {
  readonly isActive: boolean;
  /** The version that it is. */
  readonly version: number;
  /** The prompts with their `{{variables}}` still in them. */
  readonly snapshot: AgentSnapshot;
  /** The words by which the agent says that it is an AI; null without any. */
  readonly disclosure: string | null;
  readonly callingHours: CallingHours;
  /** By what words it announces that the call is recorded. */
  readonly recordingAnnouncement: string;
  readonly analysis: AgentSettings['analysis'];
  readonly nudgePresets: AgentSettings['nudge_presets'];
}

/** Agents that are kept open. */
const MAX_OPENED = 1000;

interface OpenedAgentsOptions extends Pick<Installation, 'vendors'> {
  readonly secrets: SecretBox;
}

/**
 * Agents as calls take them, opened and validated once for each revision and the vendors that the tenant has a key
 * for: the rows themselves are read for every call.
 */
export class OpenedAgents {
  readonly #options: OpenedAgentsOptions;
  readonly #opened = new Map<string, { readonly key: string; readonly agent: AgentForCall }>();

  constructor(options: OpenedAgentsOptions) {
    this.#options = options;
  }

  /** Returns the agent as the row has it, on the tenant's own account at these vendors. */
  open(row: AgentRow, ownVendors: readonly string[]): AgentForCall {
    const key = [row.revision, ...ownVendors].join(' ');
    const known = this.#opened.get(row._id);
    if (known?.key === key) return known.agent;
    const agent = this.#open(row, ownVendors);
    if (this.#opened.size >= MAX_OPENED) this.#opened.clear();
    this.#opened.set(row._id, { key, agent });
    return agent;
  }

  /** Opens an agent with changes that are not saved, which no call takes. */
  openUnsaved(row: AgentRow, ownVendors: readonly string[]): AgentForCall {
    return this.#open(row, ownVendors);
  }

  #open(row: AgentRow, ownVendors: readonly string[]): AgentForCall {
    const definition = withSecrets(openDefinition(row), secretsOf(this.#options.secrets, row));
    const disclosure = definition.disclosure.text.trim();
    return {
      isActive: row.is_active,
      version: row.revision,
      snapshot: agentSnapshot.parse({
        ...definition,
        fallback_voice_config: completeFallback(
          definition.pipeline_type,
          definition.fallback_voice_config,
          defaultProviders(this.#options.vendors, ownVendors),
        ),
        ...(ownVendors.length > 0 ? { own_vendors: ownVendors } : {}),
        id: row._id,
      }),
      disclosure: disclosure === '' ? null : disclosure,
      callingHours: definition.calling_hours,
      recordingAnnouncement: definition.recording.announcement,
      analysis: definition.analysis,
      nudgePresets: definition.nudge_presets,
    };
  }
}
