import { describe, expect, it } from 'vitest';
import { decide, type GateFacts } from './decide.js';

const fine: GateFacts = {
  disclosure: 'You are speaking with an AI assistant.',
  hasAgent: true,
  liveCalls: 0,
  maxConcurrentCalls: 2,
};

describe('the compliance gate', () => {
  it.each<[string, Partial<GateFacts>, 'allowed' | 'denied', string[]]>([
    ['all is well', {}, 'allowed', []],
    ['the agent says nothing of being an AI', { disclosure: null }, 'denied', ['disclosure_missing']],
    ['the disclosure is blank', { disclosure: '  ' }, 'denied', ['disclosure_missing']],
    ['one place is left', { liveCalls: 1 }, 'allowed', []],
    ['the last place is taken', { liveCalls: 2 }, 'denied', ['concurrent_calls_limit']],
    [
      'everything is wrong',
      { liveCalls: 9, disclosure: '' },
      'denied',
      ['concurrent_calls_limit', 'disclosure_missing'],
    ],
    ['only a number is asked about', { hasAgent: false, disclosure: null }, 'allowed', []],
  ])('when %s', (_, facts, decision, reasons) => {
    const made = decide({ ...fine, ...facts });
    expect(made.decision).toBe(decision);
    expect(made.reasons).toEqual(reasons);
  });

  it('says of what it did not look at that it did not', () => {
    const { checks } = decide(fine);
    expect(checks.dnc.outcome).toBe('not_evaluated');
    expect(checks.calling_hours.outcome).toBe('not_evaluated');
    expect(checks.recording_consent.outcome).toBe('not_evaluated');
    expect(checks.capacity.outcome).toBe('passed');
    expect(checks.disclosure.outcome).toBe('passed');
  });
});
