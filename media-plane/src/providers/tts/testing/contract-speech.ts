import { resample } from '@voice/shared/audio/resample';
import { levelDb } from '../../../audio/level.js';
import type { SpeechChunk, Voice } from '../port.js';

/** What came of a turn. */
export interface Spoken {
  readonly audio: Buffer;
  readonly chars: string[];
  readonly startMs: number[];
  readonly endMs: number[];
  readonly error: unknown;
}

/** Returns how much of the power lies above a phone's band; 0 where the rate has nothing there. */
export function shareAbove(hz: number, samples: Int16Array, sampleRate: number): number {
  if (sampleRate / 2 < 2 * hz) return 0;
  const within = resample(samples, sampleRate, 8000);
  const powerOf = (piece: Int16Array) => 10 ** (levelDb(piece) / 10);
  return Math.max(0, 1 - powerOf(within) / powerOf(samples));
}

/** Lets a voice speak these sentences. */
export async function speak(
  voice: Voice,
  sentences: readonly string[],
  signal: AbortSignal = new AbortController().signal,
  onFirstAudio: () => void = () => {},
): Promise<Spoken> {
  async function* given() {
    yield* sentences;
  }
  return collect(voice, given(), signal, onFirstAudio);
}

/** Collects everything that a voice makes of its sentences. */
export async function collect(
  voice: Voice,
  sentences: AsyncIterable<string>,
  signal: AbortSignal,
  onFirstAudio: () => void = () => {},
): Promise<Spoken> {
  const chunks: SpeechChunk[] = [];
  let error: unknown;
  try {
    for await (const chunk of voice.speak(sentences, signal)) {
      if (chunks.length === 0) onFirstAudio();
      chunks.push(chunk);
    }
  } catch (thrown) {
    error = thrown;
  }
  const alignments = chunks.flatMap((chunk) => (chunk.alignment ? [chunk.alignment] : []));
  return {
    audio: Buffer.concat(chunks.map((chunk) => chunk.audio)),
    chars: alignments.flatMap((alignment) => alignment.chars),
    startMs: alignments.flatMap((alignment) => alignment.startMs),
    endMs: alignments.flatMap(({ startMs, durationMs }) => startMs.map((ms, i) => ms + durationMs[i]!)),
    error,
  };
}
