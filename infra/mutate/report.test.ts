import { describe, expect, it } from 'vitest';
import { judgedIn, recordsIn } from './job.js';
import { type JudgedMutant, reportText, scoreOf } from './report.js';
import { sampleOf } from './sources.js';

const mutant = (fate: JudgedMutant['fate'], line = 1, replacement = 'b', timedOut = false): JudgedMutant => ({
  timedOut,
  file: 'a.ts',
  line,
  original: 'a',
  replacement,
  fate,
});

describe('the score', () => {
  it('counts all that is not killed against the tests, also what time was too short for', () => {
    const mutants = [mutant('killed'), mutant('survived'), mutant('not covered'), mutant('not run')];
    expect(scoreOf(mutants)).toEqual({ killed: 1, notRun: 1, percent: 25 });
    expect(scoreOf([]).percent).toBe(100);
  });

  it('says how many were killed by time-out', () => {
    expect(reportText('folder', [mutant('killed'), mutant('killed', 1, 'b', true)], 2)).toBe(
      'folder: 2 of 2 mutants killed (1 by time-out), 100.0 %\n',
    );
  });

  it('names survivors line by line, and says of what it is a sample', () => {
    const mutants = [
      mutant('survived', 9, ''),
      mutant('not covered', 3),
      mutant('killed'),
      mutant('not run'),
    ];
    expect(reportText('folder', mutants, 10)).toBe(`a.ts
     3  a  →  b  (no test runs it)
     9  without a

folder: 1 of 4 mutants killed, at least 25.0 % (a sample of 10)
Out of time: 1 mutants were not judged to the end. See --minutes.
`);
  });
});

describe('a sample', () => {
  const all = Array.from({ length: 100 }, (_, at) => at);

  it('is the same for a seed, another for another, and in order', () => {
    expect(sampleOf(all, 10, 1)).toEqual(sampleOf(all, 10, 1));
    expect(sampleOf(all, 10, 1)).not.toEqual(sampleOf(all, 10, 2));
    expect(sampleOf(all, 10, 3)).toEqual([...sampleOf(all, 10, 3)].sort((a, b) => a - b));
    expect(new Set(sampleOf(all, 10, 1)).size).toBe(10);
  });

  it('of fewer is all of them', () => {
    expect(sampleOf([1, 2], 10, 1)).toEqual([1, 2]);
  });
});

describe('what the workers note', () => {
  it('is read up to the last whole line', () => {
    const text = '{"kind":"worker","pid":1}\n{"kind":"begun","id"';
    expect(recordsIn(text)).toEqual([{ kind: 'worker', pid: 1 }]);
  });

  it('a mutant is killed by whichever test file notices it', () => {
    const line = (file: string, killed: boolean) =>
      `${JSON.stringify({ kind: 'judged', id: 7, file, killed, by: '' })}\n`;
    const judged = judgedIn(line('a', false) + line('b', true) + line('c', false));
    expect(judged.get(7)).toEqual({ killed: true, by: new Set(['a', 'b', 'c']) });
    expect(judged.get(8)).toBeUndefined();
  });
});
