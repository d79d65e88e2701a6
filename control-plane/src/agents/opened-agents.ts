import { type AgentSnapshot, agentSnapshot } from '@voice/shared/contracts/agent';
import type { SecretBox } from '../platform/secrets/secret-box.js';
import { withSecrets } from './agent-secrets.js';
import type { CallingHours } from './calling-hours.js';
import { type AgentRow, openDefinition, secretsOf } from './model.js';
import type { Installation } from './provider-list.js';
import type { AgentSettings } from './schemas.js';
import { completeFallback } from './voice-config.js';

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

interface OpenedAgentsOptions extends Pick<Installation, 'defaults'> {
  readonly secrets: SecretBox;
}

/** Agents as calls take them, opened and validated once for each revision: the row itself is read for every call. */
export class OpenedAgents {
  readonly #options: OpenedAgentsOptions;
  readonly #opened = new Map<string, { readonly revision: number; readonly agent: AgentForCall }>();

  constructor(options: OpenedAgentsOptions) {
    this.#options = options;
  }

  /** Returns the agent as the row has it. */
  open(row: AgentRow): AgentForCall {
    const known = this.#opened.get(row._id);
    if (known?.revision === row.revision) return known.agent;
    const agent = this.#open(row);
    if (this.#opened.size >= MAX_OPENED) this.#opened.clear();
    this.#opened.set(row._id, { revision: row.revision, agent });
    return agent;
  }

  #open(row: AgentRow): AgentForCall {
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
          this.#options.defaults,
        ),
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
