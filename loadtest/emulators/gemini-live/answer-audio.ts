import { decodeMulaw } from '@voice/shared/audio/g711';
import { resample } from '@voice/shared/audio/resample';
import type { SpeechSource } from '../synthesis/speech.js';

export const ANSWER_RATE = 24_000;
const BYTES_PER_MS = (ANSWER_RATE / 1000) * 2;

export interface AnswerChunk {
  /** Linear PCM, 16 bits, 24 kHz. */
  readonly audio: Buffer;
  readonly audioMs: number;
  /** What is said with it. */
  readonly text: string;
}

/** Speaks a text in pieces of `chunkMs`, each with the words that begin in it. */
export async function answerAudio(
  source: SpeechSource,
  text: string,
  chunkMs: number,
  signal: AbortSignal,
): Promise<AnswerChunk[]> {
  const { audio, chars } = await source.render(text, signal);
  const samples = resample(decodeMulaw(audio), 8000, ANSWER_RATE);
  const bytes = Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength);
  const step = Math.max(1, Math.round(chunkMs)) * BYTES_PER_MS;
  const chunks: AnswerChunk[] = [];
  for (let offset = 0; offset < bytes.length; offset += step) {
    const piece = bytes.subarray(offset, offset + step);
    const fromMs = offset / BYTES_PER_MS;
    const untilMs = offset + step >= bytes.length ? Number.POSITIVE_INFINITY : fromMs + chunkMs;
    const said = chars.filter((char) => char.startMs >= fromMs && char.startMs < untilMs);
    chunks.push({
      audio: piece,
      audioMs: piece.length / BYTES_PER_MS,
      text: said.map((char) => char.char).join(''),
    });
  }
  return chunks;
}
