import type { Heartbeat } from '@voice/shared/contracts/worker';
import { beforeEach, describe, expect, it } from 'vitest';
import { HeldCalls } from './held-calls.js';

const beat = (...calls: string[]): Heartbeat => ({
  worker_id: 'w',
  control_url: 'http://127.0.0.1:1',
  media_url: 'ws://127.0.0.1:1',
  capacity: 10,
  live: calls.length,
  reserved: 0,
  draining: false,
  calls,
});

let held: HeldCalls;
beforeEach(() => {
  held = new HeldCalls();
});
/** Takes a heartbeat as it would be taken; whether its whole list was compared. */
function take(at: number, ...calls: string[]): boolean {
  const change = held.changeOf(beat(...calls), at);
  if (change) held.noteChange('w', change, new Date(at));
  else held.noteCompared(beat(...calls), new Date(at), true);
  return change === null;
}

describe('of a heartbeat', () => {
  it('the whole list is compared at first and at every fourth', () => {
    const whole = Array.from({ length: 9 }, (_, n) => take(n * 2000, 'a'));
    expect(whole.flatMap((compared, n) => (compared ? [n] : []))).toEqual([0, 4, 8]);
  });

  it('what the one before had and it has not is to be looked at', () => {
    take(0, 'a', 'b');
    expect(held.changeOf(beat('b', 'c'), 2000)).toMatchObject({ after: new Date(0), gone: ['a'] });
    take(2000, 'b', 'c');
    expect(held.changeOf(beat(), 4000)).toMatchObject({ after: new Date(2000), gone: ['b', 'c'] });
  });

  it.each([
    ['late', 3001],
    ['from before the last one', -1],
  ])('the whole list is compared where it is %s', (_, at) => {
    take(0, 'a');
    expect(held.changeOf(beat('a'), at)).toBeNull();
  });

  it('the whole list is compared where something was missing or waited for', () => {
    held.noteCompared(beat('a'), new Date(0), false);
    expect(held.changeOf(beat('a'), 2000)).toBeNull();
  });
});

describe('a call that is missing was held', () => {
  it("at the worker's last heartbeat, where that had it or was taken elsewhere", () => {
    take(0, 'a');
    take(2000, 'a');
    expect(held.heldAt('w', 'a', new Date(2000))).toEqual(new Date(2000));
    expect(held.heldAt('w', 'b', new Date(3000))).toEqual(new Date(3000));
    expect(held.heldAt('another', 'a', new Date(3000))).toEqual(new Date(3000));
  });

  it('when all were compared, where no heartbeat since had it', () => {
    take(0, 'a');
    take(2000, 'a');
    expect(held.heldAt('w', 'b', new Date(2000))).toEqual(new Date(0));
  });
});
