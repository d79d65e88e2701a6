import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { Pacer } from '../pacer.js';
import type { PacingOptions } from '../pacing-options.js';

/** Audio whose every byte tells its position, so that frames can be told apart. */
export function audio(ms: number, seed = 0): Uint8Array {
  return Uint8Array.from({ length: ms * 8 }, (_, n) => (Math.floor(n / 8) * 7 + seed) % 251);
}

/** A call with a carrier that notes what it gets; marks come behind turns only, unless asked for. */
export function call(options: Partial<PacingOptions> = {}, clock = new ScriptedClock(), shared?: Pacer) {
  const errors: unknown[] = [];
  const pacer = shared ?? new Pacer(clock, (error) => errors.push(error));
  const sent: { at: number; frame: Uint8Array }[] = [];
  const marks: string[] = [];
  const played: { at: number; frame: Uint8Array }[] = [];
  const firstFrames: { turn: number; at: number }[] = [];
  const finished: { turn: number; playedMs: number; at: number }[] = [];
  const clears: number[] = [];
  const carrier = { accepts: true };
  const output = pacer.open(
    {
      sendAudio: (frame) => {
        if (!carrier.accepts) return false;
        sent.push({ at: clock.monotonic(), frame: frame.slice() });
        return true;
      },
      sendMark: (name) => marks.push(name),
      clear: () => clears.push(clock.monotonic()),
    },
    {
      onFirstFrame: (turn, at) => firstFrames.push({ turn, at }),
      onFinished: (turn, playedMs) => finished.push({ turn, playedMs, at: clock.monotonic() }),
      onPlayed: (frame, at) => played.push({ at, frame: frame.slice() }),
    },
    { markEveryMs: 0, ...options },
  );
  const joined = (frames: { frame: Uint8Array }[]) =>
    Uint8Array.from(frames.flatMap(({ frame }) => [...frame]));
  return {
    clock,
    pacer,
    output,
    sent,
    marks,
    played,
    firstFrames,
    finished,
    clears,
    carrier,
    errors,
    joined,
  };
}
