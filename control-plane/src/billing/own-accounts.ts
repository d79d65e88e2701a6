import type { ProviderChoice, VoiceConfig } from '@voice/shared/contracts/agent';
import type { MeteredKind } from './cost-of-call.js';

/** Whether the tenant named its own key or its own server for this provider. */
function isOwn({ params }: ProviderChoice): boolean {
  return params.api_key !== undefined || params.base_url !== undefined;
}

/** The kinds of an agent's providers that run on the tenant's own account. Pure. */
export function ownAccountsOf(voice: VoiceConfig): ReadonlySet<MeteredKind> {
  // A speech-to-speech model reports all that it used as tokens.
  if ('realtime' in voice) return new Set(isOwn(voice.realtime) ? (['stt', 'llm', 'tts'] as const) : []);
  return new Set((['stt', 'llm', 'tts'] as const).filter((kind) => isOwn(voice[kind])));
}
