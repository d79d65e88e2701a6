import { describe, expect, it } from 'vitest';
import type { ExpectedLatency } from '../query.js';
import { answerWords, partWords } from './estimate-words.js';

const EXPECTED: ExpectedLatency = {
  response_latency_ms: 503,
  in_doubt_latency_ms: 3103,
  is_at_least: true,
  basis: 'composed',
  turns: 0,
  parts: [],
};
const CALLS = { hasCalls: true, ofChange: false };

describe('the words of an expected latency', () => {
  it('say what was measured as it was, and what was not as a bound', () => {
    expect(answerWords({ ...EXPECTED, basis: 'measured', turns: 34 }, CALLS)).toBe(
      'Answers in 503 ms (median of 34 measured turns); up to 3.10 s where the caller seems not to have finished',
    );
    expect(answerWords({ ...EXPECTED, is_at_least: false, turns: 34 }, CALLS)).toMatch(
      /^By 34 measured turns with these providers it answers in about 503 ms;/,
    );
    const none = { hasCalls: false, ofChange: true };
    expect(answerWords(EXPECTED, none)).toMatch(
      /^No calls yet with these providers: by its settings and published figures it answers in at least 503 ms;/,
    );
    expect(answerWords(EXPECTED, CALLS)).toMatch(/^No measured turns: /);
  });

  it('say of a stage whose figure it is, and what of it is waited for', () => {
    const part = {
      stage: 'model',
      takes_ms: 500,
      adds_ms: 100,
      source: 'vendor',
      basis: 'So it is said.',
    } as const;
    expect(partWords(part)).toBe('Model: 500 ms, of which 100 ms is waited for. So it is said.');
    expect(partWords({ ...part, adds_ms: 500 })).toBe('Model: 500 ms. So it is said.');
    expect(partWords({ ...part, takes_ms: null, adds_ms: 0 })).toBe('Model: not known. So it is said.');
  });
});
