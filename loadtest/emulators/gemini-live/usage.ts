import type { Memory } from './model.js';

/** ai.google.dev/gemini-api/docs/live-api: audio counts 25 tokens a second. */
const AUDIO_TOKENS_PER_MS = 25 / 1000;
/** A usual share for English text. */
const CHARACTERS_PER_TOKEN = 4;

interface ModalityCount {
  readonly modality: 'TEXT' | 'AUDIO';
  readonly tokenCount: number;
}

export interface UsageMetadata {
  readonly promptTokenCount: number;
  readonly cachedContentTokenCount?: number;
  readonly responseTokenCount: number;
  readonly totalTokenCount: number;
  readonly promptTokensDetails: readonly ModalityCount[];
  readonly cacheTokensDetails?: readonly ModalityCount[];
  readonly responseTokensDetails: readonly ModalityCount[];
}

/** Counts what an answer used: its whole context as the prompt, the caller's audio in it by its length. */
export function usageOf(memory: Memory, callerAudioMs: number, answerMs: number): UsageMetadata {
  const text = memory.instruction + memory.messages.map((message) => message.content).join('');
  const textTokens = Math.ceil(text.length / CHARACTERS_PER_TOKEN);
  const audioTokens = Math.ceil(callerAudioMs * AUDIO_TOKENS_PER_MS);
  const answerTokens = Math.ceil(answerMs * AUDIO_TOKENS_PER_MS);
  return {
    promptTokenCount: textTokens + audioTokens,
    responseTokenCount: answerTokens,
    totalTokenCount: textTokens + audioTokens + answerTokens,
    promptTokensDetails: [
      { modality: 'TEXT', tokenCount: textTokens },
      { modality: 'AUDIO', tokenCount: audioTokens },
    ],
    responseTokensDetails: [{ modality: 'AUDIO', tokenCount: answerTokens }],
  };
}
