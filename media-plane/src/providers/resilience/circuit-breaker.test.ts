import { describe, expect, it } from 'vitest';
import {
  admit,
  BREAKER_LIMITS,
  type BreakerOutcome,
  type BreakerState,
  CLOSED,
  record,
} from './circuit-breaker.js';

/** Takes results a second apart, the first at the given time; requests take no time. */
function after(outcomes: readonly BreakerOutcome[], from = 0, before: BreakerState = CLOSED): BreakerState {
  return outcomes.reduce((state, outcome, index) => {
    const at = from + index * 1000;
    return record(state, BREAKER_LIMITS, { outcome, startedAt: at }, at);
  }, before);
}
const isAdmitted = (state: BreakerState, now: number) => admit(state, BREAKER_LIMITS, now).isAdmitted;
/** Opened at 4 s, for 10 s. */
const open = after(['failed', 'failed', 'failed', 'failed', 'failed']);

describe('a circuit breaker', () => {
  it('lets everything through while requests succeed', () => {
    const state = after(Array.from({ length: 50 }, () => 'ok' as const));
    expect(state.phase).toBe('closed');
    expect(admit(state, BREAKER_LIMITS, 50_000)).toEqual({ state, isAdmitted: true });
  });

  it('does not judge by few results', () => {
    expect(after(['failed', 'failed', 'failed', 'failed']).phase).toBe('closed');
    expect(open.phase).toBe('open');
  });

  it('opens at the share of failures, not below it', () => {
    expect(after(['ok', 'ok', 'ok', 'failed', 'failed']).phase).toBe('closed');
    expect(after(['ok', 'ok', 'ok', 'failed', 'failed', 'failed']).phase).toBe('open');
  });

  it('opens by slow answers like by failures', () => {
    expect(after(['ok', 'slow', 'slow', 'slow', 'failed']).phase).toBe('open');
  });

  it('forgets results of more than a minute ago', () => {
    const longAgo = after(['failed', 'failed', 'failed', 'failed']);
    expect(after(['failed'], 62_900, longAgo).phase).toBe('closed');
    expect(after(['failed'], 60_000, longAgo).phase).toBe('closed');
    expect(after(['failed'], 59_999, longAgo).phase).toBe('open');
  });

  it('counts what comes within a second together: a minute of many calls is sixty counts', () => {
    let state = CLOSED;
    for (let at = 0; at < 120_000; at += 10) {
      state = record(state, BREAKER_LIMITS, { outcome: at % 30 === 0 ? 'failed' : 'ok', startedAt: at }, at);
    }
    expect(state.phase).toBe('closed');
    expect(state.results).toHaveLength(60);
    // One in three of a minute's 6,000; three thousand more are half of all.
    for (let n = 0; n < 1900; n++) {
      state = record(state, BREAKER_LIMITS, { outcome: 'slow', startedAt: 119_990 }, 119_995);
    }
    expect(state.phase).toBe('closed');
    for (let n = 0; n < 200; n++) {
      state = record(state, BREAKER_LIMITS, { outcome: 'slow', startedAt: 119_990 }, 119_995);
    }
    expect(state.phase).toBe('open');
  });

  it.each([
    ['one tenant', ['a', 'a'], 'closed'],
    ['two tenants', ['a', 'b'], 'open'],
    ['three tenants', ['a', 'b', 'c'], 'open'],
    ['a tenant, and of the platform itself', ['a', undefined], 'open'],
    ['the platform itself', [undefined], 'open'],
  ])('judges failures within one second that are all of %s', (_whose, from, phase) => {
    let state = CLOSED;
    for (let n = 0; n < 6; n++) {
      const result = { outcome: 'failed' as const, startedAt: n, from: from[n % from.length] };
      state = record(state, BREAKER_LIMITS, result, n);
    }
    expect(state.phase).toBe(phase);
  });

  it('leaves the provider alone, then lets one request try', () => {
    expect(isAdmitted(open, 13_999)).toBe(false);
    const probing = admit(open, BREAKER_LIMITS, 14_000);
    expect(probing).toMatchObject({ isAdmitted: true, state: { phase: 'half_open' } });
    expect(isAdmitted(probing.state, 14_001)).toBe(false);
  });

  it('closes when the request that tried succeeded', () => {
    const probing = admit(open, BREAKER_LIMITS, 14_000).state;
    const closed = record(probing, BREAKER_LIMITS, { outcome: 'ok', startedAt: 14_000 }, 14_500);
    expect([closed.phase, isAdmitted(closed, 14_501)]).toEqual(['closed', true]);
    // The failures that opened it are forgotten.
    expect(after(['failed'], 15_000, closed).phase).toBe('closed');
  });

  it.each(['failed', 'slow'] as const)('opens for twice as long when it %s, up to a minute', (outcome) => {
    let state = open;
    const waits: number[] = [];
    for (let now = 14_000; waits.length < 4; now += state.openForMs) {
      state = record(
        admit(state, BREAKER_LIMITS, now).state,
        BREAKER_LIMITS,
        { outcome, startedAt: now },
        now,
      );
      waits.push(state.openForMs);
    }
    expect(waits).toEqual([20_000, 40_000, 60_000, 60_000]);
  });

  it('lets another try when the one that tried never came back', () => {
    const probing = admit(open, BREAKER_LIMITS, 14_000).state;
    expect(isAdmitted(probing, 23_999)).toBe(false);
    expect(isAdmitted(probing, 24_000)).toBe(true);
  });

  it('ignores results of requests from before, and takes those of requests that had nowhere else to go', () => {
    const late = record(open, BREAKER_LIMITS, { outcome: 'ok', startedAt: 3000 }, 15_000);
    expect(late.phase).toBe('open');
    const anyhow = record(open, BREAKER_LIMITS, { outcome: 'ok', startedAt: 14_500 }, 15_000);
    expect(anyhow.phase).toBe('closed');
  });
});
