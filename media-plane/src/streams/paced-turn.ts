import type { AudioId } from './audio-id.js';
import type { PacingOptions } from './pacing-options.js';
import type { Playout } from './playout.js';
import { TurnAudio } from './turn-audio.js';

/** A turn, or keys, on the way out. Positions are bytes of its audio. */
export interface PacedTurn {
  readonly id: AudioId;
  readonly audio: TurnAudio;
  /** Position behind the last frame that was written to the carrier. */
  sent: number;
  /** Position behind the last frame that was heard whole (or, where it was cut, in part). */
  heard: number;
  /** From here on the next mark within the turn is due. */
  markFrom: number;
  finishing: boolean;
  paused: boolean;
  firstFrameWritten: boolean;
  /** The mark behind the last frame, once it is written. */
  mark: { readonly name: string; readonly sentAt: number; returned: boolean } | undefined;
}

/** @param used memory of a turn that is over */
export function createPacedTurn(
  id: AudioId,
  { keepMs, format }: PacingOptions,
  used: TurnAudio | undefined,
): PacedTurn {
  used?.clear();
  return {
    id,
    audio: used ?? new TurnAudio({ keepMs, format }),
    sent: 0,
    heard: 0,
    markFrom: 0,
    finishing: false,
    paused: false,
    firstFrameWritten: false,
    mark: undefined,
  };
}

/** Returns whether all of the turn was heard, as far as time and its mark show. */
export function hasEnded(turn: PacedTurn, playout: Playout, markGraceMs: number, now: number): boolean {
  if (!turn.finishing || playout.isPlaying || turn.sent < turn.audio.end) return false;
  if (!turn.mark) return !turn.firstFrameWritten;
  const end = Math.max(playout.endsAt, turn.mark.sentAt);
  return turn.mark.returned || now >= end + markGraceMs;
}
