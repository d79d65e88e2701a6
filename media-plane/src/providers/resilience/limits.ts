import { isKeyless } from '@voice/shared/catalogue/providers';
import type { AgentSnapshot } from '@voice/shared/contracts/agent';
import type { AnswerLimits } from './answer-policy.js';

/** How long a provider may take, in ms. */
export interface StageLimits {
  /** To the first output: past it a notice is published, and nothing else happens. */
  readonly budgetMs: number;
  /** To the first output: past it the attempt is given up as `timed_out`. */
  readonly firstTimeoutMs: number;
  /** From one output to the next while one is expected: past it the attempt is given up. */
  readonly idleTimeoutMs: number;
}

/** How long an answer may take, by the worker's configuration. */
export const DEFAULT_ANSWER_LIMITS: AnswerLimits = { firstTokenMs: 1500, turnMs: 6000 };

/**
 * What a turn's deadline leaves to the call after the model's own, in ms: so that the model that failed is named before
 * the call apologises.
 */
const NAMED_BEFORE_MS = 200;
/** Silence in mid-answer, or before a voice's first audio, that a connection which died unseen is known by, in ms. */
const SILENT_CONNECTION_MS = 2000;

/** To a local voice's first audio, and from one piece of it to the next, in ms. */
const LOCAL_VOICE_MS = 8000;

/** The budget is what people expect on the phone (Twilio's guidance). */
export function languageModelLimits({ turnMs }: AnswerLimits): StageLimits {
  return { budgetMs: 750, firstTimeoutMs: turnMs, idleTimeoutMs: SILENT_CONNECTION_MS };
}

/** Returns the limits of the models of a turn whose deadline is `turnMs`. */
export function modelLimits({ firstTokenMs, turnMs }: AnswerLimits): AnswerLimits {
  return { firstTokenMs, turnMs: Math.max(firstTokenMs, turnMs - NAMED_BEFORE_MS) };
}

/** Returns how long the agent's answers may take to their first audio, in ms: longer with a voice of this machine. */
export function turnDeadlineMs({ turnMs }: AnswerLimits, agent: AgentSnapshot): number {
  const { voice_config: voice, fallback_voice_config: fallbacks } = agent;
  const voices = [...('tts' in voice ? [voice.tts] : []), ...(fallbacks.tts ? [fallbacks.tts] : [])];
  return voices.some(({ provider }) => isKeyless('tts', provider)) ? turnMs + LOCAL_VOICE_MS : turnMs;
}

/**
 * A voice of this machine has no connection that could die, and its end is known at once. A machine that is busy needs
 * its time: to give up and begin again would only make it busier.
 */
export function textToSpeechLimits(provider: string): StageLimits {
  const isLocal = isKeyless('tts', provider);
  return {
    budgetMs: 250,
    firstTimeoutMs: isLocal ? LOCAL_VOICE_MS : SILENT_CONNECTION_MS,
    idleTimeoutMs: isLocal ? LOCAL_VOICE_MS : SILENT_CONNECTION_MS,
  };
}
