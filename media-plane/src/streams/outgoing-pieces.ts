import { frameBytes } from '@voice/shared/audio/format';
import { FRAME_MS } from '@voice/shared/audio/g711';
import type { PacedTurn } from './paced-turn.js';
import type { PacingOptions } from './pacing-options.js';
import type { Playout } from './playout.js';

/** What was heard is reported within this time, in ms: who listens in waits no longer than 80 for either side. */
const REPORT_MS = 40;

/**
 * Decides how much of a turn goes out at once, and cuts it: a message costs much the same whether it carries one frame
 * or several.
 */
export class OutgoingPieces {
  readonly #frameBytes: number;
  /** Frames that are worth a message. */
  readonly #pieceFrames: number;
  readonly #mostFrames: number;
  readonly #bytes: Uint8Array;

  constructor({ format, leadMs, pieceMs }: Pick<PacingOptions, 'format' | 'leadMs' | 'pieceMs'>) {
    this.#frameBytes = frameBytes(format);
    this.#pieceFrames = Math.floor(pieceMs / FRAME_MS);
    this.#mostFrames = this.#pieceFrames === 1 ? 1 : Math.floor(leadMs / FRAME_MS);
    this.#bytes = new Uint8Array(this.#mostFrames * this.#frameBytes);
  }

  /** Returns how many frames go out now, in one piece: all that there is room for, once that is worth a message. */
  due(turn: PacedTurn, playout: Playout, now: number): number {
    const waiting = this.#waiting(turn);
    if (waiting === 0) return 0;
    const room = playout.roomFor(now);
    // The first one's mark shows soonest where the carrier is.
    if (!turn.firstFrameWritten) return Math.min(1, room);
    return room < this.#least(turn, waiting) ? 0 : Math.min(waiting, room, this.#mostFrames);
  }

  /** Copies the turn's next frames; valid until the next call. */
  cut(turn: PacedTurn, frames: number): Uint8Array {
    const piece = this.#bytes.subarray(0, frames * this.#frameBytes);
    turn.audio.read(turn.sent, piece);
    return piece;
  }

  /** Returns when there may be something to do, monotonic ms: room for a piece, the end of the turn, or a report. */
  nextDue(turn: PacedTurn, playout: Playout, now: number): number {
    if (this.#pieceFrames === 1) return now;
    const waiting = this.#waiting(turn);
    const due = waiting === 0 ? playout.endsAt : playout.hasRoomAt(this.#least(turn, waiting));
    return Math.min(due, now + REPORT_MS);
  }

  /** Returns the whole frames that wait, and at the end of the turn what is left of one. */
  #waiting(turn: PacedTurn): number {
    const frames = (turn.audio.end - turn.sent) / this.#frameBytes;
    return turn.finishing ? Math.ceil(frames) : Math.floor(frames);
  }

  #least(turn: PacedTurn, waiting: number): number {
    return turn.finishing ? Math.min(waiting, this.#pieceFrames) : this.#pieceFrames;
  }
}
