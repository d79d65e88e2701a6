import { FRAME_BYTES, MULAW_SILENCE } from '@voice/shared/audio/g711';
import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { describe, expect, it } from 'vitest';
import type { PacingOptions } from './paced-output.js';
import { Pacer } from './pacer.js';

const never = new AbortController().signal;

/** Audio whose every byte tells its position, so that frames can be told apart. */
function audio(ms: number, seed = 0): Uint8Array {
  return Uint8Array.from({ length: ms * 8 }, (_, n) => (Math.floor(n / 8) * 7 + seed) % 251);
}

/** A call with a carrier that notes what it gets. */
function call(options: Partial<PacingOptions> = {}, clock = new ScriptedClock(), shared?: Pacer) {
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
    options,
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

describe('the pace', () => {
  it('writes the first frame at once, then keeps the carrier a lead ahead', () => {
    const { clock, output, sent, firstFrames } = call({ leadMs: 60 });
    clock.advance(1234.5);
    output.begin(1);
    output.write(1, audio(1000));
    expect(sent.map(({ at }) => at)).toEqual([1234.5, 1234.5, 1234.5]);
    expect(firstFrames).toEqual([{ turn: 1, at: 1234.5 }]);
    clock.advance(500);
    // After 500 ms of speech 25 frames were heard; 60 ms more are with the carrier.
    expect(sent).toHaveLength(28);
    clock.advance(5000);
    expect(sent).toHaveLength(50);
  });

  it('never gives the carrier more than the lead, nor lets it run dry', () => {
    const { clock, output, sent } = call({ leadMs: 60 });
    output.begin(1);
    output.write(1, audio(10_000));
    for (let ms = 1; ms < 9900; ms++) {
      clock.advance(1);
      const ahead = sent.length * 20 - clock.monotonic();
      expect(ahead).toBeLessThanOrEqual(60);
      expect(ahead).toBeGreaterThan(20);
    }
  });

  it('sends exactly the audio, whatever the pieces it came in, padded to a frame at the end', () => {
    const { clock, output, sent, joined } = call();
    const speech = audio(333);
    output.begin(1);
    for (let at = 0, n = 0; at < speech.length; n++) {
      const size = [1, 500, 37, 160][n % 4]!;
      output.write(1, speech.subarray(at, at + size));
      at += size;
    }
    output.finish(1);
    clock.advance(400);
    const out = joined(sent);
    expect(out).toHaveLength(17 * FRAME_BYTES);
    expect(out.subarray(0, speech.length)).toEqual(speech);
    expect(new Set(out.subarray(speech.length))).toEqual(new Set([MULAW_SILENCE]));
  });

  it('goes on at once when the voice was slower than speech, and does not count the gap as heard', () => {
    const { clock, output, sent, played } = call();
    output.begin(1);
    output.write(1, audio(40));
    clock.advance(300);
    expect(output.playedMs(1)).toBe(40);
    output.write(1, audio(40, 9));
    expect(sent.map(({ at }) => at)).toEqual([0, 0, 300, 300]);
    clock.advance(10);
    expect(output.playedMs(1)).toBe(50);
    clock.advance(100);
    expect(played.map(({ at }) => at)).toEqual([0, 20, 300, 320]);
  });

  it('after a stall of the process sends the lead and no burst beyond it', () => {
    const stalling = new (class extends ScriptedClock {
      stalled = 0;
      override monotonic() {
        return super.monotonic() + this.stalled;
      }
    })();
    const { output, sent } = call({ leadMs: 60 }, stalling);
    output.begin(1);
    output.write(1, audio(2000));
    stalling.advance(100);
    const before = sent.length;
    stalling.stalled = 700;
    stalling.advance(10);
    expect(sent.length - before).toBe(3);
    stalling.advance(500);
    expect(sent.length - before).toBe(3 + 25);
  });

  it('keeps a frame that the connection did not take', () => {
    const { clock, output, sent, carrier, joined } = call();
    output.begin(1);
    output.write(1, audio(100));
    carrier.accepts = false;
    clock.advance(200);
    expect(sent).toHaveLength(3);
    expect(output.playedMs(1)).toBe(60);
    carrier.accepts = true;
    output.finish(1);
    clock.advance(200);
    expect(joined(sent)).toEqual(audio(100));
  });
});

describe('the position', () => {
  it('is told to the ms, by when frames are heard and not by when they were written', () => {
    const { clock, output } = call();
    output.begin(1);
    output.write(1, audio(1000));
    for (const ms of [1, 19, 20, 21, 333, 999]) {
      clock.advance(ms - clock.monotonic());
      expect(output.playedMs(1)).toBe(ms);
    }
    clock.advance(500);
    expect(output.playedMs(1)).toBe(1000);
  });

  it('of a turn that is not there is 0, of the last turn what was heard of it', () => {
    const { clock, output } = call();
    output.begin(1);
    output.write(1, audio(500));
    clock.advance(123);
    output.clear(1);
    expect(output.playedMs(1)).toBe(123);
    expect(output.playedMs(2)).toBe(0);
  });
});

describe('the end of a turn', () => {
  it('comes when the mark behind the last frame returns', () => {
    const { clock, output, marks, finished } = call();
    output.begin(1);
    output.write(1, audio(100));
    output.finish(1);
    clock.advance(100);
    expect(marks).toHaveLength(1);
    clock.advance(130);
    expect(finished).toEqual([]);
    output.markReturned(marks[0]!);
    expect(finished).toEqual([{ turn: 1, playedMs: 100, at: 230 }]);
    clock.advance(1000);
    expect(finished).toHaveLength(1);
  });

  it('does not come before the audio can have been heard, even if the mark does', () => {
    const { clock, output, marks, finished } = call();
    output.begin(1);
    output.write(1, audio(60));
    output.finish(1);
    output.markReturned(marks[0]!);
    clock.advance(50);
    expect(finished).toEqual([]);
    clock.advance(10);
    expect(finished).toEqual([{ turn: 1, playedMs: 60, at: 60 }]);
  });

  it('comes by time when the mark does not', () => {
    const { clock, output, finished } = call({ markGraceMs: 500 });
    output.begin(1);
    output.write(1, audio(100));
    output.finish(1);
    clock.advance(599);
    expect(finished).toEqual([]);
    clock.advance(11);
    expect(finished).toEqual([{ turn: 1, playedMs: 100, at: 600 }]);
  });

  it('comes by time alone where the carrier has no marks', () => {
    const { clock, output, marks, finished } = call({ markGraceMs: 0 });
    output.begin(1);
    output.write(1, audio(90));
    output.finish(1);
    clock.advance(1000);
    expect(marks).toEqual([]);
    expect(finished).toEqual([{ turn: 1, playedMs: 90, at: 100 }]);
  });

  it('without any audio comes all the same, with nothing heard', () => {
    const { clock, output, sent, marks, finished } = call();
    output.begin(1);
    output.finish(1);
    expect(finished).toEqual([]);
    clock.advance(10);
    expect(finished).toEqual([{ turn: 1, playedMs: 0, at: 10 }]);
    expect([sent, marks]).toEqual([[], []]);
  });

  it('lets a turn that was begun meanwhile become audible only then', () => {
    const { clock, output, sent, marks, finished, joined } = call();
    output.begin(1);
    output.write(1, audio(100));
    output.finish(1);
    output.begin(2);
    expect(output.write(2, audio(200, 99))).toBe(true);
    output.finish(2);
    clock.advance(110);
    expect(joined(sent)).toEqual(audio(100));
    output.markReturned(marks[0]!);
    clock.advance(300);
    output.markReturned(marks[1]!);
    expect(joined(sent.slice(5))).toEqual(audio(200, 99));
    expect(finished.map(({ turn, playedMs }) => [turn, playedMs])).toEqual([
      [1, 100],
      [2, 200],
    ]);
  });
});

describe('an interruption', () => {
  it('clears here and at the carrier, and says what was heard', () => {
    const { clock, output, sent, clears } = call();
    output.begin(1);
    output.write(1, audio(1000));
    clock.advance(317);
    const before = sent.length;
    expect(output.clear(1)).toBe(317);
    expect(clears).toEqual([317]);
    clock.advance(1000);
    expect(sent).toHaveLength(before);
  });

  it('tells the recording what was heard and nothing more', () => {
    const { clock, output, played, joined } = call();
    output.begin(1);
    output.write(1, audio(1000));
    clock.advance(317);
    output.clear(1);
    clock.advance(1000);
    expect(joined(played)).toEqual(audio(317));
    expect(played.at(-1)).toMatchObject({ at: 300 });
  });

  it('refuses what the interrupted turn still sends', () => {
    const { clock, output, sent, finished } = call();
    output.begin(1);
    output.write(1, audio(100));
    output.clear(1);
    const before = sent.length;
    expect(output.write(1, audio(100))).toBe(false);
    output.finish(1);
    output.begin(2);
    expect(output.write(1, audio(100))).toBe(false);
    output.pause(1);
    output.resume(1, 0);
    expect(output.clear(1)).toBe(0);
    clock.advance(1000);
    expect(sent).toHaveLength(before);
    expect(finished).toEqual([]);
    expect(output.write(2, audio(20))).toBe(true);
  });

  it('starts the next turn at once: the carrier is empty after a clear', () => {
    const { clock, output, sent, played } = call();
    output.begin(1);
    output.write(1, audio(1000));
    clock.advance(105);
    output.clear(1);
    output.begin(2);
    output.write(2, audio(1000));
    expect(sent.slice(-3).map(({ at }) => at)).toEqual([105, 105, 105]);
    clock.advance(50);
    expect(output.playedMs(2)).toBe(50);
    expect(played.at(-1)?.at).toBe(125);
  });

  it('is not taken for the end when the carrier returns the mark that the clear flushed', () => {
    const { clock, output, marks, finished } = call();
    output.begin(1);
    output.write(1, audio(60));
    output.finish(1);
    clock.advance(30);
    output.pause(1);
    output.markReturned(marks[0]!);
    clock.advance(2000);
    expect(finished).toEqual([]);
    output.resume(1, 30);
    clock.advance(40);
    output.markReturned(marks[0]!);
    expect(finished).toEqual([]);
    output.markReturned(marks[1]!);
    expect(finished.map(({ playedMs }) => playedMs)).toEqual([60]);
  });

  it('before anything was written does not trouble the carrier', () => {
    const { output, clears } = call();
    output.begin(1);
    expect(output.clear(1)).toBe(0);
    expect(clears).toEqual([]);
  });
});

describe('pause and resume', () => {
  it('go on exactly where the audio was cut', () => {
    const { clock, output, played, clears, joined } = call();
    output.begin(1);
    output.write(1, audio(1000));
    output.finish(1);
    clock.advance(333);
    output.pause(1);
    expect(clears).toEqual([333]);
    clock.advance(2000);
    expect(output.playedMs(1)).toBe(333);
    output.resume(1, 333);
    clock.advance(100);
    expect(output.playedMs(1)).toBe(433);
    clock.advance(1000);
    expect(joined(played).subarray(0, 8000)).toEqual(audio(1000));
  });

  it('go back to an earlier position, such as the beginning of a word', () => {
    const { clock, output, played, joined } = call();
    output.begin(1);
    output.write(1, audio(500));
    output.finish(1);
    clock.advance(333);
    output.pause(1);
    output.resume(1, 250);
    clock.advance(50);
    expect(output.playedMs(1)).toBe(300);
    clock.advance(500);
    expect(joined(played).subarray(0, (333 + 250) * 8)).toEqual(
      Uint8Array.from([...audio(333), ...audio(500).subarray(2000)]),
    );
  });

  it('keep what arrives meanwhile, and the end too', () => {
    const { clock, output, sent, marks, finished } = call();
    output.begin(1);
    output.write(1, audio(100));
    clock.advance(50);
    output.pause(1);
    const before = sent.length;
    expect(output.write(1, audio(100))).toBe(true);
    output.finish(1);
    clock.advance(1000);
    expect(sent).toHaveLength(before);
    output.resume(1, 50);
    clock.advance(160);
    output.markReturned(marks.at(-1)!);
    expect(finished).toEqual([{ turn: 1, playedMs: 200, at: 1210 }]);
  });

  it('a paused turn can be cleared', () => {
    const { clock, output } = call();
    output.begin(1);
    output.write(1, audio(1000));
    clock.advance(200);
    output.pause(1);
    clock.advance(200);
    expect(output.clear(1)).toBe(200);
  });
});

describe('the queue', () => {
  it('makes the writer wait when it is full, until there is room', async () => {
    const { clock, output } = call({ queueMs: 1000 });
    output.begin(1);
    await output.ready(1, never);
    output.write(1, audio(1500));
    let ready = false;
    const waiting = output.ready(1, never).then(() => {
      ready = true;
    });
    await clock.advanceAsync(400);
    expect(ready).toBe(false);
    await clock.advanceAsync(60);
    await waiting;
    expect(ready).toBe(true);
  });

  it('frees the writer of a turn that was cleared, and lets an abort end the wait', async () => {
    const { output } = call({ queueMs: 100 });
    output.begin(1);
    output.write(1, audio(1000));
    const aborted = new AbortController();
    const first = output.ready(1, never);
    const second = output.ready(1, aborted.signal);
    aborted.abort(new Error('turn over'));
    await expect(second).rejects.toThrow('turn over');
    output.clear(1);
    await first;
    expect(output.write(1, audio(1))).toBe(false);
    output.begin(2);
    output.write(2, audio(1000));
    const third = output.ready(2, never);
    output.close();
    await third;
  });

  it('forgets what was heard long ago when a turn is very long, and nothing else', () => {
    const { clock, output, joined, sent } = call({ keepMs: 15_000, queueMs: 1000 });
    output.begin(1);
    const expected: number[] = [];
    for (let n = 0; n < 60; n++) {
      const piece = audio(1000, n);
      expected.push(...piece);
      output.write(1, piece);
      clock.advance(1000);
    }
    output.finish(1);
    clock.advance(2000);
    expect(joined(sent)).toEqual(Uint8Array.from(expected));
  });
});

describe('order of use', () => {
  it('refuses a turn that is begun while another is neither finished nor cleared', () => {
    const { output } = call();
    output.begin(1);
    expect(() => output.begin(2)).toThrow('before turn 1 was finished');
  });

  it('is silent after close', () => {
    const { clock, output, sent, finished, played, joined } = call();
    output.begin(1);
    output.write(1, audio(500));
    output.finish(1);
    clock.advance(90);
    output.close();
    output.close();
    const before = sent.length;
    clock.advance(1000);
    output.begin(2);
    expect(output.write(2, audio(20))).toBe(false);
    expect(sent).toHaveLength(before);
    expect(finished).toEqual([]);
    expect(joined(played)).toEqual(audio(90));
  });
});

describe('one timer for all calls', () => {
  it('paces 300 calls that began at any time, with one timer', () => {
    const clock = new ScriptedClock();
    const pacer = new Pacer(clock, () => {});
    const calls = Array.from({ length: 300 }, (_, n) => {
      clock.advance(1.7);
      const one = call({}, clock, pacer);
      one.output.begin(1);
      one.output.write(1, audio(1000, n));
      one.output.finish(1);
      return { ...one, n, began: clock.monotonic() };
    });
    expect(clock.pending).toBe(1);
    clock.advance(300);
    expect(clock.pending).toBe(1);
    clock.advance(3000);
    for (const { sent, joined, n, began, played } of calls) {
      expect(joined(sent)).toEqual(audio(1000, n));
      expect(played.map(({ at }) => Math.round(at - began))).toEqual(
        Array.from({ length: 50 }, (_, frame) => frame * 20),
      );
    }
  });

  it('stops when nothing is to be sent, and starts again', () => {
    const { clock, pacer, output, sent, marks } = call();
    expect(clock.pending).toBe(0);
    output.begin(1);
    output.write(1, audio(100));
    expect(clock.pending).toBe(1);
    clock.advance(200);
    expect([clock.pending, pacer.activeCalls]).toEqual([0, 0]);
    output.finish(1);
    clock.advance(10);
    output.markReturned(marks[0]!);
    clock.advance(20);
    expect(clock.pending).toBe(0);
    output.begin(2);
    output.write(2, audio(100));
    clock.advance(100);
    expect(sent).toHaveLength(10);
    output.pause(2);
    clock.advance(20);
    expect(clock.pending).toBe(0);
  });

  it('serves the other calls when one fails', () => {
    const clock = new ScriptedClock();
    const errors: unknown[] = [];
    const pacer = new Pacer(clock, (error) => errors.push(error));
    const broken = call({}, clock, pacer);
    const sound = call({}, clock, pacer);
    for (const { output } of [broken, sound]) {
      output.begin(1);
      output.write(1, audio(200));
    }
    broken.sent.push = () => {
      throw new Error('connection lost');
    };
    clock.advance(300);
    expect(sound.sent).toHaveLength(10);
    expect(errors.length).toBeGreaterThan(0);
  });
});
