import { FRAME_BYTES, FRAME_MS } from '@voice/shared/audio/g711';
import type { Clock } from '@voice/shared/clock/clock';
import type { MediaStreamSink } from '../carriers/port.js';
import type { PacedOutput, PacedOutputEvents } from './pacer-port.js';
import { TurnAudio } from './turn-audio.js';

export type PacedSink = Pick<MediaStreamSink, 'sendAudio' | 'sendMark' | 'clear'>;

export interface PacingOptions {
  /** How much audio, in ms, the carrier may hold that was not yet heard. At least one frame. */
  readonly leadMs: number;
  /** How long after the end by time a mark may still come back, in ms; then time alone decides. 0: no marks. */
  readonly markGraceMs: number;
  /** `ready` waits while more than this, in ms, is queued. */
  readonly queueMs: number;
  /** How much of a turn's audio is kept for `resume`, in ms. */
  readonly keepMs: number;
}

export const PACING_DEFAULTS = {
  leadMs: 60,
  markGraceMs: 500,
  queueMs: 20_000,
  keepMs: 120_000,
} as const satisfies PacingOptions;

const BYTES_PER_MS = FRAME_BYTES / FRAME_MS;
/** Audio that was heard longer ago than this is not resumed from; it may be forgotten when memory is short. */
const REWIND_BYTES = 10_000 * BYTES_PER_MS;
/** Sums of fractional ms may be off by this much. */
const ROUNDING_MS = 0.001;

interface Turn {
  readonly number: number;
  readonly audio: TurnAudio;
  /** Position behind the last frame that was written to the carrier. */
  sent: number;
  /** Position behind the last frame that was heard whole (or, where it was cut, in part). */
  heard: number;
  finishing: boolean;
  paused: boolean;
  firstFrameWritten: boolean;
  /** The mark behind the last frame, once it is written. */
  mark: { readonly name: string; readonly sentAt: number; returned: boolean } | undefined;
}

/**
 * One call's output. The carrier plays what it gets in order and in real time, so a frame is heard at the
 * later of "when it was written" and "when the frame before it ended": that time is kept for each frame that
 * was written and not yet heard, and everything (pace, position, end) follows from it.
 * The frame that sinks and listeners see is reused: whoever keeps it must copy it. `onFinished` comes from a
 * tick or from `markReturned`, never from within `write`, `finish` or `clear`.
 */
export class PacedCallOutput implements PacedOutput {
  readonly #clock: Clock;
  readonly #sink: PacedSink;
  readonly #events: PacedOutputEvents;
  readonly #options: PacingOptions;
  readonly #activate: () => void;
  readonly #frame = new Uint8Array(FRAME_BYTES);
  /** When each frame in flight is heard, monotonic ms, oldest first, as a ring. */
  readonly #due: Float64Array;
  #dueFirst = 0;
  #inFlight = 0;
  /** When the carrier will have played all that it was sent. */
  #drainedAt = Number.NEGATIVE_INFINITY;
  #turn: Turn | undefined;
  /** A turn that was begun while the one before it is still being heard. */
  #next: Turn | undefined;
  #last: { readonly number: number; readonly playedMs: number } | undefined;
  readonly #waiting = new Set<() => void>();
  #marks = 0;
  #closed = false;

  constructor(
    clock: Clock,
    sink: PacedSink,
    events: PacedOutputEvents,
    options: Partial<PacingOptions>,
    activate: () => void,
  ) {
    this.#clock = clock;
    this.#sink = sink;
    this.#events = events;
    this.#options = { ...PACING_DEFAULTS, ...options };
    if (this.#options.leadMs < FRAME_MS) {
      throw new RangeError(`The lead must be at least one frame of ${FRAME_MS} ms`);
    }
    this.#activate = activate;
    this.#due = new Float64Array(Math.ceil(this.#options.leadMs / FRAME_MS) + 1);
  }

