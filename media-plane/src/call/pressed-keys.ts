import { convertAudio } from '@voice/shared/audio/converter';
import { dtmfTones } from '@voice/shared/audio/dtmf';
import { type AudioFormat, PCMU_8K } from '@voice/shared/audio/format';
import type { PacedOutput } from '../streams/pacer-port.js';

/**
 * Keys that the agent presses, as their tones in its audio: a media stream has no other way to send them. The
 * output knows them as turns with numbers below zero; the agent's own count up from one.
 */
export class PressedKeys {
  readonly #output: PacedOutput;
  readonly #sounding = new Map<number, () => void>();
  #queue: Promise<void> = Promise.resolve();
  readonly #format: AudioFormat;
  #last = 0;

  constructor(output: PacedOutput, format: AudioFormat) {
    this.#output = output;
    this.#format = format;
  }

  /** Resolves when the tones of `digits` were heard; one call after the other. Nothing else may be playing. */
  press(digits: string, signal: AbortSignal): Promise<void> {
    const pressed = this.#queue.then(() => {
      signal.throwIfAborted();
      return this.#sound(convertAudio(dtmfTones(digits), { from: PCMU_8K, to: this.#format }));
    });
    this.#queue = pressed.catch(() => {});
    return pressed;
  }

  /** Whether the output's turn is keys. */
  static are(turn: number): boolean {
    return turn < 0;
  }

  /** The output has played these to their end. */
  finished(turn: number): void {
    const heard = this.#sounding.get(turn);
    this.#sounding.delete(turn);
    heard?.();
  }

  #sound(tones: Uint8Array): Promise<void> {
    const turn = --this.#last;
    return new Promise((resolve) => {
      this.#sounding.set(turn, resolve);
      this.#output.begin(turn);
      this.#output.write(turn, tones);
      this.#output.finish(turn);
    });
  }
}
