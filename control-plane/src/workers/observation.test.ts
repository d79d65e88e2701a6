import { describe, expect, it } from 'vitest';
import { mayJudge, type Observation, observe } from './observation.js';

/** Looks at the given times (s); says at which of them a silent worker may be declared lost. */
function judgements(...seconds: number[]): number[] {
  let observation: Observation | null = null;
  return seconds.filter((at) => {
    observation = observe(observation, at * 1000);
    return mayJudge(observation);
  });
}

describe('when silence proves a worker dead', () => {
  it('does not on the first look, however old the heartbeats', () => {
    expect(judgements(100)).toEqual([]);
  });

  it('does after eight seconds of unbroken listening', () => {
    expect(judgements(0, 2, 4, 6, 8, 10)).toEqual([8, 10]);
  });

  it('starts anew after an outage of whoever listened', () => {
    expect(judgements(0, 2, 4, 6, 8, 30, 32, 34, 36, 38)).toEqual([8, 38]);
  });

  it('bears a look that comes late', () => {
    expect(judgements(0, 5, 10)).toEqual([10]);
  });

  it('starts anew when the clock was set back', () => {
    expect(judgements(100, 102, 50, 52, 54, 56, 58)).toEqual([58]);
  });
});
