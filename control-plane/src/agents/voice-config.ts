import {
  type CatalogueProvider,
  PROVIDER_CATALOGUE,
  type ProviderKind,
} from '@voice/shared/catalogue/providers';
import {
  type AgentSnapshot,
  type PipelineType,
  type ProviderChoice,
  providerChoice,
  type VoiceConfig,
} from '@voice/shared/contracts/agent';
import { z } from 'zod';
import type { Config, VendorAccess } from '../config.js';
import { ValidationError } from '../platform/http/validation.js';

/** What a client may give: the providers that it cares for; the others get the installation's defaults. */
export const voiceConfigInput = z
  .object({
    stt: providerChoice.optional(),
    llm: providerChoice.optional(),
    tts: providerChoice.optional(),
    realtime: providerChoice.optional(),
  })
  .meta({ title: 'VoiceConfig' });
export type VoiceConfigInput = z.output<typeof voiceConfigInput>;

/** The provider that is used where an agent names none. */
export type DefaultProviders = Readonly<Record<ProviderKind, ProviderChoice>>;

/**
 * Of each kind the first in the catalogue that the tenant or this installation has a key for, else what works without one. A
 * language model of one's own (`OPENAI_BASE_URL` is not the vendor's) needs no key.
 * Speech to speech there is none without a key: the first in the catalogue then stands for what has to be set.
 */
export function defaultProviders(
  vendors: Config['vendors'],
  ownVendors: readonly string[] = [],
): DefaultProviders {
  const of = (kind: ProviderKind): ProviderChoice => {
    const entries = PROVIDER_CATALOGUE.filter((entry) => entry.kind === kind && !entry.mustBeNamed);
    const { name, vendor } =
      entries.find(
        (entry) => entry.vendor !== null && isConfigured(entry, vendors[entry.vendor], ownVendors),
      ) ??
      entries.find((entry) => entry.vendor === null) ??
      entries[0]!;
    const model = kind === 'llm' && vendor !== null ? (vendors[vendor].model ?? '') : '';
    return { provider: name, model, params: {} };
  };
  return { stt: of('stt'), llm: of('llm'), tts: of('tts'), realtime: of('realtime') };
}

/** Returns whether there is an account without the agent's own. */
function isConfigured(
  { isReachable, vendor }: CatalogueProvider,
  { apiKey, url }: VendorAccess,
  ownVendors: readonly string[],
): boolean {
  const hasKey = apiKey !== undefined || (vendor !== null && ownVendors.includes(vendor));
  return isReachable({ hasKey, url, isAgentsOwn: false });
}

function misplaced(field: string, pipeline: PipelineType): ValidationError {
  return new ValidationError([
    {
      loc: ['body', 'voice_config', field],
      msg: `A ${pipeline} agent has no ${field} provider`,
      type: 'value_error',
    },
  ]);
}

/**
 * Returns the whole voice configuration: what was given, then what the agent had (`before`, of this pipeline or parked
 * while it was of the other one), then the defaults. Refuses providers of the other pipeline rather than dropping them.
 */
export function completeVoiceConfig(
  pipeline: PipelineType,
  given: VoiceConfigInput,
  before: VoiceConfigInput,
  defaults: DefaultProviders,
): VoiceConfig {
  switch (pipeline) {
    case 'cascaded': {
      if (given.realtime) throw misplaced('realtime', pipeline);
      return {
        stt: given.stt ?? before.stt ?? defaults.stt,
        llm: given.llm ?? before.llm ?? defaults.llm,
        tts: given.tts ?? before.tts ?? defaults.tts,
      };
    }
    case 'realtime': {
      const stray = (['stt', 'llm', 'tts'] as const).find((kind) => given[kind]);
      if (stray) throw misplaced(stray, pipeline);
      return { realtime: given.realtime ?? before.realtime ?? defaults.realtime };
    }
  }
}

/**
 * Returns the choices that the pipeline does not use: kept, so that an agent that is turned back has them again. Pure.
 */
export function parkedChoices(voice: VoiceConfig, before: VoiceConfigInput): VoiceConfigInput {
  const { stt, llm, tts, realtime } = before;
  return 'realtime' in voice ? { stt, llm, tts } : { realtime };
}

/**
 * Returns the cascade that a speech-to-speech agent falls back to: whole, with the installation's defaults where the
 * agent names only a part of it, and none where it names nothing. Pure.
 */
export function completeFallback(
  pipeline: PipelineType,
  { stt, llm, tts }: AgentSnapshot['fallback_voice_config'],
  defaults: DefaultProviders,
): AgentSnapshot['fallback_voice_config'] {
  if (pipeline === 'cascaded' || (!stt && !llm && !tts)) return { stt, llm, tts };
  return { stt: stt ?? defaults.stt, llm: llm ?? defaults.llm, tts: tts ?? defaults.tts };
}
