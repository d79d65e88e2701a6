import type { Clock } from '@voice/shared/clock/clock';
import type { AgentSnapshot, ProviderChoice } from '@voice/shared/contracts/agent';
import type { ProviderCredentials } from '@voice/shared/contracts/call-plan';
import type { LanguageModel } from '../llm/port.js';
import type { Providers } from '../registry.js';
import type { SpeechToText } from '../stt/port.js';
import type { TextToSpeech } from '../tts/port.js';
import { withFallback, withRetry, withTimeouts } from './language-model.js';
import { LANGUAGE_MODEL_LIMITS, TEXT_TO_SPEECH_LIMITS } from './limits.js';
import type { OnNotice } from './notice.js';
import { withSpeechToTextFallback } from './speech-to-text.js';
import { withVoiceFallback, withVoiceRetry, withVoiceTimeouts } from './text-to-speech.js';

export interface ProtectOptions {
  readonly providers: Providers;
  /** What the agent wants. */
  readonly choices: {
    readonly stt: ProviderChoice;
    readonly llm: ProviderChoice;
    readonly tts: ProviderChoice;
  };
  /** What takes over; without one, a failure before any output is answered by one retry. */
  readonly fallbacks: AgentSnapshot['fallback_voice_config'];
  /** By provider name. */
  readonly credentials: Readonly<Record<string, ProviderCredentials>>;
  readonly clock: Clock;
  readonly onNotice: OnNotice;
}

export interface ProtectedProviders {
  readonly speechToText: SpeechToText;
  readonly languageModel: LanguageModel;
  readonly textToSpeech: TextToSpeech;
}

/**
 * One call's providers with time-outs, budgets, a retry and the agent's fallbacks around them.
 * @throws ProviderError for a provider that this worker does not have
 */
export function protectProviders(options: ProtectOptions): ProtectedProviders {
  return {
    speechToText: speechToText(options),
    languageModel: languageModel(options),
    textToSpeech: textToSpeech(options),
  };
}

function speechToText({
  providers,
  choices,
  fallbacks,
  credentials,
  onNotice,
}: ProtectOptions): SpeechToText {
  const stt = providers.stt(choices.stt.provider);
  const choice = fallbacks.stt;
  if (!choice) return stt;
  const fallback = {
    stt: providers.stt(choice.provider),
    choice,
    credentials: credentials[choice.provider] ?? {},
  };
  return withSpeechToTextFallback(stt, fallback, onNotice);
}

function languageModel(options: ProtectOptions): LanguageModel {
  const { providers, choices, fallbacks, credentials, clock, onNotice } = options;
  const watched = { limits: LANGUAGE_MODEL_LIMITS, clock, onNotice };
  const model = withTimeouts(providers.llm(choices.llm.provider), watched);
  const choice = fallbacks.llm;
  if (!choice) return withRetry(model, onNotice);
  const fallback = {
    model: withTimeouts(providers.llm(choice.provider), watched),
    choice,
    credentials: credentials[choice.provider] ?? {},
  };
  return withFallback(model, fallback, { clock, onNotice });
}

function textToSpeech(options: ProtectOptions): TextToSpeech {
  const { providers, choices, fallbacks, credentials, clock, onNotice } = options;
  const watched = { limits: TEXT_TO_SPEECH_LIMITS, clock, onNotice };
  const tts = withVoiceTimeouts(providers.tts(choices.tts.provider), watched);
  const choice = fallbacks.tts;
  if (!choice) return withVoiceRetry(tts, onNotice);
  const fallback = {
    tts: withVoiceTimeouts(providers.tts(choice.provider), watched),
    choice,
    credentials: credentials[choice.provider] ?? {},
  };
  return withVoiceFallback(tts, fallback, onNotice);
}
