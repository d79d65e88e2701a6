import { describe, expect, it } from 'vitest';
import type { CallDecision, CallDecisions } from '../../api/types.js';
import { decisionsFor, replaySentence } from './decisions.js';

const decision = (step: number, rule: CallDecision['rule'], today: string | null = null): CallDecision => ({
  step,
  at_ms: step * 100,
  rule,
  known: 'Known.',
  outcome: 'Outcome.',
  today,
});
const CALL: CallDecisions = {
  call_id: 'c',
  decisions: [
    decision(1, 'opening'),
    decision(4, 'barge_in_pause'),
    decision(9, 'interruption', 'The agent goes on.'),
    decision(12, 'ending'),
  ],
  truncated: false,
  steps: 1200,
  different: 3,
};

describe('decisions', () => {
  it('answer a question by their rules', () => {
    const steps = (
      ...asked: Parameters<typeof decisionsFor> extends [unknown, ...infer Rest] ? Rest : never
    ) => decisionsFor(CALL, ...asked).map(({ step }) => step);
    expect(steps('all', false)).toEqual([1, 4, 9, 12]);
    expect(steps('interrupted', false)).toEqual([4, 9]);
    expect(steps('interrupted', true)).toEqual([9]);
    expect(steps('ended', true)).toEqual([]);
  });

  it('are compared with today’s rules in a sentence', () => {
    expect(replaySentence(CALL)).toBe(
      '1,200 decisions. Today’s rules would act otherwise in 1 of those below; those after the first may only follow from it.',
    );
    expect(replaySentence({ ...CALL, different: 0 })).toBe(
      '1,200 decisions. Today’s rules take every one of them the same.',
    );
    expect(replaySentence({ ...CALL, decisions: CALL.decisions.slice(0, 1) })).toBe(
      '1,200 decisions. Today’s rules differ in timers alone: nothing else follows from them.',
    );
  });
});
