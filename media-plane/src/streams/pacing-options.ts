import { type AudioFormat, PCMU_8K } from '@voice/shared/audio/format';
import { FRAME_MS } from '@voice/shared/audio/g711';
import type { Clock } from '@voice/shared/clock/clock';
import type { MediaLine } from '../lines/port.js';
import type { PacedOutputEvents } from './pacer-port.js';

/** What a paced output writes to: a line, or the part of one that sends. */
export type PacedSink = Pick<MediaLine, 'sendAudio' | 'sendMark' | 'clear'> &
  Partial<Pick<MediaLine, 'bufferedMs'>>;

export interface PacedCallOutputOptions {
  readonly clock: Clock;
  readonly sink: PacedSink;
  readonly events: PacedOutputEvents;
  readonly pacing: Partial<PacingOptions>;
  /** Asks for ticks until `tick` says that the output is idle. */
  readonly activate: () => void;
}

export interface PacingOptions {
  /** Of what is written and of the frames that go out. */
  readonly format: AudioFormat;
  /** How much audio, in ms, the carrier may hold that was not yet heard. At least one frame. */
  readonly leadMs: number;
  /** How much audio goes out in one piece where there is as much, in ms: whole frames, at most the lead. */
  readonly pieceMs: number;
  /** How long after the end by time a mark may still come back, in ms; then time alone decides. 0: no marks. */
  readonly markGraceMs: number;
  /** A mark behind a turn's first frame and then every so much audio, in ms, keeps the position true. 0: none. */
  readonly markEveryMs: number;
  /** `ready` waits while more than this, in ms, is queued. */
  readonly queueMs: number;
  /** How much of a turn's audio is kept for `resume`, in ms. */
  readonly keepMs: number;
}

const PACING_DEFAULTS = {
  format: PCMU_8K,
  leadMs: 60,
  pieceMs: FRAME_MS,
  markGraceMs: 500,
  markEveryMs: 500,
  queueMs: 20_000,
  keepMs: 120_000,
} as const satisfies PacingOptions;

/** Returns how a line's output is paced. */
export function pacingOf({ format, leadMs, pieceMs, returnsMarks }: MediaLine): Partial<PacingOptions> {
  return { format, leadMs, pieceMs, ...(returnsMarks ? {} : { markGraceMs: 0, markEveryMs: 0 }) };
}

/** Returns the defaults with what was chosen; throws `RangeError` for a lead that holds no frame. */
export function pacingOptions(chosen: Partial<PacingOptions>): PacingOptions {
  const options = { ...PACING_DEFAULTS, ...chosen };
  if (options.leadMs < FRAME_MS) {
    throw new RangeError(`The lead must be at least one frame of ${FRAME_MS} ms`);
  }
  return options;
}
