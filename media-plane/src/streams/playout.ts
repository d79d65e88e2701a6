import { bytesPerMs, frameBytes } from '@voice/shared/audio/format';
import { FRAME_MS } from '@voice/shared/audio/g711';
import { sampleBytes } from '@voice/shared/audio/samples';
import { FramesInFlight } from './frames-in-flight.js';
import type { PacingOptions } from './pacing-options.js';
import { LATEST_MS, PlayoutMarks } from './playout-marks.js';

/** Sums of fractional ms may be off by this much. */
const ROUNDING_MS = 0.001;

/**
 * Computes what the carrier has played, as far as that can be known here. It plays what it gets in order and in real
 * time, so a frame is heard at the later of "when it was written" and "when the frame before it ended". What the line
 * still buffers has not left the process, and marks show when the carrier is later than time says: both delay what is
 * heard; the second does not slow the pace, for the carrier plays on in real time all the same. Positions are bytes of
 * the turn's audio.
 */
export class Playout {
  readonly #leadMs: number;
  readonly #bytesPerMs: number;
  readonly #sampleBytes: number;
  readonly #inFlight: FramesInFlight;
  readonly #marks: PlayoutMarks;
  readonly #frameBytes: number;
  /** When a carrier that plays at once will have played all that it was sent. */
  #drainedAt = Number.NEGATIVE_INFINITY;

  constructor({ leadMs, markGraceMs, format }: Pick<PacingOptions, 'leadMs' | 'markGraceMs' | 'format'>) {
    this.#leadMs = leadMs;
    this.#bytesPerMs = bytesPerMs(format);
    this.#sampleBytes = sampleBytes(format.encoding);
    this.#frameBytes = frameBytes(format);
    this.#inFlight = new FramesInFlight(leadMs + (markGraceMs === 0 ? 0 : LATEST_MS + markGraceMs));
    this.#marks = new PlayoutMarks({ graceMs: markGraceMs, bytesPerMs: this.#bytesPerMs });
  }

  /** Returns whether frames were written that are not yet heard. */
  get isPlaying(): boolean {
    return this.#inFlight.count > 0;
  }

  /** Returns when all that was written will have been heard, monotonic ms. */
  get endsAt(): number {
    return this.#drainedAt + this.#marks.lateMs;
  }

  /** Returns how many frames more the carrier may be given, so that it holds no more than the lead. */
  roomFor(now: number): number {
    const held = Math.max(now, this.#drainedAt) - now;
    const room = Math.floor((this.#leadMs - held + ROUNDING_MS) / FRAME_MS);
    return Math.min(room, this.#inFlight.room);
  }

  /** Returns when there is room for so many frames, monotonic ms. */
  hasRoomAt(frames: number): number {
    return this.#drainedAt + frames * FRAME_MS - this.#leadMs;
  }

  /** Adds a frame that was written. */
  written(now: number): void {
    const due = Math.max(now, this.#drainedAt);
    this.#inFlight.add(due + this.#marks.lateMs);
    this.#drainedAt = due + FRAME_MS;
  }

  /** Adds a mark that was written behind this position. */
  markSent(name: string, position: number): void {
    this.#marks.sent(name, position, this.#drainedAt);
  }

  /** Takes a mark that came back; false for one that nobody waits for. */
  markReturned(name: string, now: number): boolean {
    const laterMs = this.#marks.returned(name, now);
    if (laterMs === undefined) return false;
    if (laterMs !== 0) this.#inFlight.shift(laterMs);
    return true;
  }

  /** Delays what the line still buffers of the audio before `sent`: it is not heard before now. */
  buffered(bufferedMs: number, sent: number, now: number): void {
    if (bufferedMs <= 0) return;
    const frames = Math.min(this.#inFlight.count, Math.ceil((bufferedMs - ROUNDING_MS) / FRAME_MS));
    this.#inFlight.delayNewest(frames, now + this.#marks.lateMs);
    this.#marks.delay(sent - frames * this.#frameBytes, now);
    this.#drainedAt = Math.max(this.#drainedAt, now + frames * FRAME_MS);
  }

  /** Returns how far the audio has been heard; `heard` is the position behind the last frame that was taken. */
  position(heard: number, now: number): number {
    let position = heard;
    for (let n = 0; n < this.#inFlight.count; n++) {
      const played = Math.min(FRAME_MS, now - this.#inFlight.dueAt(n));
      if (played <= 0) break;
      position = heard + n * this.#frameBytes + this.bytesOf(played);
    }
    return Math.max(heard, Math.min(position, this.#marks.limit(now)));
  }

  /** Takes the oldest frame if it has been heard whole: when, monotonic ms. */
  takeHeard(heard: number, now: number): number | undefined {
    if (this.#inFlight.count === 0 || this.#inFlight.dueAt(0) + FRAME_MS > now) return undefined;
    if (heard + this.#frameBytes > this.#marks.limit(now)) return undefined;
    return this.#inFlight.takeOldest();
  }

  /** Forgets what was not heard. Returns how much of the frame being heard was, in bytes, and since when. */
  cut(heard: number, now: number): { readonly bytes: number; readonly at: number } {
    const bytes = this.position(heard, now) - heard;
    const at = bytes > 0 ? this.#inFlight.dueAt(0) : now;
    this.#inFlight.clear();
    this.#marks.forget();
    return { bytes: Math.min(bytes, this.#frameBytes), at };
  }

  /** Records that the carrier was asked to discard what it holds. */
  cleared(now: number): void {
    this.#drainedAt = now;
  }

  /** Forgets the marks of a turn that is over. */
  forgetMarks(): void {
    this.#marks.forget();
  }

  /** Returns the bytes of so many ms, whole samples. */
  bytesOf(ms: number): number {
    return Math.floor((ms * this.#bytesPerMs) / this.#sampleBytes + ROUNDING_MS) * this.#sampleBytes;
  }
}
