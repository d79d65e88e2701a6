import type { Voice } from '../../../../api/types.js';
import type { AgentForm } from '../form.js';

export type VoiceChoice = NonNullable<AgentForm['voice_config']['tts']>;

/** The choice with this voice: what else was set stays, where the provider stays. */
export function withVoice(
  before: VoiceChoice,
  { voice_config: wanted }: Pick<Voice, 'voice_config'>,
): VoiceChoice {
  if (before.provider !== wanted.provider) {
    return { provider: wanted.provider, model: wanted.model, params: wanted.params };
  }
  return {
    provider: wanted.provider,
    model: wanted.model === '' ? before.model : wanted.model,
    params: { ...before.params, ...wanted.params },
  };
}

/** Whether the choice is this voice already. */
export function isVoice(choice: VoiceChoice, { voice_config: voice }: Pick<Voice, 'voice_config'>): boolean {
  return (
    choice.provider === voice.provider &&
    (voice.model === '' || choice.model === voice.model) &&
    Object.entries(voice.params).every(([name, value]) => choice.params[name] === value)
  );
}
