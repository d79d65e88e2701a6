import { AudioConverter } from '@voice/shared/audio/converter';
import { type AudioFormat, L16_16K } from '@voice/shared/audio/format';
import { FRAME_MS } from '@voice/shared/audio/g711';
import { FrameRing } from './frame-ring.js';
import { audioMessage, control, type OutboxMessage } from './outbox.js';

/** Kept of a turn that may not be sent yet, and before a turn whose beginning was missed, in frames (10 s). */
const KEPT_FRAMES = 500;
/** Sent from before the detector found speech: it is late by its own windows, in frames (400 ms). */
const PREROLL_FRAMES = 20;

export interface CallerAudioOptions {
  readonly format: AudioFormat;
  send(message: OutboxMessage): void;
  /** Called before a turn is opened: what must be sent to the model before it. */
  onOpening(): void;
}

/**
 * Sends the caller's audio with our own turn detection: only turns are sent, each between the marks of its activity, as
 * its frames come. The start of activity interrupts the model, so a turn that begins while the agent has the floor is
 * held back until it is given the floor (`release`), is over (`commit`) or was nothing (`discard`).
 */
export class CallerAudio {
  readonly #options: CallerAudioOptions;
  readonly #ring = new FrameRing(KEPT_FRAMES);
  #converter: AudioConverter;
  #state: 'idle' | 'held' | 'open' = 'idle';

  constructor(options: CallerAudioOptions) {
    this.#options = options;
    this.#converter = this.#newConverter();
  }

  get state(): 'idle' | 'held' | 'open' {
    return this.#state;
  }

  /** Takes 20 ms; the bytes may be reused after the return. */
  write(frame: Uint8Array): void {
    if (this.#state === 'open') this.#sendAudio(this.#converter.convert(frame), FRAME_MS);
    else this.#ring.push(frame);
  }

  /** Begins a turn: the detector found speech. */
  start(hold: boolean): void {
    if (this.#state !== 'idle') return;
    this.#ring.keep(PREROLL_FRAMES);
    this.#state = 'held';
    if (!hold) this.release();
  }

  /** Sends what was held back, and what follows as it comes. */
  release(): void {
    if (this.#state === 'open') return;
    this.#options.onOpening();
    this.#state = 'open';
    this.#converter = this.#newConverter();
    this.#options.send(control({ realtimeInput: { activityStart: {} } }));
    for (const frame of this.#ring.drain()) this.#sendAudio(this.#converter.convert(frame), FRAME_MS);
  }

  /** Ends the turn: the model answers to it. */
  commit(): void {
    this.release();
    this.#sendAudio(this.#converter.flush(), 0);
    this.#options.send(control({ realtimeInput: { activityEnd: {} } }));
    this.#state = 'idle';
  }

  /** Forgets a turn that was not sent; false when it was, and must be committed. */
  discard(): boolean {
    if (this.#state === 'open') return false;
    this.#ring.keep(0);
    this.#state = 'idle';
    return true;
  }

  #sendAudio(pcm: Uint8Array, audioMs: number): void {
    if (pcm.length > 0) this.#options.send(audioMessage(pcm, audioMs));
  }

  #newConverter(): AudioConverter {
    return new AudioConverter({ from: this.#options.format, to: L16_16K });
  }
}
