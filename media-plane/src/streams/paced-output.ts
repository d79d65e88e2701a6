import { bytesPerMs, frameBytes } from '@voice/shared/audio/format';
import { type AudioId, audioName, isSameAudio } from './audio-id.js';
import { Backpressure } from './backpressure.js';
import { OutgoingPieces } from './outgoing-pieces.js';
import { createPacedTurn, hasEnded, type PacedTurn } from './paced-turn.js';
import type { PacedOutput } from './pacer-port.js';
import { type PacedCallOutputOptions, type PacingOptions, pacingOptions } from './pacing-options.js';
import { Playout } from './playout.js';
import type { TurnAudio } from './turn-audio.js';

/** Audio that was heard longer ago than this, in ms, is not resumed from; it may be forgotten when memory is short. */
const REWIND_MS = 10_000;

/**
 * Plays one call's audio: keeps the carrier a lead ahead of what is heard, and counts what is heard. The frame that
 * sinks and listeners see is reused: copy it to keep it. `onFinished` comes from a tick or from `markReturned`, never
 * from within `write`, `finish` or `clear`.
 */
export class PacedCallOutput implements PacedOutput {
  readonly #options: PacedCallOutputOptions;
  readonly #pacing: PacingOptions;
  readonly #bytesPerMs: number;
  readonly #frameBytes: number;
  readonly #frame: Uint8Array;
  readonly #pieces: OutgoingPieces;
  readonly #playout: Playout;
  #turn: PacedTurn | undefined;
  /** A turn that was begun while the one before it is still being heard. */
  #next: PacedTurn | undefined;
  /** Memory of a turn that is over: each call has several turns a minute. */
  #used: TurnAudio | undefined;
  #last: { readonly id: AudioId; readonly playedMs: number } | undefined;
  readonly #waiting = new Backpressure();
  #marks = 0;
  /** Until then the ticks have nothing to do. */
  #idleUntil = Number.NEGATIVE_INFINITY;
  #closed = false;

  constructor(options: PacedCallOutputOptions) {
    this.#options = options;
    this.#pacing = pacingOptions(options.pacing);
    const { format } = this.#pacing;
    this.#bytesPerMs = bytesPerMs(format);
    this.#frameBytes = frameBytes(format);
    this.#frame = new Uint8Array(this.#frameBytes);
    this.#pieces = new OutgoingPieces(this.#pacing);
    this.#playout = new Playout(this.#pacing);
  }

