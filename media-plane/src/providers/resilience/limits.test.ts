import { expect, it } from 'vitest';
import { testCallPlan } from '../../testing/call-plan.js';
import { DEFAULT_ANSWER_LIMITS, modelLimits, turnDeadlineMs } from './limits.js';

const choice = (provider: string) => ({ provider, model: '', params: {} });
const agent = (tts: string, fallback?: string) =>
  testCallPlan(
    {},
    {
      voice_config: { stt: choice('deepgram'), llm: choice('openai'), tts: choice(tts) },
      fallback_voice_config: fallback ? { tts: choice(fallback) } : {},
    },
  ).agent;

it.each([
  ['elevenlabs', undefined, 6000],
  ['local', undefined, 14_000],
  ['elevenlabs', 'local', 14_000],
])('gives a turn with the voice %s (fallback: %s) %i ms', (tts, fallback, ms) => {
  expect(turnDeadlineMs(DEFAULT_ANSWER_LIMITS, agent(tts, fallback))).toBe(ms);
});

it('leaves time to name the model that failed before the turn is over, and never less than the first token’s', () => {
  expect(modelLimits({ firstTokenMs: 1500, turnMs: 6000 })).toEqual({ firstTokenMs: 1500, turnMs: 5800 });
  expect(modelLimits({ firstTokenMs: 1000, turnMs: 1000 })).toEqual({ firstTokenMs: 1000, turnMs: 1000 });
});
