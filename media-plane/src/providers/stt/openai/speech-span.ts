import { type AudioFormat, bytesPerMs, frameBytes } from '@voice/shared/audio/format';
import { decodeSamples } from '@voice/shared/audio/samples';
import { levelDb } from '../../../audio/level.js';

/** Louder than what a quiet line carries. */
const SPEECH_DB = -45;
const FRAME_MS = 20;

export interface Span {
  readonly startMs: number;
  readonly endMs: number;
}

/** Finds where in the audio somebody may have spoken, by level: the vendor says when nothing was said, not where. */
export class SpeechSpan {
  readonly #format: AudioFormat;
  readonly #perMs: number;
  readonly #samples: Int16Array;
  #atMs = 0;
  #startMs: number | undefined;
  #endMs = 0;

  constructor(format: AudioFormat) {
    this.#format = format;
    this.#perMs = bytesPerMs(format);
    this.#samples = new Int16Array(frameBytes(format));
  }

  /** Position after the audio so far, in ms. */
  get atMs(): number {
    return this.#atMs;
  }

  /** Undefined while all was quiet. */
  get span(): Span | undefined {
    return this.#startMs === undefined ? undefined : { startMs: this.#startMs, endMs: this.#endMs };
  }

  push(audio: Uint8Array): void {
    const step = this.#perMs * FRAME_MS;
    for (let offset = 0; offset < audio.length; offset += step) {
      const piece = audio.subarray(offset, offset + step);
      const startMs = this.#atMs;
      this.#atMs += piece.length / this.#perMs;
      if (levelDb(decodeSamples(this.#format.encoding, piece, this.#samples)) < SPEECH_DB) continue;
      this.#startMs ??= startMs;
      this.#endMs = this.#atMs;
    }
  }

  /** Forgets what was found so far. */
  reset(): void {
    this.#startMs = undefined;
  }
}
