import { describe, expect, it } from 'vitest';
import { type AnswerSituation, type Ask, type AskFailure, nextStep } from './answer-policy.js';

const START = 10_000;
const at = (ms: number) => START + ms;

const failed = (ms: number, failure: Partial<AskFailure> = {}): { failure: AskFailure } => ({
  failure: { at: at(ms), retryable: true, isRateLimited: false, retryAfterMs: undefined, ...failure },
});
const ask = (role: Ask['role'], ms: number, rest: Partial<Ask> = {}): Ask => ({ role, at: at(ms), ...rest });

function next(ms: number, asks: readonly Ask[], situation: Partial<AnswerSituation> = {}) {
  const limits = { firstTokenMs: 1500, turnMs: 6000 };
  return nextStep(
    { limits, hasFallback: false, preferred: 'first', since: START, asks, ...situation },
    at(ms),
  );
}
const withFallback = { hasFallback: true } as const;

describe('what is done for an answer of which nothing was said', () => {
  it('begins with the model that is preferred', () => {
    expect(next(0, [])).toEqual({ type: 'ask', role: 'first' });
    expect(next(0, [], { ...withFallback, preferred: 'fallback' })).toEqual({
      type: 'ask',
      role: 'fallback',
    });
  });

  it('waits for the budget, then asks the fallback beside a late model', () => {
    const asks = [ask('first', 0)];
    expect(next(0, asks, withFallback)).toEqual({ type: 'wait', until: at(1500) });
    expect(next(1499, asks, withFallback)).toEqual({ type: 'wait', until: at(1500) });
    expect(next(1500, asks, withFallback)).toEqual({ type: 'ask', role: 'fallback' });
  });

  it('asks a late model once more where there is no fallback: its connection may have died', () => {
    expect(next(1500, [ask('first', 0)])).toEqual({ type: 'ask', role: 'first' });
    const both = [ask('first', 0), ask('first', 1500)];
    expect(next(3500, both)).toEqual({ type: 'wait', until: at(6000) });
  });

  it('asks the fallback at once when the first failed, whatever the reason', () => {
    const refused = ask('first', 0, failed(40, { retryable: false }));
    expect(next(40, [refused], withFallback)).toEqual({ type: 'ask', role: 'fallback' });
    const busy = ask('first', 0, failed(40, { isRateLimited: true, retryAfterMs: 30_000 }));
    expect(next(40, [busy], withFallback)).toEqual({ type: 'ask', role: 'fallback' });
  });

  it('asks the first after all when the fallback was preferred and failed', () => {
    const asks = [ask('fallback', 0, failed(10))];
    expect(next(10, asks, { ...withFallback, preferred: 'fallback' })).toEqual({
      type: 'ask',
      role: 'first',
    });
  });

  it('asks the same model again at once after a failure that may pass, and not after one that may not', () => {
    expect(next(40, [ask('first', 0, failed(40))])).toEqual({ type: 'ask', role: 'first' });
    expect(next(40, [ask('first', 0, failed(40, { retryable: false }))])).toEqual({
      type: 'give_up',
      reason: 'failed',
    });
  });

  it('waits as long as a provider with too many requests asks for, where the deadline leaves that time', () => {
    const busy = (retryAfterMs?: number) => [
      ask('first', 0, failed(40, { isRateLimited: true, retryAfterMs })),
    ];
    expect(next(40, busy(2000))).toEqual({ type: 'wait', until: at(2040) });
    expect(next(2040, busy(2000))).toEqual({ type: 'ask', role: 'first' });
    expect(next(40, busy())).toEqual({ type: 'wait', until: at(540) });
    expect(next(40, busy(30_000))).toEqual({ type: 'give_up', reason: 'failed' });
  });

  it('never asks a third time', () => {
    const failures = [ask('first', 0, failed(10)), ask('first', 10, failed(20))];
    expect(next(20, failures)).toEqual({ type: 'give_up', reason: 'failed' });
    expect(next(20, [failures[0]!, ask('fallback', 10, failed(20))], withFallback)).toEqual({
      type: 'give_up',
      reason: 'failed',
    });
  });

  it('goes on waiting for a late model when the one beside it failed', () => {
    const asks = [ask('first', 0), ask('fallback', 1500, failed(1600))];
    expect(next(1600, asks, withFallback)).toEqual({ type: 'wait', until: at(6000) });
  });

  it('does not ask again at the deadline, nor wait until it', () => {
    const failures = [ask('first', 0, failed(6000))];
    expect(next(6000, failures)).toEqual({ type: 'give_up', reason: 'failed' });
    const busy = [ask('first', 0, failed(5000, { retryAfterMs: 1000 }))];
    expect(next(5000, busy)).toEqual({ type: 'give_up', reason: 'failed' });
    expect(next(5000, [ask('first', 0, failed(5000, { retryAfterMs: 999 }))])).toMatchObject({
      type: 'wait',
    });
  });

  it('gives up at the deadline of the turn, though a model is still thinking', () => {
    const asks = [ask('first', 0), ask('fallback', 1500)];
    expect(next(5999, asks, withFallback)).toEqual({ type: 'wait', until: at(6000) });
    expect(next(6000, asks, withFallback)).toEqual({ type: 'give_up', reason: 'late' });
  });
});
