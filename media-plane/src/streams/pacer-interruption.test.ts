import { describe, expect, it } from 'vitest';
import { CLEARABLE_LEAD_MS } from '../lines/port.js';
import { audio, call } from './testing/paced-call.js';

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

  it.each(['pause', 'clear'] as const)('by %s reaches a carrier that holds a long lead at once', (how) => {
    const { clock, output, sent, played, clears, joined } = call({ leadMs: CLEARABLE_LEAD_MS });
    output.begin(1);
    output.write(1, audio(1000));
    expect(sent).toHaveLength(10);
    clock.advance(317);
    output[how](1);
    expect(clears).toEqual([317]);
    expect(output.playedMs(1)).toBe(317);
    expect(joined(played)).toEqual(audio(317));
    expect(played.map(({ at }) => at)).toEqual(Array.from({ length: 16 }, (_, n) => n * 20));
  });

  it('gives the recording what was heard and nothing more', () => {
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
