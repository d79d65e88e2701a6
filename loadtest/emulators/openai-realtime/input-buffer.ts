import { bytesPerMs, CallerAudio, type Recognition } from './caller-audio.js';
import { newId } from './ids.js';
import type { SessionConfig } from './session-config.js';
import { TurnDetector } from './turn-detector.js';

/** What the service accepts in one `append`. */
const MAX_APPEND_BYTES = 15 * 1024 * 1024;
/** A buffer that is committed must hold this much, in ms. */
export const MIN_COMMIT_MS = 100;

export interface BufferedTurn {
  readonly itemId: string;
  readonly text: string;
  readonly audioMs: number;
}

export interface InputBufferListener {
  onSpeechStarted(startMs: number, itemId: string): void;
  /** Handles a turn that the detector ended; the buffer holds it. */
  onSpeechStopped(endMs: number, itemId: string): void;
}

/** The input audio buffer: collects the caller's audio until somebody, or the turn detector, commits it. */
export class InputBuffer {
  readonly #audio: CallerAudio;
  readonly #listener: InputBufferListener;
  #config: SessionConfig['audio']['input'];
  #detector: TurnDetector | undefined;
  /** Where what is in the buffer begins, in ms of the session's audio. */
  #startMs = 0;
  #itemId = newId('item');

  constructor(
    recognition: Recognition,
    config: SessionConfig['audio']['input'],
    listener: InputBufferListener,
  ) {
    this.#audio = new CallerAudio(recognition, config.format);
    this.#listener = listener;
    this.#config = config;
    this.configure(config);
  }

  /** ms of audio that ever came. */
  get endMs(): number {
    return this.#audio.endMs;
  }

  /** ms of audio in the buffer. */
  get bufferedMs(): number {
    return this.#audio.endMs - this.#startMs;
  }

  get speaking(): boolean {
    return this.#detector?.speaking ?? false;
  }

  configure(config: SessionConfig['audio']['input']): void {
    const changed = this.#config.turn_detection !== config.turn_detection || !this.#detector;
    this.#config = config;
    this.#audio.format = config.format;
    if (!changed) return;
    const settings = config.turn_detection;
    this.#detector = settings ? new TurnDetector(settings, this.endMs) : undefined;
  }

  /** Takes base64 audio; returns its ms, or what is wrong with it. */
  append(base64: string): number | string {
    if (base64.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(base64)) {
      return "Invalid 'audio'. Expected base64-encoded audio bytes in the format of the session.";
    }
    const bytes = Buffer.from(base64, 'base64');
    if (bytes.length > MAX_APPEND_BYTES) return "Invalid 'audio'. It is longer than 15 MiB.";
    if (this.#config.format.type === 'audio/pcm' && bytes.length % 2 !== 0) {
      return "Invalid 'audio'. 16-bit audio has an even number of bytes.";
    }
    const samples = this.#audio.append(bytes);
    const detector = this.#detector;
    if (!detector) return bytes.length / bytesPerMs(this.#config.format);
    for (const turn of detector.push(samples)) {
      if (turn.type === 'started') {
        this.#startMs = Math.max(this.#startMs, turn.atMs - detector.paddingMs);
        this.#listener.onSpeechStarted(this.#startMs, this.#itemId);
      } else {
        this.#listener.onSpeechStopped(turn.atMs, this.#itemId);
      }
    }
    // Without speech only what would be put before it is kept.
    if (!detector.speaking) this.#advance(this.endMs - detector.paddingMs - 100);
    return bytes.length / bytesPerMs(this.#config.format);
  }

  /** Takes the buffer's content as a turn of the caller. */
  take(): BufferedTurn {
    const audioMs = this.bufferedMs;
    const turn = { itemId: this.#itemId, text: this.#audio.understand(this.#startMs, this.endMs), audioMs };
    this.clear();
    return turn;
  }

  clear(): void {
    this.#advance(this.endMs);
    this.#itemId = newId('item');
  }

  #advance(toMs: number): void {
    if (toMs <= this.#startMs) return;
    this.#startMs = toMs;
    this.#audio.forget(toMs);
  }
}
