import { type AudioFormat, frameBytes } from '@voice/shared/audio/format';
import { FRAME_MS, PHONE_SAMPLE_RATE } from '@voice/shared/audio/g711';
import { SampleReader } from '@voice/shared/audio/sample-reader';
import { levelDb } from './level.js';

/** A steady tone that was followed by silence. */
export interface Beep {
  readonly hz: number;
  readonly ms: number;
}

/** Where answering machines' tones are, in Hz. */
const LOWEST_HZ = 400;
const HIGHEST_HZ = 2200;
/** From this on it is a tone, in ms: a vowel or the key of a phone is not so pure for so long. */
const SHORTEST_MS = 200;
/** Longer is no beep: a fax, a dial tone, a held note. In ms. */
const LONGEST_MS = 3000;
/** Silence after it, in ms, … */
const SILENCE_MS = 100;
/** … is so much quieter, in dB. */
const QUIETER_DB = 15;
/** Quieter than this, in dB, nothing is looked for. */
const FLOOR_DB = -45;
/** How much of a frame's power is at the one frequency; two tones at once have half each. */
const PURITY = 0.85;
/** How far the frames of one tone may differ. */
const SAME_HZ = 25;
const SAME_DB = 6;

/**
 * Finds the beep at the end of a greeting: a steady pure tone, then silence. A frame's frequency is estimated by the
 * recurrence that every sine obeys (each sample is a multiple of the one before, less the one before that), and one
 * Goertzel filter at that frequency says how much of the power is there: two passes over 160 samples, not a bank of
 * filters.
 */
export class BeepDetector {
  readonly #reader: SampleReader;
  readonly #bytes: number;
  readonly #onBeep: (beep: Beep) => void;
  #hz = 0;
  #db = 0;
  #toneMs = 0;
  #silentMs = 0;

  constructor(format: AudioFormat, onBeep: (beep: Beep) => void) {
    this.#reader = new SampleReader({ format, sampleRate: PHONE_SAMPLE_RATE });
    this.#bytes = frameBytes(format);
    this.#onBeep = onBeep;
  }

  /** Takes 20 ms in the line's format; another length breaks what was being heard. */
  write(frame: Uint8Array): void {
    const samples = this.#reader.read(frame);
    if (frame.length !== this.#bytes || samples.length === 0) {
      this.#forget();
      return;
    }
    const db = levelDb(samples);
    const hz = db < FLOOR_DB ? 0 : pureTone(samples);
    if (hz !== 0 && this.#goesOn(hz, db)) {
      this.#toneMs += FRAME_MS;
      return;
    }
    if (this.#toneMs < SHORTEST_MS || this.#toneMs > LONGEST_MS) this.#begin(hz, db);
    else this.#afterTone(hz, db);
  }

  #goesOn(hz: number, db: number): boolean {
    return (
      this.#toneMs > 0 &&
      this.#silentMs === 0 &&
      Math.abs(hz - this.#hz) <= SAME_HZ &&
      Math.abs(db - this.#db) <= SAME_DB
    );
  }

  #begin(hz: number, db: number): void {
    this.#forget();
    if (hz === 0) return;
    this.#hz = hz;
    this.#db = db;
    this.#toneMs = FRAME_MS;
  }

  #afterTone(hz: number, db: number): void {
    this.#silentMs += FRAME_MS;
    // The frame in which it ends may be half a tone.
    if (this.#silentMs === FRAME_MS) return;
    if (db > this.#db - QUIETER_DB) {
      this.#begin(hz, db);
      return;
    }
    if (this.#silentMs < SILENCE_MS) return;
    const beep = { hz: this.#hz, ms: this.#toneMs };
    this.#forget();
    this.#onBeep(beep);
  }

  #forget(): void {
    this.#toneMs = 0;
    this.#silentMs = 0;
  }
}

/** Returns the frequency of a frame that is one tone, in Hz; 0 for anything else. */
function pureTone(samples: Int16Array): number {
  let cross = 0;
  let power = 0;
  for (let i = 1; i < samples.length - 1; i++) {
    const sample = samples[i]!;
    cross += sample * (samples[i - 1]! + samples[i + 1]!);
    power += sample * sample;
  }
  if (power === 0) return 0;
  const cosine = cross / (2 * power);
  if (cosine <= -1 || cosine >= 1) return 0;
  const angle = Math.acos(cosine);
  const hz = (angle * PHONE_SAMPLE_RATE) / (2 * Math.PI);
  if (hz < LOWEST_HZ || hz > HIGHEST_HZ) return 0;
  return shareAt(samples, cosine) >= PURITY ? hz : 0;
}

/** Returns how much of the frame's power is at the frequency with this cosine, 0 to about 1 (Goertzel). */
function shareAt(samples: Int16Array, cosine: number): number {
  const coefficient = 2 * cosine;
  let before = 0;
  let last = 0;
  let power = 0;
  for (let i = 0; i < samples.length; i++) {
    const sample = samples[i]!;
    const next = sample + coefficient * last - before;
    before = last;
    last = next;
    power += sample * sample;
  }
  const at = last * last + before * before - coefficient * last * before;
  return (2 * at) / (samples.length * power);
}
