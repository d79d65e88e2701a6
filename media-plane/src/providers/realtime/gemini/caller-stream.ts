import { AudioConverter } from '@voice/shared/audio/converter';
import { type AudioFormat, L16_16K } from '@voice/shared/audio/format';
import { FRAME_MS } from '@voice/shared/audio/g711';
import { FrameRing } from './frame-ring.js';
import { audioMessage, type OutboxMessage } from './outbox.js';

/** Kept while nothing may be sent, in frames (10 s). */
const KEPT_FRAMES = 500;
/** Kept of what no answer has begun to, in messages of 20 ms (30 s). */
const UNANSWERED_MESSAGES = 1500;
/** Kept from before the detector found speech: it is late by its own windows, in messages of 20 ms (400 ms). */
const PREROLL_MESSAGES = 20;
/** When nothing answers for so long after the caller's last sound it was no turn, in messages of 20 ms (10 s). */
const NO_TURN_AFTER_MESSAGES = 500;

export interface CallerStreamOptions {
  readonly format: AudioFormat;
  send(message: OutboxMessage): void;
  /** Called when what the caller said turns out to be no turn: nothing has answered for long. */
  onNoTurn(): void;
}

/**
 * Sends the caller's audio with the provider's turn detection: all of it goes out as it comes. What no answer has begun
 * to is kept, to be said again over another connection.
 */
export class CallerStream {
  readonly #options: CallerStreamOptions;
  readonly #converter: AudioConverter;
  readonly #kept = new FrameRing(KEPT_FRAMES);
  readonly #sent: OutboxMessage[] = [];
  #isSpeaking = false;
  #isUnanswered = false;
  /** Messages since the caller's last sound. */
  #sinceSpeech = 0;

  constructor(options: CallerStreamOptions) {
    this.#options = options;
    this.#converter = new AudioConverter({ from: options.format, to: L16_16K });
  }

  /** Returns what the caller said that no answer has begun to. */
  get unanswered(): readonly OutboxMessage[] {
    return this.#isUnanswered ? this.#sent : [];
  }

  voiceActivity(speaking: boolean): void {
    this.#isSpeaking = speaking;
    this.#isUnanswered ||= speaking;
    this.#sinceSpeech = 0;
  }

  answered(): void {
    this.#isUnanswered = false;
    this.#forget();
  }

  /** Takes 20 ms; the bytes may be reused after the return. With `mute` it is kept until `resume`. */
  write(frame: Uint8Array, mute: boolean): void {
    if (mute) {
      this.#kept.push(frame);
      return;
    }
    const wasUnanswered = this.#isUnanswered;
    this.#send(frame);
    if (wasUnanswered && !this.#isUnanswered) this.#options.onNoTurn();
  }

  resume(): void {
    for (const frame of this.#kept.drain()) this.#send(frame);
  }

  #send(frame: Uint8Array): void {
    const pcm = this.#converter.convert(frame);
    if (pcm.length === 0) return;
    const message = audioMessage(pcm, FRAME_MS);
    this.#keep(message);
    this.#options.send(message);
  }

  #keep(message: OutboxMessage): void {
    if (!this.#isSpeaking && ++this.#sinceSpeech > NO_TURN_AFTER_MESSAGES) this.#isUnanswered = false;
    this.#sent.push(message);
    this.#forget();
  }

  /** Forgets what would not be said again. */
  #forget(): void {
    const most = this.#isUnanswered ? UNANSWERED_MESSAGES : PREROLL_MESSAGES;
    if (this.#sent.length > most) this.#sent.splice(0, this.#sent.length - most);
  }
}
