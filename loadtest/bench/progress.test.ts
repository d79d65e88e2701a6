import { expect, it } from 'vitest';
import { Progress } from './progress.js';

it('says with each step how long the rest will take', () => {
  const lines: string[] = [];
  const progress = new Progress(200_000, (line) => lines.push(line));
  progress.begin('echo', 8000);
  progress.begin('calls', 140_000);
  progress.begin('more calls', 52_000);
  expect(lines).toEqual([
    'echo; about 3 min left in all',
    'calls; about 3 min left in all',
    'more calls; about 52 s left in all',
  ]);
});
