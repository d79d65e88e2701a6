import {
  type AudioFormat,
  bytesPerMs,
  L16_16K,
  PCMA_8K,
  PCMU_8K,
  silenceByte,
} from '@voice/shared/audio/format';
import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { describe, expect, it } from 'vitest';
import { Pacer } from './pacer.js';
import type { PacingOptions } from './pacing-options.js';
import { MARK_RETURN_MS } from './playout-marks.js';
import { byTurn } from './testing/paced-call.js';

interface LineTerms {
  /** How much later than it could the carrier plays, in ms. */
  readonly lateMs?: number;
  /** Until then nothing leaves the process, in ms. */
  readonly stalledUntil?: number;
  readonly returnsMarks?: boolean;
  readonly options?: Partial<PacingOptions>;
}

/** A line whose carrier plays in real time, late, and sends each mark back when the audio before it was played. */
function line({ lateMs = 0, stalledUntil = 0, returnsMarks = true, options = {} }: LineTerms = {}) {
  const clock = new ScriptedClock();
  const pacer = new Pacer(clock, (error) => {
    throw error;
  });
  const format = options.format ?? PCMU_8K;
  const perMs = bytesPerMs(format);
  const sent: Uint8Array[] = [];
  const played: { readonly at: number; readonly bytes: number }[] = [];
  const finished: { readonly playedMs: number; readonly at: number }[] = [];
  /** When each piece of audio begins to be heard. */
  let heard: { readonly at: number; readonly ms: number }[] = [];
  let drainedAt = 0;
  let clears = 0;
  const leaves = () => Math.max(clock.monotonic(), stalledUntil);
  const paced = pacer.open(
    {
      sendAudio: (frame) => {
        sent.push(frame.slice());
        const at = Math.max(leaves() + lateMs, drainedAt);
        drainedAt = at + frame.length / perMs;
        heard.push({ at, ms: frame.length / perMs });
        return true;
      },
      sendMark: (name) => {
        if (!returnsMarks) return;
        clock.schedule(Math.max(0, drainedAt - clock.monotonic()), () => paced.markReturned(name));
      },
      clear: () => {
        clears++;
        heard = [];
        drainedAt = 0;
      },
      bufferedMs: () => (clock.monotonic() < stalledUntil ? sent.length * 20 : 0),
    },
    {
      onFirstFrame: () => {},
      onFinished: (_, playedMs) => finished.push({ playedMs, at: clock.monotonic() }),
      onPlayed: (frame, at) => played.push({ at, bytes: frame.length }),
    },
    options,
  );
  const output = byTurn(paced);
  const speak = (ms: number) => {
    output.begin(1);
    output.write(1, new Uint8Array(ms * perMs).fill(7));
  };
  /** What the caller has really heard, in ms. */
  const truth = () => {
    const now = clock.monotonic();
    return heard.reduce((sum, { at, ms }) => sum + Math.max(0, Math.min(ms, now - at)), 0);
  };
  return { clock, output, sent, played, finished, speak, truth, clears: () => clears };
}

describe('the position with a carrier that plays 300 ms late', () => {
  it('is never ahead of what was heard by more than a mark may take to come back', () => {
    const { clock, output, speak, truth } = line({ lateMs: 300 });
    speak(5000);
    for (let ms = 0; ms < 4900; ms += 7) {
      clock.advance(7);
      // The first proof is the mark behind the first frame.
      const provenMs = clock.monotonic() < 320 ? 20 : 0;
      expect(output.playedMs(1) - truth()).toBeLessThanOrEqual(MARK_RETURN_MS + provenMs);
      expect(truth() - output.playedMs(1)).toBeLessThanOrEqual(10);
    }
  });

  it('never goes back', () => {
    const { clock, output, speak } = line({ lateMs: 300 });
    speak(3000);
    for (let before = 0, ms = 0; ms < 2900; ms += 7) {
      clock.advance(7);
      const now = output.playedMs(1);
      expect(now).toBeGreaterThanOrEqual(before);
      before = now;
    }
  });

  it('does not slow the pace: the carrier gets its audio in real time', () => {
    const { clock, sent, speak } = line({ lateMs: 300 });
    speak(5000);
    for (let ms = 100; ms < 4900; ms += 100) {
      clock.advance(100);
      expect(Math.abs(sent.length * 20 - (ms + 60))).toBeLessThanOrEqual(20);
    }
  });

  it('says of an interruption what was heard, and the recording gets it when it was heard', () => {
    const { clock, output, played, speak, truth } = line({ lateMs: 300 });
    speak(5000);
    clock.advance(2500);
    const heard = truth();
    const cut = output.clear(1);
    expect(cut - heard).toBeLessThanOrEqual(MARK_RETURN_MS);
    const last = played.at(-1)!;
    expect(last.at + last.bytes / 8).toBeLessThanOrEqual(2500);
    expect(played.reduce((sum, { bytes }) => sum + bytes, 0) / 8).toBe(cut);
  });

  it('ends the turn when it has been heard', () => {
    const { clock, output, finished, speak } = line({ lateMs: 300 });
    speak(1000);
    output.finish(1);
    clock.advance(3000);
    expect(finished).toEqual([{ playedMs: 1000, at: 1300 }]);
  });
});

