import type { AudioFormat } from '@voice/shared/audio/format';
import { FRAME_MS } from '@voice/shared/audio/g711';
import type { MediaStreamEvent } from './codec.js';
import { Concealment } from './concealment.js';

/** Lost frames that are made up, a second of them; a longer gap stays one. */
const MAX_CONCEALED = 50;

type AudioEvent = Extract<MediaStreamEvent, { type: 'audio' }>;

/**
 * Puts made-up frames in the place of those that a carrier has lost on its side of an ordered stream, so that what
 * follows them is heard, recognised and recorded at its time.
 */
export class LostAudio {
  readonly #concealment: Concealment;
  #missing = 0;
  /** The frame behind the gap. */
  #behind: AudioEvent | undefined;

  constructor(format: AudioFormat) {
    this.#concealment = new Concealment(format);
  }

  /**
   * Takes a frame that came, and how many are missing before it. Returns what is next in the stream; the rest, the
   * frame last, is to be taken by `next` before another frame comes.
   */
  offer(frame: Uint8Array, timestampMs: number, missing: number): AudioEvent {
    this.#missing = missing > MAX_CONCEALED ? 0 : missing;
    this.#behind = { type: 'audio', frame, timestampMs };
    return this.next()!;
  }

  next(): AudioEvent | undefined {
    const behind = this.#behind;
    if (!behind) return undefined;
    if (this.#missing > 0) {
      const timestampMs = behind.timestampMs - this.#missing * FRAME_MS;
      this.#missing--;
      return { type: 'audio', frame: this.#concealment.conceal(), timestampMs, concealed: true };
    }
    this.#behind = undefined;
    this.#concealment.heard(behind.frame);
    return behind;
  }
}
