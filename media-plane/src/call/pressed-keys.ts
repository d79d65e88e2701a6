import { convertAudio } from '@voice/shared/audio/converter';
import { dtmfTones } from '@voice/shared/audio/dtmf';
import { type AudioFormat, PCMU_8K } from '@voice/shared/audio/format';
import { keysAudio } from '../streams/audio-id.js';
import type { PacedOutput } from '../streams/pacer-port.js';

/** Presses keys as their tones in the agent's audio: a media stream has no other way to send them. */
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

  /** Resolves the press that the output has played to its end. */
  finished(press: number): void {
    const heard = this.#sounding.get(press);
    this.#sounding.delete(press);
    heard?.();
  }

  #sound(tones: Uint8Array): Promise<void> {
    const press = ++this.#last;
    const id = keysAudio(press);
    return new Promise((resolve) => {
      this.#sounding.set(press, resolve);
      this.#output.begin(id);
      this.#output.write(id, tones);
      this.#output.finish(id);
    });
  }
}
