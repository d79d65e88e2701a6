import { rootMeanSquare } from './caller-audio.js';
import type { TurnDetection } from './session-schema.js';

const FRAME_MS = 20;
const FRAME = 160;
/** Loudness (root mean square of 32,768) that a threshold of 1 stands for. */
const FULL_THRESHOLD_RMS = 800;
/** Loud frames in a row that are speech and no click. */
const MIN_LOUD_FRAMES = 3;
/** Silence after which semantic detection is sure, in ms; the service's own limits are 8, 4 and 2 s. */
const SEMANTIC_SILENCE_MS = { low: 1500, medium: 800, auto: 800, high: 400 } as const;
const SEMANTIC_PADDING_MS = 300;

export type DetectedTurn =
  | { readonly type: 'started'; readonly atMs: number }
  | { readonly type: 'stopped'; readonly atMs: number };

/** Server VAD: finds by loudness where a caller begins and stops to speak. Times in ms of the session's audio. */
export class TurnDetector {
  readonly #settings: TurnDetection;
  #rest = new Int16Array(0);
  #atMs: number;
  #loudFrames = 0;
  #quietMs = 0;
  #speaking = false;

  constructor(settings: TurnDetection, atMs: number) {
    this.#settings = settings;
    this.#atMs = atMs;
  }

  get speaking(): boolean {
    return this.#speaking;
  }

  /** How much audio before the speech belongs to the turn, in ms. */
  get paddingMs(): number {
    return this.#settings.type === 'server_vad' ? this.#settings.prefix_padding_ms : SEMANTIC_PADDING_MS;
  }

  /** Takes samples at 8,000 Hz of any length. */
  *push(samples: Int16Array): Generator<DetectedTurn> {
    const all = new Int16Array(this.#rest.length + samples.length);
    all.set(this.#rest);
    all.set(samples, this.#rest.length);
    let at = 0;
    for (; at + FRAME <= all.length; at += FRAME) {
      const turn = this.#frame(rootMeanSquare(all.subarray(at, at + FRAME)));
      if (turn) yield turn;
    }
    this.#rest = all.slice(at);
  }

  #frame(loudness: number): DetectedTurn | undefined {
    this.#atMs += FRAME_MS;
    const threshold = this.#settings.type === 'server_vad' ? this.#settings.threshold : 0.5;
    const loud = loudness > Math.max(50, threshold * FULL_THRESHOLD_RMS);
    this.#loudFrames = loud ? this.#loudFrames + 1 : 0;
    this.#quietMs = loud ? 0 : this.#quietMs + FRAME_MS;
    if (!this.#speaking && this.#loudFrames >= MIN_LOUD_FRAMES) {
      this.#speaking = true;
      return { type: 'started', atMs: this.#atMs - this.#loudFrames * FRAME_MS };
    }
    if (this.#speaking && this.#quietMs >= this.#silenceMs) {
      this.#speaking = false;
      return { type: 'stopped', atMs: this.#atMs };
    }
    return undefined;
  }

  get #silenceMs(): number {
    return this.#settings.type === 'server_vad'
      ? this.#settings.silence_duration_ms
      : SEMANTIC_SILENCE_MS[this.#settings.eagerness];
  }
}
