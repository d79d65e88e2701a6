import { describe, expect, it } from 'vitest';
import { AdjustedClock, correctionOf } from './adjusted-clock.js';
import { ScriptedClock } from './scripted-clock.js';

describe('a clock that follows another', () => {
  const start = Date.UTC(2026, 10, 22);

  it.each([
    ['agree', 0, 0, 0],
    ['differ by less than is borne', 1900, 0, 0],
    ['are 30 s apart', 30_000, 0, 30_000],
    ['are 30 s apart, the other way', -30_000, 0, -30_000],
    ['seem to differ, because the answer took its time', 4000, 6000, 0],
    ['differ by more than a slow answer explains', 30_000, 6000, 27_000],
  ])('is corrected where they %s', (_how, ahead, tookMs, expected) => {
    const askedAt = start;
    expect(correctionOf({ askedAt, answeredAt: askedAt + tookMs, theirs: askedAt + ahead })).toBe(expected);
  });

  it('shows the other’s time from the first answer on, and goes on at its own pace', async () => {
    const own = new ScriptedClock();
    const clock = new AdjustedClock(own);
    const difference = 30_000;
    const follow = async (theirs: number | undefined) =>
      (
        await clock.follow(
          async () => 'answer',
          () => theirs,
        )
      ).correctedMs;
    expect(await follow(undefined)).toBe(0);
    expect(await follow(own.now() + difference)).toBe(difference);
    expect(clock.now()).toBe(own.now() + difference);
    own.advance(500);
    expect(clock.now()).toBe(own.now() + difference);
    expect(await follow(own.now() + difference + 1500)).toBe(0);
    expect(clock.now()).toBe(own.now() + difference);
    expect(await follow(own.now())).toBe(-difference);
    expect(clock.now()).toBe(own.now());
  });

  it('leaves timers and durations alone', async () => {
    const own = new ScriptedClock();
    const clock = new AdjustedClock(own);
    let ran = false;
    clock.schedule(1000, () => {
      ran = true;
    });
    const began = clock.monotonic();
    await clock.follow(
      async () => own.now() - 30_000,
      (time) => time,
    );
    own.advance(1000);
    expect([ran, clock.monotonic() - began]).toEqual([true, 1000]);
  });

  it('changes nothing when the other does not answer', async () => {
    const own = new ScriptedClock();
    const clock = new AdjustedClock(own);
    await expect(
      clock.follow(
        () => Promise.reject(new Error('away')),
        () => 0,
      ),
    ).rejects.toThrow('away');
    expect(clock.now()).toBe(own.now());
  });
});
