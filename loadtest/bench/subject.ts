import type { TurnTakingSettings } from '@voice/shared/contracts/agent';
import { DELAYS, IDEAL_RESPONSE_MS, PREEMPTION_DELAYS } from './fixed-delays.js';

/** What carries the callers' audio: a carrier's media stream in mu-law, or a browser's connection in Opus. */
export type BenchLine = 'mulaw' | 'webrtc';
/** What answers them: speech to text, language model and voice, or one speech-to-speech model. */
export type BenchPipeline = 'cascaded' | 'openai' | 'gemini';

/** What a scenario measures. */
export interface Subject {
  readonly line: BenchLine;
  readonly pipeline: BenchPipeline;
  /** What is made of an answer before the turn is over, of callers who pause; absent: nothing, and nobody pauses. */
  readonly preemption?: TurnTakingSettings['preemptive_generation'];
}

/** What all others are set against. */
export const MULAW_CASCADE: Subject = { line: 'mulaw', pipeline: 'cascaded' };

export const isSameSubject = (a: Subject, b: Subject): boolean =>
  a.line === b.line && a.pipeline === b.pipeline;

const LINES = { mulaw: 'mu-law', webrtc: 'WebRTC' } as const;
const PIPELINES = { cascaded: 'cascade', openai: 'OpenAI Realtime', gemini: 'Gemini Live' } as const;

export const titleOf = ({ line, pipeline }: Subject): string => `${LINES[line]} ${PIPELINES[pipeline]}`;

/**
 * Returns the shortest possible answer of a runtime that takes no time, in ms from the caller's last speech frame.
 */
export function idealResponseMs({ pipeline, preemption }: Subject): number {
  if (preemption) return DELAYS.endpointing + PREEMPTION_DELAYS.llmFirstToken + DELAYS.ttsFirstAudio;
  return pipeline === 'cascaded' ? IDEAL_RESPONSE_MS : DELAYS.endpointing + DELAYS.realtimeFirstAudio;
}
