import { FRAME_MS } from '@voice/shared/audio/g711';
import type { Clock, Timer } from '@voice/shared/clock/clock';
import { TALK_BYTES_PER_MS } from './sound-programs.js';

/** How far the speaker is fed ahead, in ms: enough for its buffer, short enough to fall silent at once. */
export const LEAD_MS = 100;

export interface PlaybackOptions {
  readonly clock: Clock;
  /** Takes raw 16-bit PCM. */
  readonly write: (pcm: Buffer) => void;
  /** All audio before the mark has been played, or was dropped. */
  readonly onMark: (name: string) => void;
}

/**
 * Feeds the agent's audio to the speaker in real time. It comes faster than it is played: what waits, waits here, so
 * that an interruption can drop it. Where nothing waits the speaker gets silence, or it would stutter.
 */
export class Playback {
  readonly #options: PlaybackOptions;
  readonly #startedAt: number;
  #queue: Buffer[] = [];
  #queuedBytes = 0;
  /** Bytes fed so far, silence too. */
  #fed = 0;
  /** By how many bytes fed each is due; the queue before it counts. */
  #marks: { readonly name: string; readonly due: number }[] = [];
  #timer: Timer;

  constructor(options: PlaybackOptions) {
    this.#options = options;
    this.#startedAt = options.clock.monotonic();
    this.#timer = options.clock.schedule(FRAME_MS, () => this.#tick());
  }

  /** Whether the agent can be heard at the moment. */
  get isAudible(): boolean {
    return this.#queuedBytes > 0;
  }

  add(pcm: Buffer): void {
    this.#queue.push(pcm);
    this.#queuedBytes += pcm.length;
  }

  /** Reports the mark when what waits now has been played. */
  mark(name: string): void {
    this.#marks.push({ name, due: this.#fed + this.#queuedBytes + LEAD_MS * TALK_BYTES_PER_MS });
  }

  /** Drops what waits, and reports the marks that stood behind it. */
  clear(): void {
    this.#queue = [];
    this.#queuedBytes = 0;
    for (const { name } of this.#marks.splice(0)) this.#options.onMark(name);
  }

  close(): void {
    this.#timer.cancel();
  }

  #tick(): void {
    const elapsedMs = this.#options.clock.monotonic() - this.#startedAt;
    const due = Math.floor((elapsedMs + LEAD_MS) / FRAME_MS) * FRAME_MS * TALK_BYTES_PER_MS;
    if (due > this.#fed) this.#options.write(this.#take(due - this.#fed));
    while (this.#marks[0] && this.#marks[0].due <= this.#fed) this.#options.onMark(this.#marks.shift()!.name);
    this.#timer = this.#options.clock.schedule(FRAME_MS, () => this.#tick());
  }

  #take(length: number): Buffer {
    const pcm = Buffer.alloc(length);
    let filled = 0;
    while (filled < length && this.#queue[0]) {
      const next = this.#queue[0];
      const copied = next.copy(pcm, filled);
      filled += copied;
      if (copied === next.length) this.#queue.shift();
      else this.#queue[0] = next.subarray(copied);
    }
    this.#queuedBytes -= filled;
    this.#fed += length;
    return pcm;
  }
}
