import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { expect, it } from 'vitest';
import { whileProgress } from './while-progress.js';

/** Begins work that takes so long an item, and stops when it is asked to. */
function begin(clock: ScriptedClock, itemMs: readonly number[]) {
  const state = { left: itemMs.length, isGivenUp: false, isOver: false };
  const work = async (signal: AbortSignal) => {
    for (const ms of itemMs) {
      await clock.sleep(ms, signal).catch(() => {});
      if (signal.aborted) {
        state.isGivenUp = true;
        return;
      }
      state.left -= 1;
    }
  };
  void whileProgress(work, { clock, left: () => state.left, stalledMs: 10_000 }).then(() => {
    state.isOver = true;
  });
  return state;
}

it('goes on for as long as something gets done', async () => {
  const clock = new ScriptedClock();
  const state = begin(
    clock,
    Array.from({ length: 20 }, () => 9000),
  );
  await clock.advanceAsync(180_100, 250);
  expect(state).toEqual({ left: 0, isGivenUp: false, isOver: true });
  expect(clock.pending).toBe(0);
});

it('gives up what gets no further', async () => {
  const clock = new ScriptedClock();
  const state = begin(clock, [1000, 60_000, 1000]);
  await clock.advanceAsync(10_900, 50);
  expect(state.isOver).toBe(false);
  await clock.advanceAsync(600, 50);
  expect(state).toEqual({ left: 2, isGivenUp: true, isOver: true });
  expect(clock.pending).toBe(0);
});
