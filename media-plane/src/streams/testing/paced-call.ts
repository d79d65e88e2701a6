import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { type AudioId, turnAudio } from '../audio-id.js';
import type { PacedCallOutput } from '../paced-output.js';
import { Pacer } from '../pacer.js';
import type { PacingOptions } from '../pacing-options.js';

/** Makes audio whose every byte follows from its position, so that frames differ. */
export function audio(ms: number, seed = 0): Uint8Array {
  return Uint8Array.from({ length: ms * 8 }, (_, n) => (Math.floor(n / 8) * 7 + seed) % 251);
}

/** Wraps an output so that it takes the numbers of the agent's turns. */
export function byTurn(output: PacedCallOutput) {
  return {
    begin: (turn: number) => output.begin(turnAudio(turn)),
    write: (turn: number, bytes: Uint8Array) => output.write(turnAudio(turn), bytes),
    ready: (turn: number, signal: AbortSignal) => output.ready(turnAudio(turn), signal),
    finish: (turn: number) => output.finish(turnAudio(turn)),
    pause: (turn: number) => output.pause(turnAudio(turn)),
    resume: (turn: number, fromMs: number) => output.resume(turnAudio(turn), fromMs),
    clear: (turn: number) => output.clear(turnAudio(turn)),
    playedMs: (turn: number) => output.playedMs(turnAudio(turn)),
    markReturned: (name: string) => output.markReturned(name),
    close: () => output.close(),
  };
}

/** Returns the number of a turn; throws for pressed keys. */
export function turnOf(id: AudioId): number {
  if (id.kind !== 'turn') throw new Error('These are keys, not a turn.');
  return id.turn;
}

/** Opens a call whose carrier notes what it gets; marks come behind turns only, unless asked for. */
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
  const paced = pacer.open(
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
      onFirstFrame: (id, at) => firstFrames.push({ turn: turnOf(id), at }),
      onFinished: (id, playedMs) => finished.push({ turn: turnOf(id), playedMs, at: clock.monotonic() }),
      onPlayed: (frame, at) => played.push({ at, frame: frame.slice() }),
    },
    { markEveryMs: 0, ...options },
  );
  const joined = (frames: { frame: Uint8Array }[]) =>
    Uint8Array.from(frames.flatMap(({ frame }) => [...frame]));
  return {
    clock,
    pacer,
    output: byTurn(paced),
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
