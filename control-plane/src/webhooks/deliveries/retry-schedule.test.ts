import { describe, expect, it } from 'vitest';
import {
  growthFor,
  MAX_ATTEMPTS,
  nextAttemptAt,
  nominalDelayMs,
  RETRY_WINDOW_MS,
  retryAfterMs,
} from './retry-schedule.js';

const NOW = Date.UTC(2026, 0, 5, 15);
const HOUR = 3_600_000;

/** When the attempts are made, in ms after the first, if every one fails at once. */
function schedule(random: number): number[] {
  const at = [0];
  for (let attempt = 1; ; attempt++) {
    const next = nextAttemptAt({ attempt, firstDueAt: NOW, now: NOW + at.at(-1)!, random });
    if (next === null) return at;
    at.push(next - NOW);
  }
}

describe('attempts stop after 10 attempts over 24 hours', () => {
  it('by the numbers of the specification', () => {
    expect([MAX_ATTEMPTS, RETRY_WINDOW_MS]).toEqual([10, 24 * HOUR]);
  });

  // @rule 6.7
  it('without chance, the tenth is 24 hours after the first', () => {
    const at = schedule(0);
    expect(at).toHaveLength(MAX_ATTEMPTS);
    expect(at.at(-1)).toBeGreaterThan(RETRY_WINDOW_MS - 1000);
    expect(at.at(-1)).toBeLessThanOrEqual(RETRY_WINDOW_MS);
  });

  // @rule 6.6
  it('the backoff is exponential: each delay is about three times the one before', () => {
    const growth = growthFor(MAX_ATTEMPTS, RETRY_WINDOW_MS);
    expect(growth).toBeCloseTo(3, 0);
    for (let attempt = 2; attempt < MAX_ATTEMPTS; attempt++) {
      expect(nominalDelayMs(attempt) / nominalDelayMs(attempt - 1)).toBeCloseTo(growth, 2);
    }
    expect(nominalDelayMs(1)).toBe(10_000);
  });

  it('jitter takes up to a fifth off, so that what failed together does not return together', () => {
    const [early, late] = [schedule(1), schedule(0)];
    for (let i = 1; i < MAX_ATTEMPTS; i++) expect(early[i]! / late[i]!).toBeCloseTo(0.8, 3);
  });
});

describe('the growth of the delays', () => {
  it.each([
    [3, 24 * HOUR],
    [6, 24 * HOUR],
    [10, 24 * HOUR],
    [12, 48 * HOUR],
    [10, 60_000],
  ])('makes %i attempts fill a window of %i ms', (attempts, windowMs) => {
    const growth = growthFor(attempts, windowMs, 10_000);
    const delays = Array.from({ length: attempts - 1 }, (_, i) => 10_000 * growth ** i);
    const sum = delays.reduce((total, delay) => total + delay);
    expect(sum).toBeLessThanOrEqual(windowMs);
    expect(sum).toBeGreaterThan(windowMs - 1);
  });

  it('is none with a single delay, or without any', () => {
    expect([growthFor(1, HOUR), growthFor(2, HOUR)]).toEqual([1, 1]);
  });
});

describe('Retry-After', () => {
  const failed = { attempt: 1, firstDueAt: NOW, now: NOW, random: 0 };

  it('makes the next attempt later, never earlier', () => {
    expect(nextAttemptAt({ ...failed, retryAfterMs: 120_000 })).toBe(NOW + 120_000);
    expect(nextAttemptAt({ ...failed, retryAfterMs: 1000 })).toBe(NOW + 10_000);
  });

  it('is honoured up to the end of the 24 hours', () => {
    expect(nextAttemptAt({ ...failed, retryAfterMs: 90 * HOUR })).toBe(NOW + RETRY_WINDOW_MS);
    const late = { ...failed, attempt: 3, now: NOW + RETRY_WINDOW_MS + HOUR };
    expect(nextAttemptAt({ ...late, retryAfterMs: HOUR })).toBe(late.now + Math.round(nominalDelayMs(3)));
  });

  it.each([
    ['120', 120_000],
    [' 0 ', 0],
    ['Mon, 05 Jan 2026 15:01:00 GMT', 60_000],
    ['Mon, 05 Jan 2026 14:00:00 GMT', 0],
    ['soon', undefined],
    ['-5', undefined],
    ['1.5', undefined],
    [undefined, undefined],
  ])('%s is %s ms', (header, expected) => {
    expect(retryAfterMs(header, NOW)).toBe(expected);
  });
});
