import { findProvider } from '@voice/shared/catalogue/providers';
import type {
  AgentSnapshot,
  PipelineType,
  ProviderChoice,
  TurnTakingSettings,
  VoiceConfig,
} from '@voice/shared/contracts/agent';
import type { TenantId } from '@voice/shared/ids/ids';
import { parseOrRefuse } from '../platform/http/validation.js';
import type { SecretBox } from '../platform/secrets/secret-box.js';
import {
  type AgentDefinition,
  type AgentRow,
  definitionColumns,
  openDefinition,
  secretsOf,
} from './model.js';
import type { OpenedAgents } from './opened-agents.js';
import { applyPatch, type Patch } from './patch.js';
import { coherentTurnTaking, turnTakingPart } from './schemas.js';
import type { AgentVersions } from './versions/versions.js';
import { completeVoiceConfig, type DefaultProviders, type VoiceConfigInput } from './voice-config.js';

/** A change of what an agent hears, thinks and speaks with, and of when it answers. */
export interface VoiceChange {
  readonly pipeline_type?: PipelineType | undefined;
  readonly voice_config: VoiceConfigInput;
  readonly turn_taking?: Patch<TurnTakingSettings> | undefined;
}

/** A version of an agent that spoke with the same providers and models. */
interface LikeVersion {
  readonly version: number;
  readonly turnTaking: TurnTakingSettings;
}

/** An agent as it would be with a change that is not saved. */
export interface AgentPreview {
  /** The version that the change is of. */
  readonly version: number;
  readonly snapshot: AgentSnapshot;
  /** Those of the latest versions that spoke with the same providers and models. */
  readonly likeVersions: readonly LikeVersion[];
}

interface AgentPreviewsOptions {
  readonly find: (tenant: TenantId, id: string) => Promise<AgentRow>;
  readonly versions: Pick<AgentVersions, 'latest'>;
  readonly opened: Pick<OpenedAgents, 'openUnsaved'>;
  readonly secrets: SecretBox;
  readonly ownVendors: (tenant: TenantId) => Promise<readonly string[]>;
  readonly defaults: (tenant: TenantId) => Promise<DefaultProviders>;
}

/** Agents with changes that are not saved: for an editor that says what a choice would come to. */
export class AgentPreviews {
  readonly #options: AgentPreviewsOptions;

  constructor(options: AgentPreviewsOptions) {
    this.#options = options;
  }

  /**
   * Throws `agent_not_found`, and `ValidationError` for a provider of the other pipeline and for turn-taking that no
   * agent could have.
   */
  async of(
    tenant: TenantId,
    id: string,
    { pipeline_type, voice_config: given, turn_taking }: VoiceChange,
  ): Promise<AgentPreview> {
    const { find, versions, opened, secrets, ownVendors, defaults } = this.#options;
    const row = await find(tenant, id);
    const current = openDefinition(row);
    const pipeline = pipeline_type ?? current.pipeline_type;
    const before: VoiceConfigInput = { ...current.parked_voice_config, ...current.voice_config };
    const changed: AgentDefinition = {
      ...current,
      ...parseOrRefuse(coherentTurnTaking, 'body', applyPatch(turnTakingPart, current, { turn_taking })),
      pipeline_type: pipeline,
      voice_config: completeVoiceConfig(pipeline, given, before, await defaults(tenant)),
    };
    const [own, latest] = await Promise.all([ownVendors(tenant), versions.latest(tenant, row)]);
    const columns = definitionColumns(secrets, id, changed, secretsOf(secrets, row));
    return {
      version: row.revision,
      snapshot: opened.openUnsaved({ ...row, ...columns }, own).snapshot,
      likeVersions: latest
        .filter(({ definition }) => hasSameVoice(definition.voice_config, changed.voice_config))
        .map(({ version, definition }) => ({ version, turnTaking: definition.turn_taking })),
    };
  }
}

/** Returns whether both are the same providers and models; a model that is not named is the provider's default. Pure. */
function hasSameVoice(one: VoiceConfig, other: VoiceConfig): boolean {
  return namesOf(one) === namesOf(other);
}

function namesOf(voice: VoiceConfig): string {
  const choices: readonly (readonly ['stt' | 'llm' | 'tts' | 'realtime', ProviderChoice])[] =
    'realtime' in voice
      ? [['realtime', voice.realtime]]
      : [
          ['stt', voice.stt],
          ['llm', voice.llm],
          ['tts', voice.tts],
        ];
  const names = choices.map(([kind, { provider, model }]) => [
    kind,
    provider,
    model === '' ? (findProvider(kind, provider)?.defaultModel ?? '') : model,
  ]);
  return JSON.stringify(names);
}
