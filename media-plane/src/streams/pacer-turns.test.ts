import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { describe, expect, it } from 'vitest';
import { keysAudio, turnAudio } from './audio-id.js';
import { Pacer } from './pacer.js';
import { audio, call } from './testing/paced-call.js';

const never = new AbortController().signal;

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

describe('pressed keys', () => {
  it('are no turn, even of the same number', () => {
    const clock = new ScriptedClock();
    const pacer = new Pacer(clock, (error) => {
      throw error;
    });
    const finished: unknown[] = [];
    const marks: string[] = [];
    const output = pacer.open(
      { sendAudio: () => true, sendMark: (name) => marks.push(name), clear: () => {} },
      { onFirstFrame: () => {}, onFinished: (...end) => finished.push(end), onPlayed: () => {} },
    );
    const keys = keysAudio(1);
    output.begin(keys);
    expect(output.write(turnAudio(1), audio(100))).toBe(false);
    expect(output.write(keys, audio(100))).toBe(true);
    output.finish(turnAudio(1));
    output.finish(keys);
    clock.advance(50);
    expect([output.playedMs(keys), output.playedMs(turnAudio(1))]).toEqual([50, 0]);
    expect(output.clear(turnAudio(1))).toBe(0);
    clock.advance(100);
    expect(marks.at(-1)).toMatch(/^keys-1-/);
    output.markReturned(marks.at(-1)!);
    expect(finished).toEqual([[keys, 100]]);
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
