import { describe, expect, it } from 'vitest';
import { RestartPolicy } from './restart-policy.js';

/** What the policy says of a process that runs for `upMs` each time, once for each of its ends. */
function delays(upMs: number, ends: number): (number | undefined)[] {
  const policy = new RestartPolicy();
  let now = 0;
  return Array.from({ length: ends }, () => {
    now += upMs;
    const delay = policy.afterEnd(now);
    now += delay ?? 0;
    return delay;
  });
}

describe('when a process that ended is started again', () => {
  it('is ever later while it ends again and again, and never after ten ends within a minute', () => {
    expect(delays(500, 10)).toEqual([100, 200, 400, 800, 1600, 2000, 2000, 2000, 2000, undefined]);
  });

  it('gives up as well on one that needs four seconds each time before it fails', () => {
    expect(delays(4000, 10).at(-1)).toBeUndefined();
  });

  it('is at once, for ever, where the ends are more than a minute apart', () => {
    expect(new Set(delays(61_000, 50))).toEqual(new Set([100]));
  });
});
