import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { beforeEach, describe, expect, it } from 'vitest';
import { JobAgenda, TOGETHER_MS } from './job-agenda.js';

/** Its wall clock alone is set. */
class SetClock extends ScriptedClock {
  setBy = 0;

  override now(): number {
    return super.now() + this.setBy;
  }
}

let clock: SetClock;
let agenda: JobAgenda;
/** What was taken each time that jobs fell due, by the ms since the start. */
let taken: { readonly at: number; readonly ids: readonly string[] }[];

beforeEach(() => {
  clock = new SetClock();
  const began = clock.now();
  taken = [];
  agenda = new JobAgenda({
    clock,
    onDue: () => taken.push({ at: clock.now() - began, ids: agenda.takeDue(100).map(({ id }) => id) }),
  });
});

const note = (id: string, inMs: number) => agenda.note({ id, name: 'campaigns', dueAt: clock.now() + inMs });

describe('jobs that fall due', () => {
  it('are tried at their time, where they are far apart', () => {
    note('a', 10);
    note('b', 10 + TOGETHER_MS);
    clock.advance(1000);
    expect(taken).toEqual([
      { at: 10, ids: ['a'] },
      { at: 10 + TOGETHER_MS, ids: ['b'] },
    ]);
  });

  it('are tried together, where they follow each other closely, and none too early', () => {
    for (const inMs of [10, 11, 30, 59, 61]) note(`at ${inMs}`, inMs);
    clock.advance(1000);
    expect(taken).toEqual([
      { at: 10, ids: ['at 10'] },
      { at: 10 + TOGETHER_MS, ids: ['at 11', 'at 30', 'at 59'] },
      { at: 10 + 2 * TOGETHER_MS, ids: ['at 61'] },
    ]);
  });

  it('do not wait for a wall clock that was set back', () => {
    note('a', 10);
    clock.advance(10);
    clock.setBy = -3_600_000;
    note('b', 5);
    clock.advance(TOGETHER_MS);
    expect(taken.map(({ ids }) => ids)).toEqual([['a'], ['b']]);
  });
});