  begin(turn: number): void {
    if (this.#closed) return;
    const begun = newTurn(turn, this.#options.keepMs);
    if (!this.#turn) this.#turn = begun;
    else if (this.#turn.finishing && !this.#next) this.#next = begun;
    else throw new Error(`Turn ${turn} was begun before turn ${this.#turn.number} was finished or cleared`);
  }

  write(turn: number, audio: Uint8Array): boolean {
    const current = this.#find(turn);
    if (!current || current.finishing) return false;
    current.audio.append(audio, current.heard - REWIND_BYTES);
    this.#advance(current);
    return true;
  }

  ready(turn: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) {
        reject(signal.reason);
        return;
      }
      const check = () => {
        const current = this.#find(turn);
        if (current && this.#queuedMs(current) > this.#options.queueMs) return;
        settle();
        resolve();
      };
      const onAbort = () => {
        settle();
        reject(signal.reason);
      };
      const settle = () => {
        this.#waiting.delete(check);
        signal.removeEventListener('abort', onAbort);
      };
      this.#waiting.add(check);
      signal.addEventListener('abort', onAbort, { once: true });
      check();
    });
  }

  finish(turn: number): void {
    const current = this.#find(turn);
    if (!current) return;
    current.finishing = true;
    this.#advance(current);
  }

  pause(turn: number): void {
    const current = this.#audible(turn);
    if (!current || current.paused) return;
    this.#retract(current, this.#clock.monotonic());
    current.paused = true;
  }

  resume(turn: number, fromMs: number): void {
    const current = this.#audible(turn);
    if (!current) return;
    if (!current.paused) this.#retract(current, this.#clock.monotonic());
    const position = Math.round(fromMs * BYTES_PER_MS);
    current.sent = Math.max(current.audio.start, Math.min(current.audio.end, position));
    current.heard = current.sent;
    current.paused = false;
    this.#advance(current);
  }

  clear(turn: number): number {
    if (this.#next?.number === turn) {
      this.#next = undefined;
      this.#wakeWriters();
      return 0;
    }
    const current = this.#audible(turn);
    if (!current) return this.playedMs(turn);
    this.#retract(current, this.#clock.monotonic());
    const playedMs = heardMs(current);
    this.#leave(current, playedMs);
    return playedMs;
  }

  playedMs(turn: number): number {
    const current = this.#audible(turn);
    if (!current) return this.#last?.number === turn ? this.#last.playedMs : 0;
    const now = this.#clock.monotonic();
    let heard = current.heard;
    for (let n = 0; n < this.#inFlight; n++) {
      const played = Math.min(FRAME_MS, now - this.#dueAt(n));
      if (played <= 0) break;
      heard = current.heard + n * FRAME_BYTES + Math.floor(played * BYTES_PER_MS);
    }
    return Math.min(heard, current.audio.end) / BYTES_PER_MS;
  }

  /** The carrier gave a mark back. A mark from before a clear is old and means nothing. */
  markReturned(name: string): void {
    const mark = this.#turn?.mark;
    if (mark?.name !== name) return;
    mark.returned = true;
    this.tick(this.#clock.monotonic());
  }

  close(): void {
    if (this.#closed) return;
    const current = this.#turn;
    if (current) {
      const now = this.#clock.monotonic();
      this.#tellHeard(current, now);
      this.#cutInFlight(current, now);
      this.#last = { number: current.number, playedMs: heardMs(current) };
    }
    this.#closed = true;
    this.#turn = undefined;
    this.#next = undefined;
    this.#wakeWriters();
  }

  /** For the pacer: serves what is due; false when there is nothing to wait for. */
  tick(now: number): boolean {
    for (;;) {
      const current = this.#turn;
      if (!current) return false;
      this.#tellHeard(current, now);
      if (current !== this.#turn) continue;
      if (!current.paused) this.#send(current, now);
      if (current !== this.#turn) continue;
      const ended = !current.paused && this.#hasEnded(current, now);
      if (!ended) return this.#needsTicks(current);
      const playedMs = heardMs(current);
      this.#leave(current, playedMs);
      this.#events.onFinished(current.number, playedMs);
    }
  }

  /** Sends what may be sent at once and leaves the rest, and the end of the turn, to the ticks. */
  #advance(turn: Turn): void {
    if (turn !== this.#turn || turn.paused) return;
    const now = this.#clock.monotonic();
    this.#tellHeard(turn, now);
    this.#send(turn, now);
    this.#activate();
  }

  #needsTicks(turn: Turn): boolean {
    if (turn.paused) return false;
    return this.#inFlight > 0 || turn.finishing || turn.audio.end - turn.sent >= FRAME_BYTES;
  }

  /** Writes frames for as long as the carrier then holds no more than the lead. */
  #send(turn: Turn, now: number): void {
    while (this.#hasFrame(turn)) {
      const due = Math.max(now, this.#drainedAt);
      if (due + FRAME_MS - now > this.#options.leadMs + ROUNDING_MS) break;
      turn.audio.read(turn.sent, this.#frame);
      // The connection is behind: the frame waits, and is heard later.
      if (!this.#sink.sendAudio(this.#frame)) break;
      this.#due[(this.#dueFirst + this.#inFlight) % this.#due.length] = due;
      this.#inFlight++;
      this.#drainedAt = due + FRAME_MS;
      turn.sent += FRAME_BYTES;
      if (!turn.firstFrameWritten) {
        turn.firstFrameWritten = true;
        this.#events.onFirstFrame(turn.number, now);
        if (turn !== this.#turn || turn.paused) return;
      }
    }
    if (turn.finishing && !turn.mark && turn.sent >= turn.audio.end && turn.firstFrameWritten) {
      const name = `turn-${turn.number}-${++this.#marks}`;
      turn.mark = { name, sentAt: now, returned: this.#options.markGraceMs === 0 };
      if (!turn.mark.returned) this.#sink.sendMark(name);
    }
    this.#wakeWriters();
  }

  /** A whole frame, or at the end of the turn what is left of one. */
  #hasFrame(turn: Turn): boolean {
    const queued = turn.audio.end - turn.sent;
    return queued >= FRAME_BYTES || (turn.finishing && queued > 0);
  }

  #hasEnded(turn: Turn, now: number): boolean {
    if (!turn.finishing || this.#inFlight > 0 || turn.sent < turn.audio.end) return false;
    if (!turn.mark) return !turn.firstFrameWritten;
    const end = Math.max(this.#drainedAt, turn.mark.sentAt);
    return turn.mark.returned || now >= end + this.#options.markGraceMs;
  }

  /** Tells the frames that have been heard whole. */
  #tellHeard(turn: Turn, now: number): void {
    while (this.#inFlight > 0 && this.#dueAt(0) + FRAME_MS <= now) {
      const at = this.#dueAt(0);
      this.#dropOldestInFlight();
      turn.audio.read(turn.heard, this.#frame);
      turn.heard += FRAME_BYTES;
      this.#events.onPlayed(this.#frame, at);
      if (turn !== this.#turn) return;
    }
  }

  /** Takes back what the carrier holds and was not heard; the frame being heard is cut where it is. */
  #retract(turn: Turn, now: number): void {
    this.#tellHeard(turn, now);
    // A mark that is on its way would come back for the audio that is taken back.
    const carrierHolds = this.#inFlight > 0;
    this.#cutInFlight(turn, now);
    if (carrierHolds) this.#sink.clear();
    turn.sent = turn.heard;
    turn.mark = undefined;
    this.#drainedAt = now;
  }

  #cutInFlight(turn: Turn, now: number): void {
    const at = this.#inFlight > 0 ? this.#dueAt(0) : now;
    this.#inFlight = 0;
    const partly = Math.floor((now - at) * BYTES_PER_MS);
    if (partly <= 0) return;
    turn.audio.read(turn.heard, this.#frame);
    turn.heard += partly;
    this.#events.onPlayed(this.#frame.subarray(0, partly), at);
  }

  /** The turn is over; the one that waited behind it becomes audible. */
  #leave(turn: Turn, playedMs: number): void {
    this.#last = { number: turn.number, playedMs };
    this.#turn = this.#next;
    this.#next = undefined;
    this.#wakeWriters();
    if (this.#turn) this.#activate();
  }

  #wakeWriters(): void {
    if (this.#waiting.size === 0) return;
    for (const check of [...this.#waiting]) check();
  }

  #find(turn: number): Turn | undefined {
    if (this.#turn?.number === turn) return this.#turn;
    return this.#next?.number === turn ? this.#next : undefined;
  }

  #audible(turn: number): Turn | undefined {
    return this.#turn?.number === turn ? this.#turn : undefined;
  }

  #queuedMs(turn: Turn): number {
    return (turn.audio.end - turn.sent) / BYTES_PER_MS;
  }

  #dueAt(n: number): number {
    return this.#due[(this.#dueFirst + n) % this.#due.length]!;
  }

  #dropOldestInFlight(): void {
    this.#dueFirst = (this.#dueFirst + 1) % this.#due.length;
    this.#inFlight--;
  }
}

function newTurn(number: number, keepMs: number): Turn {
  return {
    number,
    audio: new TurnAudio(keepMs * BYTES_PER_MS),
    sent: 0,
    heard: 0,
    finishing: false,
    paused: false,
    firstFrameWritten: false,
    mark: undefined,
  };
}

/** The padding of the last frame is not the turn's audio. */
function heardMs(turn: Turn): number {
  return Math.min(turn.heard, turn.audio.end) / BYTES_PER_MS;
}
