import { type AudioFormat, bytesPerMs } from '@voice/shared/audio/format';
import { HeardText } from '../conversation/heard-text.js';
import type { SpeechChunk } from '../providers/tts/port.js';
import type { TurnCut } from '../providers/usage/turn-cut.js';
import { type AudioId, turnAudio } from '../streams/audio-id.js';
import type { PacedOutput } from '../streams/pacer-port.js';

/** Audio that a turn may hold before it is audible: the longest answer that makes sense, in ms. */
const MAX_HELD_MS = 2 * 60_000;

export interface SpokenTurnOptions {
  readonly turn: number;
  readonly output: PacedOutput;
  readonly format: AudioFormat;
  /** Whether it is not sure that the turn will be heard. */
  readonly isSpeculative?: boolean;
}

/**
 * Plays one turn of the agent: holds its audio until the turn may be heard, then writes it to the paced output.
 * Aborting it stops its model and voice; nothing of it is accepted afterwards.
 */
export class SpokenTurn {
  readonly controller = new AbortController();
  readonly heard = new HeardText();
  readonly #options: SpokenTurnOptions;
  readonly #id: AudioId;
  readonly #bytesPerMs: number;
  #held: Uint8Array[] = [];
  #heldBytes = 0;
  #playing = false;
  #complete = false;
  #resumeIntake: (() => void) | undefined;
  /** Resolves when it is sure that the turn will be heard, and when it is aborted. */
  readonly released: Promise<void>;
  #release: () => void = () => {};
  #isSpeculative: boolean;

  constructor(options: SpokenTurnOptions) {
    this.#options = options;
    this.#id = turnAudio(options.turn);
    this.#isSpeculative = options.isSpeculative ?? false;
    this.#bytesPerMs = bytesPerMs(options.format);
    this.released = new Promise((resolve) => {
      this.#release = resolve;
    });
    const end = () => {
      this.#resumeIntake?.();
      this.release();
    };
    this.signal.addEventListener('abort', end, { once: true });
  }

  get turn(): number {
    return this.#options.turn;
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  get playing(): boolean {
    return this.#playing;
  }

  /** Returns whether any audio has come. */
  get hasAudio(): boolean {
    return this.heard.audioMs > 0;
  }

  /** Takes audio from the voice. The promise, where there is one, holds the voice back. */
  accept(chunk: SpeechChunk): Promise<void> | void {
    this.heard.addAudio(chunk.audio.length / this.#bytesPerMs, chunk.alignment);
    if (chunk.audio.length === 0) return;
    if (this.#playing) {
      this.#options.output.write(this.#id, chunk.audio);
      return this.#options.output.ready(this.#id, this.signal);
    }
    this.#held.push(chunk.audio);
    this.#heldBytes += chunk.audio.length;
    if (this.#heldBytes / this.#bytesPerMs < MAX_HELD_MS) return;
    return new Promise((resolve) => {
      this.#resumeIntake = resolve;
    });
  }

  /** Completes the turn: the voice has given all its audio. */
  complete(): void {
    this.#complete = true;
    this.heard.complete();
    if (this.#playing) this.#options.output.finish(this.#id);
  }

  /** Makes the turn audible. */
  play(): void {
    this.#playing = true;
    this.#options.output.begin(this.#id);
    for (const audio of this.#held) this.#options.output.write(this.#id, audio);
    this.#held = [];
    this.#resumeIntake?.();
    if (this.#complete) this.#options.output.finish(this.#id);
  }

  /** Returns whether it is not sure that the turn will be heard. */
  get isSpeculative(): boolean {
    return this.#isSpeculative;
  }

  /** Makes a speculative turn sure: the voice may speak all of it. */
  release(): void {
    this.#isSpeculative = false;
    this.#release();
  }

  /** @param cut what of it was made in vain, where that is known */
  abort(cut?: TurnCut): void {
    this.#held = [];
    this.controller.abort(cut);
  }
}
