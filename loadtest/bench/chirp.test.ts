import { describe, expect, it } from 'vitest';
import { ChirpFinder, chirp } from './chirp.js';

const RATE = 16_000;
const FRAME = 320;

/** Ten frames of humming with a chirp at a place, in samples; all softer by `gain`. */
function hum(chirpAt: number | undefined, gain = 1): Int16Array[] {
  const samples = Int16Array.from(
    { length: 10 * FRAME },
    (_, n) => 600 * Math.sin((2 * Math.PI * 150 * n) / RATE),
  );
  if (chirpAt !== undefined) samples.set(chirp(RATE), chirpAt);
  return Array.from({ length: 10 }, (_, n) =>
    samples.slice(n * FRAME, (n + 1) * FRAME).map((sample) => sample * gain),
  );
}

/** Where chirps were found, in ms from the first frame. */
function found(frames: readonly Int16Array[]): number[] {
  const finder = new ChirpFinder(RATE, FRAME);
  return frames.flatMap((frame, n) => {
    const start = finder.push(frame);
    return start === undefined ? [] : [(n - 1) * 20 + start];
  });
}

describe('a chirp', () => {
  it('is found once, where it began', () => {
    expect(found(hum(3 * FRAME + 64))).toEqual([64]);
  });

  it('is found across two frames', () => {
    expect(found(hum(4 * FRAME - 80))).toEqual([75]);
  });

  it('is found when it came back softer', () => {
    expect(found(hum(5 * FRAME, 0.5))).toEqual([100]);
  });

  it('is not found where there is none', () => {
    expect(found(hum(undefined))).toEqual([]);
  });
});
