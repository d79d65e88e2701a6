import type { Clock } from '@voice/shared/clock/clock';
import type { CallPlan } from '@voice/shared/contracts/call-plan';
import type { LlmTool } from '@voice/shared/language-model/conversation';
import type { Log } from '@voice/shared/log/log';
import { CascadedConversation } from './conversation/cascaded.js';
import type { Conversation } from './conversation/port.js';
import { RealtimeConversation } from './conversation/realtime/realtime.js';
import type { SpeechCache } from './conversation/speech-cache.js';
import type { CascadedChoices } from './conversation/voice-choices.js';
import { ConversationWithFallback } from './conversation/with-fallback.js';
import type { EndOfTurnDetector } from './providers/end-of-turn/port.js';
import type { Providers } from './providers/registry/registry.js';
import type { AnswerLimits } from './providers/resilience/answer-policy.js';
import type { CircuitBreakers } from './providers/resilience/circuit-breakers.js';
import { describeNotice } from './providers/resilience/notice.js';
import { protectProviders, tenantKey } from './providers/resilience/protect.js';
import type { VoiceActivityDetector } from './providers/vad/port.js';

export interface ConversationOptions {
  readonly providers: Providers;
  readonly detector: VoiceActivityDetector;
  /** Undefined where no model of the end of turn is installed. */
  readonly endOfTurn: EndOfTurnDetector | undefined;
  readonly speechCache?: SpeechCache | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /** The agent's tools as far as they are known when a speech-to-speech session opens. */
  readonly tools: readonly LlmTool[];
  readonly breakers: CircuitBreakers;
  readonly answerLimits: AnswerLimits;
  /** Of budgets passed and providers replaced, for the call's timeline. */
  readonly notice: (code: string, message: string) => void;
}

/**
 * Creates the conversation of one call: a cascade, or speech to speech with the agent's cascaded voice to fall back on.
 * @throws ProviderError for a provider that this worker does not have
 */
export function createConversation(plan: CallPlan, options: ConversationOptions): Conversation {
  const { agent } = plan;
  const voice = agent.voice_config;
  if ('stt' in voice) {
    warnOfMissingModel(plan, options);
    return cascade(plan, voice, options);
  }
  const {
    providers,
    answerLimits,
    breakers: _breakers,
    endOfTurn: _model,
    speechCache: _,
    ...rest
  } = options;
  const { stt, llm, tts } = agent.fallback_voice_config;
  const hasFallback = stt && llm && tts;
  const primary = new RealtimeConversation({
    ...rest,
    plan,
    choice: voice.realtime,
    provider: providers.realtime(voice.realtime.provider),
    ...(hasFallback ? { firstOutputMs: answerLimits.firstTokenMs } : {}),
  });
  if (!hasFallback) return primary;
  // Made once now, so that a fallback which cannot run is refused with the plan and not found out in the call.
  cascade(plan, { stt, llm, tts }, options);
  return new ConversationWithFallback({
    primary,
    fallback: () => cascade(plan, { stt, llm, tts }, options),
    breaker: options.breakers.find(
      'realtime',
      voice.realtime,
      tenantKey(voice.realtime, plan.credentials, agent.own_vendors),
      plan.tenant_id,
    ),
    notice: options.notice,
  });
}

/** Puts into the log and the call's timeline that the agent's semantic end of turn is not to be had here. */
function warnOfMissingModel(
  { call_id, agent }: CallPlan,
  { endOfTurn, log, notice }: ConversationOptions,
): void {
  if (endOfTurn || agent.turn_taking.semantic_end_of_turn === 'off') return;
  const message =
    'The end-of-turn model is not installed on this worker: turns end by words and pauses alone. ' +
    'Run “npm run models” there and start it again.';
  log.warn({ call_id }, message);
  notice('end_of_turn_model_missing', message);
}

function cascade(
  plan: CallPlan,
  choices: CascadedChoices,
  options: ConversationOptions,
): CascadedConversation {
  const { providers, detector, endOfTurn, speechCache, clock, log, notice, answerLimits, breakers } = options;
  // Fallbacks of the cascade's own stages belong to an agent whose first choice is the cascade.
  const fallbacks = 'stt' in plan.agent.voice_config ? plan.agent.fallback_voice_config : {};
  return new CascadedConversation({
    plan,
    choices,
    detector,
    endOfTurn,
    speechCache,
    clock,
    log,
    providers: protectProviders({
      providers,
      choices,
      fallbacks,
      credentials: plan.credentials,
      ownVendors: plan.agent.own_vendors,
      tenant: plan.tenant_id,
      breakers,
      limits: answerLimits,
      clock,
      onNotice: (taken) => notice(taken.code, describeNotice(taken)),
    }),
  });
}
