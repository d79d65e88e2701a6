import { expect, it } from 'vitest';
import { runEach } from './run-each.js';

it('runs every step in order, and names those that failed', () => {
  const ran: string[] = [];
  const failed: string[] = [];
  const broken = () => {
    throw new Error('broken');
  };
  const steps = {
    first: () => ran.push('first'),
    second: broken,
    third: broken,
    last: () => ran.push('last'),
  };
  runEach(steps, (step, error) => failed.push(`${step}: ${(error as Error).message}`));
  expect(ran).toEqual(['first', 'last']);
  expect(failed).toEqual(['second: broken', 'third: broken']);
});
