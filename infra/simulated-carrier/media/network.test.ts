import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { describe, expect, it } from 'vitest';
import { NETWORKS, type NetworkName, NetworkPath } from './network.js';

/** Sends a message every 20 ms; when each came. */
function sent(network: NetworkName, seed = 1, count = 500): { number: number; tookMs: number; at: number }[] {
  const clock = new ScriptedClock();
  const path = new NetworkPath({ network, clock, seed });
  const came: { number: number; tookMs: number; at: number }[] = [];
  for (let number = 0; number < count; number++) {
    const sentAt = clock.monotonic();
    path.send(() => came.push({ number, tookMs: clock.monotonic() - sentAt, at: clock.monotonic() }));
    clock.advance(20);
  }
  clock.advance(1000);
  expect(clock.pending).toBe(0);
  return came;
}

/** Which of so many frames are lost. */
function lost(network: NetworkName, seed = 1, count = 20_000): boolean[] {
  const path = new NetworkPath({ network, clock: new ScriptedClock(), seed });
  return Array.from({ length: count }, () => path.losesFrame());
}

const shareOf = (frames: readonly boolean[]) => frames.filter(Boolean).length / frames.length;

describe('a good network', () => {
  it('delivers at once and loses nothing', () => {
    expect(sent('good').every(({ tookMs }) => tookMs === 0)).toBe(true);
    expect(shareOf(lost('good'))).toBe(0);
  });
});

describe.each([
  ['mobile', { least: 60, most: 100, loss: 0.01 }],
  ['bad', { least: 150, most: 270, loss: 0.04 }],
] as const)('a %s network', (network, terms) => {
  it('delivers everything in order, each late by its delay and jitter', () => {
    const came = sent(network);
    expect(came.map(({ number }) => number)).toEqual(came.map((_, n) => n));
    const took = came.map(({ tookMs }) => tookMs);
    expect(Math.min(...took)).toBeGreaterThanOrEqual(terms.least);
    expect(Math.max(...took)).toBeLessThanOrEqual(terms.most);
    expect(Math.max(...took) - Math.min(...took)).toBeGreaterThan((terms.most - terms.least) * 0.8);
  });

  it('loses its share of the frames, some one after the other', () => {
    const frames = lost(network);
    expect(shareOf(frames)).toBeGreaterThan(terms.loss * 0.8);
    expect(shareOf(frames)).toBeLessThan(terms.loss * 1.2);
    expect(frames.some((isLost, n) => isLost && frames[n + 1])).toBe(true);
  });

  it('is the same each time, and another one with another seed', () => {
    expect(sent(network)).toEqual(sent(network));
    expect(lost(network)).toEqual(lost(network));
    expect(sent(network, 2)).not.toEqual(sent(network));
  });
});

describe('a network that is closed', () => {
  it('delivers nothing any more', () => {
    for (const network of NETWORKS.filter((name) => name !== 'good')) {
      const clock = new ScriptedClock();
      const path = new NetworkPath({ network, clock, seed: 1 });
      path.send(() => expect.unreachable());
      path.close();
      expect(clock.pending).toBe(0);
      clock.advance(1000);
    }
  });
});
