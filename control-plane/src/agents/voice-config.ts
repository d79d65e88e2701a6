import {
  type PipelineType,
  type ProviderChoice,
  providerChoice,
  type VoiceConfig,
} from '@voice/shared/contracts/agent';
import { z } from 'zod';
import type { Config } from '../config.js';
import { ValidationError } from '../http/validation.js';

/** What a client may give: the providers that it cares for; the others get the installation's defaults. */
export const voiceConfigInput = z.object({
  stt: providerChoice.optional(),
  llm: providerChoice.optional(),
  tts: providerChoice.optional(),
  realtime: providerChoice.optional(),
});
export type VoiceConfigInput = z.output<typeof voiceConfigInput>;

/** The provider that is used where an agent names none. */
export interface DefaultProviders {
  readonly stt: ProviderChoice;
  readonly llm: ProviderChoice;
  readonly tts: ProviderChoice;
  readonly realtime: ProviderChoice;
}

const choice = (provider: string): ProviderChoice => ({ provider, model: '', params: {} });
const LOCAL = choice('local');

/** A vendor where this installation has a key for it, else what works without one. */
export function defaultProviders({ deepgram, openai, elevenlabs }: Config['vendors']): DefaultProviders {
  return {
    stt: deepgram.apiKey ? choice('deepgram') : LOCAL,
    llm: openai.apiKey ? choice('openai') : LOCAL,
    tts: elevenlabs.apiKey ? choice('elevenlabs') : LOCAL,
    realtime: openai.apiKey ? choice('openai') : LOCAL,
  };
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
 * The whole voice configuration: what was given, then what the agent had, then the defaults. Refuses
 * providers of the other pipeline rather than dropping them.
 */
export function completeVoiceConfig(
  pipeline: PipelineType,
  given: VoiceConfigInput,
  current: VoiceConfig | undefined,
  defaults: DefaultProviders,
): VoiceConfig {
  const before: VoiceConfigInput = current ?? {};
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
