import { describe, expect, it } from 'vitest';
import { FrameLevels } from './frame-levels.js';
import { endOfSpeech } from './speech-end.js';

/** Finds the end of speech in frames of 20 ms that are so loud, dB. */
function levels(...parts: [frames: number, db: number][]) {
  const frames = new FrameLevels();
  for (const [count, db] of parts) for (let n = 0; n < count; n++) frames.push(db);
  return {
    refine: (startedMs: number, believedMs: number, untilMs: number) =>
      endOfSpeech(frames, startedMs, believedMs, untilMs),
  };
}

describe('the end of speech', () => {
  it('is the end of the last frame that was as loud as speech', () => {
    // 1 s of speech, then silence; the model noticed 110 ms later.
    expect(levels([50, -20], [20, -80]).refine(0, 1110, 1150)).toBe(1000);
  });

  it('counts a soft ending that stands out of the silence', () => {
    expect(levels([30, -80], [50, -20], [3, -45], [20, -80]).refine(600, 1710, 1750)).toBe(1660);
  });

  it('does not count the noise of the line', () => {
    expect(levels([30, -40], [50, -15], [30, -40]).refine(600, 1800, 1840)).toBe(1600);
  });

  it('is not looked for further back than the model can be late', () => {
    expect(levels([20, -20], [60, -80]).refine(0, 1110, 1150)).toBe(1110);
  });

  it('is never before the beginning, nor later than the model believed', () => {
    expect(levels([100, -80]).refine(1000, 1100, 1140)).toBe(1100);
    expect(levels([100, -20]).refine(0, 1100, 1140)).toBe(1100);
  });

  it('is found long after the beginning of the call, too', () => {
    expect(levels([5000, -80], [50, -20], [20, -80]).refine(100_000, 101_090, 101_130)).toBe(101_000);
  });
});
