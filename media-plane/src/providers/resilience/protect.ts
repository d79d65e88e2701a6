import { isKeyless } from '@voice/shared/catalogue/providers';
import type { Clock } from '@voice/shared/clock/clock';
import type { AgentSnapshot, ProviderChoice } from '@voice/shared/contracts/agent';
import type { CallUsage } from '@voice/shared/contracts/call-events';
import type { ProviderCredentials } from '@voice/shared/contracts/call-plan';
import type { LanguageModel } from '../llm/port.js';
import type { Providers } from '../registry/registry.js';
import type { SpeechToText } from '../stt/port.js';
import type { TextToSpeech } from '../tts/port.js';
import { type ProviderRole, UsageMeter } from '../usage/usage-meter.js';
import { answerInTime } from './answer-in-time.js';
import type { AnswerLimits } from './answer-policy.js';
import { withTimeouts } from './language-model.js';
import { languageModelLimits, modelLimits, textToSpeechLimits } from './limits.js';
import type { OnNotice } from './notice.js';
import { type Recogniser, withRecogniserWatch } from './speech-to-text.js';
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
  /** Of the agent's turns. */
  readonly limits: AnswerLimits;
  readonly clock: Clock;
  readonly onNotice: OnNotice;
}

export interface ProtectedProviders {
  /** What was used so far, by provider and model. */
  readonly usage: () => CallUsage;
  readonly speechToText: SpeechToText;
  readonly languageModel: LanguageModel;
  readonly textToSpeech: TextToSpeech;
}

/**
 * Wraps one call's providers with time-outs, budgets, a retry and the agent's fallbacks around them.
 * @throws ProviderError for a provider that this worker does not have
 */
export function protectProviders(options: ProtectOptions): ProtectedProviders {
  const meter = new UsageMeter();
  return {
    usage: () => meter.usage(options.choices),
    speechToText: speechToText(options, meter),
    languageModel: languageModel(options, meter),
    textToSpeech: textToSpeech(options, meter),
  };
}

function speechToText(
  { providers, choices, fallbacks, credentials, onNotice }: ProtectOptions,
  meter: UsageMeter,
): SpeechToText {
  const recogniser = ({ provider }: ProviderChoice, role: ProviderRole): Recogniser => ({
    stt: meter.speechToText(providers.stt(provider), role),
    isRemote: !isKeyless('stt', provider),
  });
  const first = recogniser(choices.stt, 'first');
  const choice = fallbacks.stt;
  const fallback = choice && {
    ...recogniser(choice, 'fallback'),
    own: { choice, credentials: credentials[choice.provider] ?? {} },
  };
  return first.isRemote || fallback ? withRecogniserWatch(first, fallback, onNotice) : first.stt;
}

function languageModel(options: ProtectOptions, meter: UsageMeter): LanguageModel {
  const { providers, choices, fallbacks, credentials, clock, onNotice } = options;
  const limits = modelLimits(options.limits);
  const timed = (name: string, role: ProviderRole) =>
    withTimeouts(meter.languageModel(providers.llm(name), role), {
      limits: languageModelLimits(limits),
      clock,
      onNotice,
    });
  const choice = fallbacks.llm;
  return answerInTime({
    model: timed(choices.llm.provider, 'first'),
    fallback: choice && {
      model: timed(choice.provider, 'fallback'),
      choice,
      credentials: credentials[choice.provider] ?? {},
    },
    limits,
    clock,
    onNotice,
  });
}

function textToSpeech(options: ProtectOptions, meter: UsageMeter): TextToSpeech {
  const { providers, choices, fallbacks, credentials, clock, onNotice } = options;
  const timed = (name: string, role: ProviderRole) =>
    withVoiceTimeouts(meter.textToSpeech(providers.tts(name), role), {
      limits: textToSpeechLimits(name),
      clock,
      onNotice,
    });
  const tts = timed(choices.tts.provider, 'first');
  const choice = fallbacks.tts;
  if (!choice) return withVoiceRetry(tts, onNotice);
  const fallback = {
    tts: timed(choice.provider, 'fallback'),
    choice,
    credentials: credentials[choice.provider] ?? {},
  };
  return withVoiceFallback(tts, fallback, onNotice);
}
