import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type LineSink, pacedLines } from './paced-lines.js';

let written: string[];
let lines: LineSink;
let added: (typeof process)['exit'][];

beforeEach(() => {
  vi.useFakeTimers();
  const before = process.listeners('exit');
  written = [];
  lines = pacedLines({ write: (text) => written.push(text) });
  added = process.listeners('exit').filter((listener) => !before.includes(listener)) as never;
});
afterEach(() => {
  for (const listener of added) process.off('exit', listener as never);
  vi.useRealTimers();
});

it('writes the lines of a turn in one piece and in their order, as soon as it is over', () => {
  lines.write('a\n');
  lines.write('b\n');
  expect(written).toEqual([]);
  vi.advanceTimersByTime(0);
  expect(written).toEqual(['a\nb\n']);
});

it('writes at most every 10 ms', () => {
  lines.write('a\n');
  vi.advanceTimersByTime(4);
  lines.write('b\n');
  vi.advanceTimersByTime(3);
  lines.write('c\n');
  expect(written).toEqual(['a\n']);
  vi.advanceTimersByTime(3);
  expect(written).toEqual(['a\n', 'b\nc\n']);
  vi.advanceTimersByTime(10);
  lines.write('d\n');
  vi.advanceTimersByTime(0);
  expect(written).toEqual(['a\n', 'b\nc\n', 'd\n']);
});

it('writes what waits when the process exits', () => {
  lines.write('last\n');
  expect(added).toHaveLength(1);
  added[0]!(0);
  expect(written).toEqual(['last\n']);
});
