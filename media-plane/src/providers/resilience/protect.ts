import { isKeyless } from '@voice/shared/catalogue/providers';
import type { Clock } from '@voice/shared/clock/clock';
import type { AgentSnapshot, ProviderChoice } from '@voice/shared/contracts/agent';
import type { CallUsage } from '@voice/shared/contracts/call-events';
import type { ProviderCredentials } from '@voice/shared/contracts/call-plan';
import { withoutEmptyAnswers } from '../llm/empty-answers.js';
import type { LanguageModel } from '../llm/port.js';
import type { ProviderKind } from '../provider-error.js';
import type { Providers } from '../registry/registry.js';
import type { SpeechToText } from '../stt/port.js';
import type { TextToSpeech } from '../tts/port.js';
import { type ProviderRole, UsageMeter } from '../usage/usage-meter.js';
import { answerInTime } from './answer-in-time.js';
import type { AnswerLimits } from './answer-policy.js';
import type { Breaker, CircuitBreakers } from './circuit-breakers.js';
import { withTimeouts } from './language-model.js';
import { languageModelLimits, modelLimits, textToSpeechLimits } from './limits.js';
import type { OnNotice } from './notice.js';
import { type Recogniser, withRecogniserWatch } from './speech-to-text.js';
import { withVoiceFallback, withVoiceRetry, withVoiceTimeouts } from './text-to-speech.js';
import { withModelBreaker, withVoiceBreaker } from './with-breaker.js';

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
  /** The vendors whose credentials are the tenant's own. */
  readonly ownVendors?: AgentSnapshot['own_vendors'];
  /** Whose call it is. */
  readonly tenant: string;
  /** Of the worker's providers, shared by its calls. */
  readonly breakers: CircuitBreakers;
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
 * Wraps the failure policy around one call's providers: a deadline a turn, a watchdog for the recogniser, one retry, the
 * agent's fallbacks, and the breakers that the worker's calls share.
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

/** Finds the breaker of the account that the choice runs on. */
function breakerOf(
  { breakers, credentials, ownVendors, tenant }: ProtectOptions,
  kind: ProviderKind,
  choice: ProviderChoice,
): Breaker {
  return breakers.find(kind, choice, tenantKey(choice, credentials, ownVendors), tenant);
}

/** Returns the tenant's own key, where that is what the provider is reached with. */
export function tenantKey(
  { provider }: ProviderChoice,
  credentials: Readonly<Record<string, ProviderCredentials>>,
  ownVendors: AgentSnapshot['own_vendors'],
): string | undefined {
  return ownVendors?.includes(provider) ? credentials[provider]?.api_key : undefined;
}

function speechToText(options: ProtectOptions, meter: UsageMeter): SpeechToText {
  const { providers, choices, fallbacks, credentials, onNotice } = options;
  const recogniser = (choice: ProviderChoice, role: ProviderRole): Recogniser => ({
    stt: meter.speechToText(providers.stt(choice.provider), role),
    isRemote: !isKeyless('stt', choice.provider),
    breaker: breakerOf(options, 'stt', choice),
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
  const timed = (wanted: ProviderChoice, role: ProviderRole) => {
    // What an empty answer used is counted all the same.
    const model = withoutEmptyAnswers(meter.languageModel(providers.llm(wanted.provider), role));
    const breaker = breakerOf(options, 'llm', wanted);
    const stage = { limits: languageModelLimits(limits), clock, onNotice };
    return withModelBreaker(withTimeouts(model, stage), { breaker, clock, slowMs: limits.firstTokenMs });
  };
  const choice = fallbacks.llm;
  return answerInTime({
    model: timed(choices.llm, 'first'),
    fallback: choice && {
      model: timed(choice, 'fallback'),
      choice,
      credentials: credentials[choice.provider] ?? {},
      admitsFirst: () => breakerOf(options, 'llm', choices.llm).admits(),
    },
    limits,
    clock,
    onNotice,
  });
}

function textToSpeech(options: ProtectOptions, meter: UsageMeter): TextToSpeech {
  const { providers, choices, fallbacks, credentials, clock, onNotice } = options;
  const timed = (wanted: ProviderChoice, role: ProviderRole) => {
    const tts = meter.textToSpeech(providers.tts(wanted.provider), role);
    const stage = { limits: textToSpeechLimits(wanted.provider), clock, onNotice };
    return withVoiceBreaker(withVoiceTimeouts(tts, stage), breakerOf(options, 'tts', wanted));
  };
  const tts = timed(choices.tts, 'first');
  const choice = fallbacks.tts;
  if (!choice) return withVoiceRetry(tts, onNotice);
  const fallback = {
    tts: timed(choice, 'fallback'),
    choice,
    credentials: credentials[choice.provider] ?? {},
    admitsFirst: () => breakerOf(options, 'tts', choices.tts).admits(),
  };
  return withVoiceFallback(tts, fallback, onNotice);
}
