import { FRAME_MS } from '@voice/shared/audio/g711';
import type { Clock } from '@voice/shared/clock/clock';

/** How long frames wait for one that is missing, in ms; then it is given up as lost. */
const LONGEST_WAIT_MS = 60;
/** Frames that may wait, however fast they come: half a second. */
const MAX_WAITING = 25;
/** A stream's first frame may be overtaken by this many others. */
const FIRST_OVERTAKEN_BY = 3;
/** A frame this far behind is no late one: the numbering has started again. */
const RESTART_DISTANCE = 25;
/** Late frames in a row, each the successor of the one before, that show the same. */
const RESTART_RUN = 3;
/** Lost frames that are made up; a longer gap stays one, for nothing that was made up would be of use. */
const MAX_CONCEALED = 10;

interface WaitingFrame {
  readonly chunk: number;
  readonly frame: Uint8Array;
  readonly timestampMs: number;
}

/** A frame whose turn it is, or one that was lost. `timestampMs` never goes back. */
export type FrameInOrder =
  | { readonly kind: 'frame'; readonly frame: Uint8Array; readonly timestampMs: number }
  | { readonly kind: 'lost'; readonly timestampMs: number };

/**
 * Brings frames into the order of their chunk numbers. A frame that is next passes at once; one that is early
 * waits for those before it, 60 ms at most; one that is late, or a repeat, is dropped. A numbering that starts
 * again (the carrier has connected anew on its side) goes on where the stream was.
 */
export class FrameOrder {
  readonly #clock: Clock;
  #next: number | undefined;
  readonly #waiting: WaitingFrame[] = [];
  /** Since when the frame that is next is waited for, monotonic ms. */
  #waitingSince = 0;
  /** Added to the carrier's timestamps, so that they go on after a restart. */
  #offsetMs = 0;
  /** Where the stream is: the position behind the last frame. */
  #positionMs: number | undefined;
  #lastLate = Number.NaN;
  #lateRun = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns the frame itself when it is its turn. What is kept is copied: the bytes may be reused after the return. */
  offer(chunk: number, frame: Uint8Array, timestampMs: number): FrameInOrder | undefined {
    this.#next ??= chunk <= 1 + FIRST_OVERTAKEN_BY ? Math.min(chunk, 1) : chunk;
    if (chunk < this.#next && !this.#hasRestarted(chunk)) return undefined;
    if (chunk < this.#next) this.#restart(chunk, timestampMs);
    this.#lateRun = 0;
    if (chunk === this.#next && this.#waiting[0]?.chunk !== chunk)
      return this.#pass(chunk, frame, timestampMs);
    const place = this.#waiting.findIndex((waiting) => waiting.chunk >= chunk);
    if (this.#waiting[place]?.chunk === chunk) return undefined;
    if (this.#waiting.length === 0) this.#waitingSince = this.#clock.monotonic();
    this.#waiting.splice(place === -1 ? this.#waiting.length : place, 0, {
      chunk,
      frame: frame.slice(),
      timestampMs,
    });
    return undefined;
  }

  /**
   * Takes what has become due: a frame that waited, or one that was given up. `all` gives up on all that is missing.
   */
  take(all = false): FrameInOrder | undefined {
    const first = this.#waiting[0];
    if (!first || this.#next === undefined) return undefined;
    if (first.chunk === this.#next) {
      this.#waiting.shift();
      // The next gap is waited for from now on.
      this.#waitingSince = this.#clock.monotonic();
      return this.#pass(first.chunk, first.frame, first.timestampMs);
    }
    const due = this.#clock.monotonic() >= this.#waitingSince + LONGEST_WAIT_MS;
    if (!due && !all && this.#waiting.length <= MAX_WAITING) return undefined;
    const missing = first.chunk - this.#next;
    if (this.#positionMs === undefined || missing > MAX_CONCEALED) {
      this.#next = first.chunk;
      return this.take(all);
    }
    this.#next++;
    const timestampMs = this.#positionMs;
    this.#positionMs += FRAME_MS;
    return { kind: 'lost', timestampMs };
  }

  /** Returns when something will be given up, monotonic ms; undefined while nothing waits. */
  get givesUpAt(): number | undefined {
    return this.#waiting.length === 0 ? undefined : this.#waitingSince + LONGEST_WAIT_MS;
  }

  #pass(chunk: number, frame: Uint8Array, timestampMs: number): FrameInOrder {
    this.#next = chunk + 1;
    const position = timestampMs + this.#offsetMs;
    this.#positionMs = position + FRAME_MS;
    return { kind: 'frame', frame, timestampMs: position };
  }

  /** Returns whether a frame that is behind begins a new numbering. */
  #hasRestarted(chunk: number): boolean {
    if (this.#next! - chunk > RESTART_DISTANCE) return true;
    this.#lateRun = chunk === this.#lastLate + 1 ? this.#lateRun + 1 : 1;
    this.#lastLate = chunk;
    return this.#lateRun >= RESTART_RUN;
  }

  #restart(chunk: number, timestampMs: number): void {
    // What waited belongs to the old numbering, whose missing frames will not come.
    this.#waiting.length = 0;
    this.#next = chunk;
    this.#offsetMs = (this.#positionMs ?? 0) - timestampMs;
    this.#lastLate = Number.NaN;
  }
}
