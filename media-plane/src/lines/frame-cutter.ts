import { type AudioFormat, bytesPerMs, frameBytes } from '@voice/shared/audio/format';
import { FRAME_MS } from '@voice/shared/audio/g711';

/** `concealed`: (part of) the frame never came and was made up. */
export type FrameListener = (frame: Uint8Array, positionMs: number, concealed: boolean) => void;

/**
 * Cuts audio of any length into whole frames of 20 ms; a rest waits for the next piece. What comes as one frame
 * goes on as it is, without a copy.
 */
export class FrameCutter {
  readonly #bytesPerMs: number;
  readonly #partial: Uint8Array;
  readonly #onFrame: FrameListener;
  #held = 0;
  #heldPositionMs = 0;
  #heldConcealed = false;

  /** @param onFrame the frame's bytes may be reused after the return */
  constructor(format: AudioFormat, onFrame: FrameListener) {
    this.#bytesPerMs = bytesPerMs(format);
    this.#partial = new Uint8Array(frameBytes(format));
    this.#onFrame = onFrame;
  }

  /** @param positionMs of the first byte, since the stream began */
  write(audio: Uint8Array, positionMs: number, concealed = false): void {
    const length = this.#partial.length;
    if (audio.length === length && this.#held === 0) {
      this.#onFrame(audio, positionMs, concealed);
      return;
    }
    let from = 0;
    while (from < audio.length) {
      if (this.#held === 0) {
        this.#heldPositionMs = positionMs + from / this.#bytesPerMs;
        this.#heldConcealed = false;
      }
      this.#heldConcealed ||= concealed;
      const take = Math.min(length - this.#held, audio.length - from);
      this.#partial.set(audio.subarray(from, from + take), this.#held);
      this.#held += take;
      from += take;
      if (this.#held < length) break;
      this.#held = 0;
      this.#onFrame(this.#partial, this.#heldPositionMs, this.#heldConcealed);
    }
  }

  /** Returns audio that waits for the rest of its frame, in ms. */
  get heldMs(): number {
    return (this.#held / this.#partial.length) * FRAME_MS;
  }
}
