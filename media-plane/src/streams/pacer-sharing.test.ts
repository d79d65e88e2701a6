import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { describe, expect, it } from 'vitest';
import { Pacer } from './pacer.js';
import { audio, call } from './testing/paced-call.js';

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