  begin(id: AudioId): void {
    if (this.#closed) return;
    const begun = createPacedTurn(id, this.#pacing, this.#used);
    this.#used = undefined;
    if (!this.#turn) this.#turn = begun;
    else if (this.#turn.finishing && !this.#next) this.#next = begun;
    else {
      const names = `${audioName(id)} was begun before ${audioName(this.#turn.id)}`;
      throw new Error(`${names} was finished or cleared`);
    }
  }

  write(id: AudioId, audio: Uint8Array): boolean {
    const current = this.#find(id);
    if (!current || current.finishing) return false;
    current.audio.append(audio, current.heard - REWIND_MS * this.#bytesPerMs);
    this.#advance(current);
    return true;
  }

  ready(id: AudioId, signal: AbortSignal): Promise<void> {
    return this.#waiting.wait(() => {
      const current = this.#find(id);
      return !current || this.#queuedMs(current) <= this.#pacing.queueMs;
    }, signal);
  }

  finish(id: AudioId): void {
    const current = this.#find(id);
    if (!current) return;
    current.finishing = true;
    this.#advance(current);
  }

  pause(id: AudioId): void {
    const current = this.#audible(id);
    if (!current || current.paused) return;
    this.#retract(current, this.#options.clock.monotonic());
    current.paused = true;
  }

  resume(id: AudioId, fromMs: number): void {
    const current = this.#audible(id);
    if (!current) return;
    if (!current.paused) this.#retract(current, this.#options.clock.monotonic());
    const position = this.#playout.bytesOf(fromMs);
    current.sent = Math.max(current.audio.start, Math.min(current.audio.end, position));
    current.heard = current.sent;
    current.markFrom = current.sent;
    current.paused = false;
    this.#advance(current);
  }

  clear(id: AudioId): number {
    if (this.#next && isSameAudio(this.#next.id, id)) {
      this.#keepMemory(this.#next);
      this.#next = undefined;
      this.#waiting.wake();
      return 0;
    }
    const current = this.#audible(id);
    if (!current) return this.playedMs(id);
    this.#retract(current, this.#options.clock.monotonic());
    const playedMs = this.#heardMs(current);
    this.#leave(current, playedMs);
    return playedMs;
  }

  playedMs(id: AudioId): number {
    const current = this.#audible(id);
    if (!current) return this.#last && isSameAudio(this.#last.id, id) ? this.#last.playedMs : 0;
    const now = this.#options.clock.monotonic();
    this.#noteBuffered(current, now);
    return Math.min(this.#playout.position(current.heard, now), current.audio.end) / this.#bytesPerMs;
  }

  /** Handles a mark that the carrier gave back. A mark from before a clear is old and means nothing. */
  markReturned(name: string): void {
    const now = this.#options.clock.monotonic();
    const awaited = this.#playout.markReturned(name, now);
    const mark = this.#turn?.mark;
    if (mark?.name === name) mark.returned = true;
    else if (!awaited) return;
    this.#serve(now);
  }

  close(): void {
    if (this.#closed) return;
    const current = this.#turn;
    if (current) {
      const now = this.#options.clock.monotonic();
      this.#reportHeard(current, now);
      this.#cutInFlight(current, now);
      this.#last = { id: current.id, playedMs: this.#heardMs(current) };
    }
    this.#closed = true;
    this.#turn = undefined;
    this.#next = undefined;
    this.#used = undefined;
    this.#waiting.wake();
  }

  /** Serves what is due, for the pacer; false when there is nothing to wait for. */
  tick(now: number): boolean {
    return now < this.#idleUntil || this.#serve(now);
  }

  #serve(now: number): boolean {
    for (;;) {
      const current = this.#turn;
      if (!current) return false;
      this.#noteBuffered(current, now);
      this.#reportHeard(current, now);
      if (current !== this.#turn) continue;
      if (!current.paused) this.#send(current, now);
      if (current !== this.#turn) continue;
      const ended = !current.paused && hasEnded(current, this.#playout, this.#pacing.markGraceMs, now);
      if (!ended) {
        this.#idleUntil = this.#pieces.nextDue(current, this.#playout, now);
        return this.#needsTicks(current);
      }
      const playedMs = this.#heardMs(current);
      this.#leave(current, playedMs);
      this.#options.events.onFinished(current.id, playedMs);
    }
  }

  /** Sends what may be sent at once and leaves the rest, and the end of the turn, to the ticks. */
  #advance(turn: PacedTurn): void {
    if (turn !== this.#turn || turn.paused) return;
    const now = this.#options.clock.monotonic();
    this.#noteBuffered(turn, now);
    this.#reportHeard(turn, now);
    this.#send(turn, now);
    this.#activate();
  }

  #activate(): void {
    this.#idleUntil = Number.NEGATIVE_INFINITY;
    this.#options.activate();
  }

  #needsTicks(turn: PacedTurn): boolean {
    if (turn.paused) return false;
    const unsent = turn.audio.end - turn.sent;
    return this.#playout.isPlaying || turn.finishing || unsent >= this.#frameBytes;
  }

  /** Writes for as long as the carrier then holds no more than the lead. */
  #send(turn: PacedTurn, now: number): void {
    const due = () => this.#pieces.due(turn, this.#playout, now);
    for (let frames = due(); frames > 0; frames = due()) {
      const piece = this.#pieces.cut(turn, frames);
      // The connection is behind: the piece waits, and is heard later.
      if (!this.#options.sink.sendAudio(piece)) break;
      for (let n = 0; n < frames; n++) this.#playout.written(now);
      turn.sent += piece.length;
      this.#markWithin(turn);
      if (!turn.firstFrameWritten) {
        turn.firstFrameWritten = true;
        this.#options.events.onFirstFrame(turn.id, now);
        if (turn !== this.#turn || turn.paused) return;
      }
    }
    if (turn.finishing && !turn.mark && turn.sent >= turn.audio.end && turn.firstFrameWritten) {
      const returned = this.#pacing.markGraceMs === 0;
      turn.mark = { name: returned ? '' : this.#sendMark(turn), sentAt: now, returned };
    }
    this.#waiting.wake();
  }

  /**
   * Sends a mark behind the frame that was just written, where one is due; at the end of a turn another will follow.
   */
  #markWithin(turn: PacedTurn): void {
    const { markEveryMs, markGraceMs } = this.#pacing;
    if (markEveryMs === 0 || markGraceMs === 0 || turn.sent < turn.markFrom) return;
    if (turn.finishing && turn.sent >= turn.audio.end) return;
    turn.markFrom = turn.sent + markEveryMs * this.#bytesPerMs;
    this.#sendMark(turn);
  }

  #sendMark(turn: PacedTurn): string {
    const name = `${audioName(turn.id)}-${++this.#marks}`;
    if (this.#pacing.markEveryMs > 0) this.#playout.markSent(name, turn.sent);
    this.#options.sink.sendMark(name);
    return name;
  }

  #noteBuffered(turn: PacedTurn, now: number): void {
    if (!this.#playout.isPlaying || !this.#options.sink.bufferedMs) return;
    this.#playout.buffered(this.#options.sink.bufferedMs(), turn.sent, now);
  }

  /** Reports the frames that have been heard whole. */
  #reportHeard(turn: PacedTurn, now: number): void {
    for (;;) {
      const at = this.#playout.takeHeard(turn.heard, now);
      if (at === undefined) return;
      turn.audio.read(turn.heard, this.#frame);
      turn.heard += this.#frameBytes;
      this.#options.events.onPlayed(this.#frame, at);
      if (turn !== this.#turn) return;
    }
  }

  /** Takes back what the carrier holds and was not heard; the frame being heard is cut where it is. */
  #retract(turn: PacedTurn, now: number): void {
    this.#noteBuffered(turn, now);
    this.#reportHeard(turn, now);
    // A mark that is on its way would come back for the audio that is retracted.
    const carrierHolds = this.#playout.isPlaying;
    this.#cutInFlight(turn, now);
    if (carrierHolds) this.#options.sink.clear();
    this.#playout.cleared(now);
    turn.sent = turn.heard;
    turn.mark = undefined;
  }

  #cutInFlight(turn: PacedTurn, now: number): void {
    const { bytes, at } = this.#playout.cut(turn.heard, now);
    if (bytes <= 0) return;
    turn.audio.read(turn.heard, this.#frame);
    turn.heard += bytes;
    this.#options.events.onPlayed(this.#frame.subarray(0, bytes), at);
  }

  /** Ends the turn; the one that waited behind it becomes audible. */
  #leave(turn: PacedTurn, playedMs: number): void {
    this.#last = { id: turn.id, playedMs };
    this.#keepMemory(turn);
    this.#playout.forgetMarks();
    this.#turn = this.#next;
    this.#next = undefined;
    this.#waiting.wake();
    if (this.#turn) this.#activate();
  }

  #keepMemory({ audio }: PacedTurn): void {
    if (audio.isReusable) this.#used = audio;
  }

  #find(id: AudioId): PacedTurn | undefined {
    if (this.#turn && isSameAudio(this.#turn.id, id)) return this.#turn;
    return this.#next && isSameAudio(this.#next.id, id) ? this.#next : undefined;
  }

  #audible(id: AudioId): PacedTurn | undefined {
    return this.#turn && isSameAudio(this.#turn.id, id) ? this.#turn : undefined;
  }

  #queuedMs(turn: PacedTurn): number {
    return (turn.audio.end - turn.sent) / this.#bytesPerMs;
  }

  /** Returns how much was heard, in ms. The padding of the last frame is not the turn's audio. */
  #heardMs(turn: PacedTurn): number {
    return Math.min(turn.heard, turn.audio.end) / this.#bytesPerMs;
  }
}
