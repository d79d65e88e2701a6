import type { PipelineType, VoiceConfig } from '@voice/shared/contracts/agent';
import { type Connection, type Model, Schema } from 'mongoose';
import { z } from 'zod';
import type { Actor } from '../platform/http/actor.js';
import type { SecretBox } from '../platform/secrets/secret-box.js';
import { type AgentSecrets, withoutSecrets } from './agent-secrets.js';
import { OpenedTexts } from './opened-texts.js';
import { type AgentSettings, agentSettings } from './schemas.js';
import type { VoiceConfigInput } from './voice-config.js';
import { withoutRefinements } from './without-refinements.js';

/** The kill switch, switched. */
export interface PendingSwitchEvent {
  readonly event_id: string;
  readonly is_active: boolean;
  readonly sandbox: boolean;
  readonly at: Date;
}

/** The field of the switch whose event is pending. Documents and replicas of every version name it so. */
export const PENDING_SWITCH = 'untold';

/**
 * An agent as stored. The settings are JSON text: they hold JSON Schemas and parameters of tenants,
 * in which no dollar, dot or operator may have a meaning for the database.
 */
export interface AgentRow {
  _id: string;
  tenant_id: string;
  name: string;
  is_active: boolean;
  pipeline_type: PipelineType;
  definition: string;
  /** Sealed JSON of the secrets by their place; null without any. */
  secrets: string | null;
  /** A switch of `is_active` whose event is not known to be stored. */
  [PENDING_SWITCH]: PendingSwitchEvent | null;
  /** Counts the changes, so that two at the same time do not undo each other; clients know it as the version. */
  revision: number;
  /** What the last change has changed, as paths of fields. */
  changed?: string[];
  /** Who made the last change; null or absent where that was not known. */
  author?: Actor | null;
  created_at: Date;
  updated_at: Date;
}

/** Who saved an agent, as it is stored. */
export const authorSchema = new Schema<Actor>(
  { type: { type: String }, id: String, name: String },
  { _id: false },
);

const agentSchema = new Schema<AgentRow>(
  {
    _id: String,
    tenant_id: { type: String, required: true },
    name: { type: String, required: true },
    is_active: { type: Boolean, required: true },
    pipeline_type: { type: String, required: true },
    definition: { type: String, required: true },
    secrets: { type: String, default: null },
    [PENDING_SWITCH]: {
      type: new Schema<PendingSwitchEvent>(
        { event_id: String, is_active: Boolean, sandbox: Boolean, at: Date },
        { _id: false },
      ),
      default: null,
    },
    revision: { type: Number, required: true },
    changed: { type: [String], default: undefined },
    author: { type: authorSchema },
    created_at: { type: Date, required: true },
    updated_at: { type: Date, required: true },
  },
  { versionKey: false, autoIndex: false, autoCreate: false, collection: 'agents' },
);
agentSchema.index({ tenant_id: 1, created_at: -1, _id: -1 });
agentSchema.index({ tenant_id: 1, is_active: 1, created_at: -1, _id: -1 });

agentSchema.index({ [`${PENDING_SWITCH}.at`]: 1 });

export type AgentModel = Model<AgentRow>;

export function agentModel(store: Connection): AgentModel {
  return store.model<AgentRow>('Agent', agentSchema);
}

/** An agent's settings together with its voices, and those of the pipeline that it is not of at present. */
export type AgentDefinition = AgentSettings & {
  readonly voice_config: VoiceConfig;
  readonly parked_voice_config?: VoiceConfigInput;
};

const secretsText = z.record(z.string(), z.string());

/** Builds the columns of a definition. Secrets missing in it are kept from `before`. */
export function definitionColumns(
  box: SecretBox,
  agentId: string,
  definition: AgentDefinition,
  before: AgentSecrets = {},
): Pick<AgentRow, 'name' | 'is_active' | 'pipeline_type' | 'definition' | 'secrets'> {
  const { open, secrets } = withoutSecrets(definition, before);
  const any = Object.keys(secrets).length > 0;
  return {
    name: open.name,
    is_active: open.is_active,
    pipeline_type: open.pipeline_type,
    definition: JSON.stringify(open),
    secrets: any ? box.seal(`agents/${agentId}`, JSON.stringify(secrets)) : null,
  };
}

const storedSettings = withoutRefinements(agentSettings);

/** About a thousand agents: lists, changes and calls open the same ones again and again. */
const OPENED_CHARACTERS = 4_000_000;

const opened = new OpenedTexts<AgentDefinition>(
  (text) => {
    const stored = JSON.parse(text) as Pick<AgentDefinition, 'voice_config' | 'parked_voice_config'>;
    const { voice_config, parked_voice_config } = stored;
    return {
      ...storedSettings.parse(stored),
      voice_config,
      ...(parked_voice_config ? { parked_voice_config } : {}),
    };
  },
  { characters: OPENED_CHARACTERS },
);

/**
 * Returns the definition as clients see it: without secrets; what was added since it was written has its default. What
 * is in it cannot be changed.
 */
export function openDefinition(row: Pick<AgentRow, 'definition' | 'is_active'>): AgentDefinition {
  return { ...opened.get(row.definition), is_active: row.is_active };
}

export function secretsOf(box: SecretBox, row: AgentRow): AgentSecrets {
  return row.secrets === null
    ? {}
    : secretsText.parse(JSON.parse(box.open(`agents/${row._id}`, row.secrets)));
}
