import { describe, expect, it } from 'vitest';
import { LeaseSilence } from './lease-silence.js';

const row = (renewals: number, holder = 'first') => ({ holder, until: new Date(renewals) });
const silence = () => new LeaseSilence({ silenceMs: 1000, longestGapMs: 500 });

/** Looks every 250 ms; returns when the holder was first taken for dead, in ms. */
function firstOver(rowAt: (at: number) => ReturnType<typeof row>, until = 10_000): number | undefined {
  const judged = silence();
  for (let at = 0; at <= until; at += 250) if (judged.isOver({ row: rowAt(at), at })) return at;
  return undefined;
}

describe('the silence of a lease', () => {
  it('is over when the holder renewed nothing for its time', () => {
    expect(firstOver(() => row(0))).toBe(1000);
    expect(firstOver((at) => row(Math.min(at, 2000)))).toBe(3000);
  });

  it('never is while the holder renews', () => {
    expect(firstOver((at) => row(Math.floor(at / 750)))).toBeUndefined();
  });

  it('begins anew with another holder', () => {
    expect(firstOver((at) => row(0, at < 750 ? 'first' : 'second'))).toBe(1750);
  });

  it('does not count time in which nobody looked, or the store did not answer', () => {
    const judged = silence();
    const isOver = [0, 250, 500, 1250, 1500, 2000, 2250].map((at) => judged.isOver({ row: row(0), at }));
    expect(isOver).toEqual([false, false, false, false, false, false, true]);
  });
});