describe('the position with a line that still buffers', () => {
  it('does not count what has not left the process', () => {
    const { clock, output, speak } = line({ stalledUntil: 400, options: { leadMs: 500 } });
    speak(3000);
    clock.advance(390);
    expect(output.playedMs(1)).toBe(0);
    clock.advance(10);
    clock.advance(600);
    // From 400 ms on the carrier plays; the pacer looks every 10 ms.
    expect(output.playedMs(1)).toBeGreaterThanOrEqual(590);
    expect(output.playedMs(1)).toBeLessThanOrEqual(610);
  });

  it('gives the line no more than the lead meanwhile', () => {
    const { clock, sent, speak } = line({ stalledUntil: 400 });
    speak(3000);
    clock.advance(390);
    expect(sent).toHaveLength(3);
    clock.advance(1000);
    expect(Math.abs(sent.length * 20 - (990 + 60))).toBeLessThanOrEqual(20);
  });

  it('takes the stall for what it is and not for a late carrier', () => {
    const { clock, output, speak, truth } = line({ stalledUntil: 400 });
    speak(4000);
    clock.advance(3000);
    expect(Math.abs(output.playedMs(1) - truth())).toBeLessThanOrEqual(MARK_RETURN_MS);
  });

  it('after an interruption under a stall has heard nothing of it', () => {
    const { clock, output, speak, clears } = line({ stalledUntil: 400 });
    speak(1000);
    clock.advance(300);
    expect(output.clear(1)).toBe(0);
    expect(clears()).toBe(1);
  });
});

describe('a carrier that owes its marks', () => {
  it('holds the position for the grace, and then time alone decides', () => {
    const { clock, output, speak } = line({ returnsMarks: false, options: { markGraceMs: 500 } });
    speak(3000);
    clock.advance(500);
    expect(output.playedMs(1)).toBe(20 + MARK_RETURN_MS);
    clock.advance(30);
    expect(output.playedMs(1)).toBe(530);
    clock.advance(1000);
    expect(output.playedMs(1)).toBe(1530);
  });
});

describe('frames of each format', () => {
  it.each<[string, AudioFormat, number]>([
    ['mu-law', PCMU_8K, 160],
    ['A-law', PCMA_8K, 160],
    ['L16 at 16 kHz', L16_16K, 640],
  ])('%s', (_, format, bytes) => {
    const { clock, output, sent, finished } = line({ options: { format } });
    output.begin(1);
    output.write(1, new Uint8Array(bytes * 1.5).fill(7));
    output.finish(1);
    clock.advance(200);
    expect(sent.map((frame) => frame.length)).toEqual([bytes, bytes]);
    expect(new Set(sent[1]!.subarray(bytes / 2))).toEqual(new Set([silenceByte(format)]));
    expect(finished).toMatchObject([{ playedMs: 30 }]);
  });

  it('are cut between samples and nowhere else', () => {
    const { clock, output, played } = line({ options: { format: L16_16K } });
    output.begin(1);
    output.write(1, new Uint8Array(32 * 1000).fill(7));
    clock.advance(33.333);
    const heardMs = output.clear(1);
    expect((heardMs * 32) % 2).toBe(0);
    expect(played.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(heardMs * 32);
  });
});
