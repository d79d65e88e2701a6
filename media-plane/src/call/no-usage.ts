import type { CallUsage } from '@voice/shared/contracts/call-events';
import type { CallPlan } from '@voice/shared/contracts/call-plan';

/** Builds the usage of a call that used nothing, or of which it is not known. */
export function noUsage({ agent }: CallPlan): CallUsage {
  const { voice_config: voice } = agent;
  const none = { provider: '', model: '' };
  const { stt = none, llm = none, tts = none } = 'stt' in voice ? voice : {};
  return {
    stt: { provider: stt.provider, model: stt.model, audio_ms: 0 },
    llm: { provider: llm.provider, model: llm.model, input_tokens: 0, output_tokens: 0 },
    tts: { provider: tts.provider, model: tts.model, characters: 0 },
  };
}
