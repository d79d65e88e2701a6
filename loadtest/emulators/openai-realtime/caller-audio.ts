import { decodeAlaw, decodeMulaw } from '@voice/shared/audio/g711';
import { Resampler } from '@voice/shared/audio/resample';
import type { FrameIndex } from '../recognition/frame-index.js';
import { type RecognisedWord, Recogniser } from '../recognition/recogniser.js';
import type { PhraseMatcher } from './phrase-matcher.js';
import type { RealtimeFormat } from './session-schema.js';

const SAMPLES_PER_MS = 8;
/** Speech is cut into phrases where it pauses for this long, in ms. */
const PHRASE_GAP_MS = 500;
const FRAME = 20 * SAMPLES_PER_MS;
/** Root mean square below which a frame is a pause, of 32,768. */
const PAUSE_RMS = 120;

export interface Recognition {
  readonly index: FrameIndex;
  readonly matcher: Pick<PhraseMatcher, 'match'>;
}

/** Returns the bytes of a millisecond of audio. */
export function bytesPerMs({ type }: RealtimeFormat): number {
  return type === 'audio/pcm' ? 48 : 8;
}

/**
 * All that a session's client has said, at 8,000 Hz, as far as it is still wanted; says what any part of it
 * means. Mu-law is understood by its exact bytes where they are the phrasebook's, all else by its spectrum.
 */
export class CallerAudio {
  readonly #recognition: Recognition;
  #recogniser: Recogniser;
  #words: RecognisedWord[] = [];
  #format: RealtimeFormat;
  #resampler = new Resampler(24_000, 8000);
  #samples = new Int16Array(8000);
  #length = 0;
  /** ms of audio before the first sample that is kept. */
  #startMs = 0;
  #recogniserStartMs = 0;

  constructor(recognition: Recognition, format: RealtimeFormat) {
    this.#recognition = recognition;
    this.#format = format;
    this.#recogniser = new Recogniser(recognition.index);
  }

  /** ms of audio that ever came. */
  get endMs(): number {
    return this.#startMs + this.#length / SAMPLES_PER_MS;
  }

  set format(format: RealtimeFormat) {
    if (format.type === this.#format.type) return;
    this.#format = format;
    this.#resampler = new Resampler(24_000, 8000);
    this.#recogniser = new Recogniser(this.#recognition.index);
    this.#recogniserStartMs = this.endMs;
  }

  /** Takes audio in the session's input format; returns it as samples at 8,000 Hz. */
  append(bytes: Uint8Array): Int16Array {
    const samples = this.#decode(bytes);
    if (this.#format.type === 'audio/pcmu') {
      for (const heard of this.#recogniser.push(bytes)) {
        for (const word of heard.words) {
          this.#words.push({
            text: word.text,
            startMs: word.startMs + this.#recogniserStartMs,
            endMs: word.endMs + this.#recogniserStartMs,
          });
        }
      }
    }
    if (this.#length + samples.length > this.#samples.length) {
      const larger = new Int16Array((this.#length + samples.length) * 2);
      larger.set(this.#samples.subarray(0, this.#length));
      this.#samples = larger;
    }
    this.#samples.set(samples, this.#length);
    this.#length += samples.length;
    return samples;
  }

  /**
   * Recognises what was said between two moments, in ms since the session's first audio; empty when it means
   * nothing.
   */
  understand(fromMs: number, toMs: number): string {
    const exact = this.#words.filter((word) => word.endMs > fromMs && word.endMs <= toMs + 20);
    if (exact.length > 0) return exact.map((word) => word.text).join(' ');
    const from = Math.max(0, Math.round((fromMs - this.#startMs) * SAMPLES_PER_MS));
    const to = Math.round((toMs - this.#startMs) * SAMPLES_PER_MS);
    const samples = this.#samples.subarray(from, Math.min(to, this.#length));
    return phrasesOf(samples)
      .flatMap((phrase) => this.#recognition.matcher.match(phrase) ?? [])
      .join(' ');
  }

  /** Frees what lies before a moment. */
  forget(beforeMs: number): void {
    const drop = Math.min(this.#length, Math.round((beforeMs - this.#startMs) * SAMPLES_PER_MS));
    if (drop <= 0) return;
    this.#samples.copyWithin(0, drop, this.#length);
    this.#length -= drop;
    this.#startMs += drop / SAMPLES_PER_MS;
    this.#words = this.#words.filter((word) => word.endMs > beforeMs);
  }

  #decode(bytes: Uint8Array): Int16Array {
    switch (this.#format.type) {
      case 'audio/pcmu':
        return decodeMulaw(bytes);
      case 'audio/pcma':
        return decodeAlaw(bytes);
      case 'audio/pcm': {
        // The bytes of a message need not begin where a 16-bit number may.
        const aligned = new Uint8Array(bytes);
        return this.#resampler.process(new Int16Array(aligned.buffer, 0, aligned.length >> 1));
      }
    }
  }
}

/** Finds the stretches of speech between long pauses. */
function phrasesOf(samples: Int16Array): Int16Array[] {
  const phrases: Int16Array[] = [];
  let start: number | undefined;
  let quietMs = 0;
  for (let at = 0; at + FRAME <= samples.length; at += FRAME) {
    const loud = rootMeanSquare(samples.subarray(at, at + FRAME)) > PAUSE_RMS;
    if (loud) {
      start ??= at;
      quietMs = 0;
      continue;
    }
    quietMs += 20;
    if (start !== undefined && quietMs >= PHRASE_GAP_MS) {
      phrases.push(samples.subarray(start, at));
      start = undefined;
    }
  }
  if (start !== undefined) phrases.push(samples.subarray(start));
  return phrases;
}

/** Loudness of samples, of 32,768. */
export function rootMeanSquare(samples: Int16Array): number {
  let sum = 0;
  for (const sample of samples) sum += sample * sample;
  return samples.length === 0 ? 0 : Math.sqrt(sum / samples.length);
}
