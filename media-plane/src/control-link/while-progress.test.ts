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

it('goes on for as long as a single item that takes long gets further', async () => {
  const clock = new ScriptedClock();
  const state = { left: 1, isOver: false };
  const startedAt = clock.monotonic();
  const work = async (signal: AbortSignal) => {
    await clock.sleep(40_000, signal).catch(() => {});
    if (!signal.aborted) state.left = 0;
  };
  // For the last 10 s it says nothing more.
  const done = () => Math.min(30_000, clock.monotonic() - startedAt);
  void whileProgress(work, { clock, left: () => state.left, done, stalledMs: 15_000 }).then(() => {
    state.isOver = true;
  });
  await clock.advanceAsync(40_100, 250);
  expect(state).toEqual({ left: 0, isOver: true });
});

it('gives up a single item that has got further and does no more', async () => {
  const clock = new ScriptedClock();
  const startedAt = clock.monotonic();
  let isOver = false;
  const work = (signal: AbortSignal) => clock.sleep(60_000, signal).catch(() => {});
  const done = () => Math.min(5000, clock.monotonic() - startedAt);
  void whileProgress(work, { clock, left: () => 1, done, stalledMs: 10_000 }).then(() => {
    isOver = true;
  });
  await clock.advanceAsync(14_900, 50);
  expect(isOver).toBe(false);
  await clock.advanceAsync(600, 50);
  expect(isOver).toBe(true);
});
