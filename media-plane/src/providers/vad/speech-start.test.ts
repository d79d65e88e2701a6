import { describe, expect, it } from 'vitest';
import { FrameLevels } from './frame-levels.js';
import { startOfSpeech } from './speech-start.js';

/** Finds the beginning of speech in frames of 20 ms that are so loud, dB. */
function levels(...parts: [frames: number, db: number][]) {
  const frames = new FrameLevels();
  for (const [count, db] of parts) for (let n = 0; n < count; n++) frames.push(db);
  return (believedMs: number, afterMs = 0) => startOfSpeech(frames, believedMs, afterMs);
}

describe('the beginning of speech', () => {
  it('is where the level rose, when the model noticed it later', () => {
    expect(levels([50, -80], [10, -20])(1080)).toBe(1000);
  });

  it('counts a soft first sound that stands out of the silence', () => {
    expect(levels([50, -80], [4, -52], [10, -20])(1096)).toBe(1000);
  });

  it('counts a first sound that a short closure parts from the vowel, not one further away', () => {
    expect(levels([50, -80], [1, -40], [2, -80], [10, -20])(1072)).toBe(1000);
    expect(levels([50, -80], [1, -40], [3, -80], [10, -20])(1088)).toBe(1080);
  });

  it('does not count the noise of the line', () => {
    expect(levels([50, -50], [10, -20])(1064)).toBe(1000);
    expect(levels([50, -30], [10, -20])(1064)).toBe(1064);
  });

  it('is not looked for further back than the model can be late', () => {
    expect(levels([20, -80], [60, -20])(800)).toBe(600);
  });

  it('is neither before the end of what was said before, nor later than the model believed', () => {
    expect(levels([50, -80], [10, -20])(1096, 1040)).toBe(1040);
    expect(levels([50, -80], [10, -20])(992)).toBe(992);
  });

  it('is found long after the beginning of the call, too', () => {
    expect(levels([5000, -80], [10, -20])(100_096)).toBe(100_000);
  });
});
