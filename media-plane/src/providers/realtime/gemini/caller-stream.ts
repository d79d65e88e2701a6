import { AudioConverter } from '@voice/shared/audio/converter';
import { type AudioFormat, L16_16K } from '@voice/shared/audio/format';
import { FRAME_MS } from '@voice/shared/audio/g711';
import { FrameRing } from './frame-ring.js';
import { audioMessage, type OutboxMessage } from './outbox.js';

/** Kept while nothing may be sent, in frames (10 s). */
const KEPT_FRAMES = 500;

export interface CallerStreamOptions {
  readonly format: AudioFormat;
  send(message: OutboxMessage): void;
}

/** Sends the caller's audio with the provider's turn detection: all of it goes out as it comes. */
export class CallerStream {
  readonly #options: CallerStreamOptions;
  readonly #converter: AudioConverter;
  readonly #kept = new FrameRing(KEPT_FRAMES);

  constructor(options: CallerStreamOptions) {
    this.#options = options;
    this.#converter = new AudioConverter({ from: options.format, to: L16_16K });
  }

  /** Takes 20 ms; the bytes may be reused after the return. With `mute` it is kept until `resume`. */
  write(frame: Uint8Array, mute: boolean): void {
    if (mute) this.#kept.push(frame);
    else this.#send(frame);
  }

  resume(): void {
    for (const frame of this.#kept.drain()) this.#send(frame);
  }

  #send(frame: Uint8Array): void {
    const pcm = this.#converter.convert(frame);
    if (pcm.length > 0) this.#options.send(audioMessage(pcm, FRAME_MS));
  }
}
