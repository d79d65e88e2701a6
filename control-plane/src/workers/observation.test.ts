import { describe, expect, it } from 'vitest';
import { mayJudge, type Observation, observe } from './observation.js';

/** Looks at the given times (s); says at which of them a silent worker may be declared lost. */
const judgements = (...seconds: number[]) => judgementsOf(() => Number.POSITIVE_INFINITY, seconds);

/** The same by a process that has been there for as long as `presentMs` says of a time (s). */
function judgementsOf(presentMs: (at: number) => number, seconds: readonly number[]): number[] {
  let observation: Observation | null = null;
  return seconds.filter((at) => {
    observation = observe(observation, at * 1000);
    return mayJudge(observation, presentMs(at));
  });
}

describe('when silence proves a worker dead', () => {
  it('does not on the first look, however old the heartbeats', () => {
    expect(judgements(100)).toEqual([]);
  });

  it('does after eight seconds of unbroken listening', () => {
    expect(judgements(0, 2, 4, 6, 8, 10)).toEqual([8, 10]);
  });

  it('starts anew after an outage of the listener', () => {
    expect(judgements(0, 2, 4, 6, 8, 30, 32, 34, 36, 38)).toEqual([8, 38]);
  });

  it('bears a look that comes late', () => {
    expect(judgements(0, 5, 10)).toEqual([10]);
  });

  it('starts anew when the clock was set back', () => {
    expect(judgements(100, 102, 50, 52, 54, 56, 58)).toEqual([58]);
  });

  it('does not by a process that has only just begun, however unbroken the looks of others before it', () => {
    const begunAt = 10;
    const since = (at: number) => (at - begunAt) * 1000;
    expect(judgementsOf(since, [0, 5, 10, 14, 17, 18, 20])).toEqual([18, 20]);
  });
});
