import { describe, expect, it } from 'vitest';
import { untilNextStep } from './in-step.js';

describe('steps', () => {
  it('are the same for all who ask within a period', () => {
    for (const now of [0, 1, 250.5, 399.9]) expect(now + untilNextStep(now, 400)).toBeCloseTo(400);
  });

  it('are never now, and never further than a period', () => {
    expect(untilNextStep(400, 400)).toBe(400);
    expect(untilNextStep(399, 400)).toBe(1);
  });
});
