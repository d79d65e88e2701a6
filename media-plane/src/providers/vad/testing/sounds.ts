/** Samples at 8,000 Hz for tests of the detector. */

/** Cuts to the first and last sample that is not 40 dB below the loudest. */
export function trimmed(samples: Int16Array): Int16Array {
  const peak = samples.reduce((max, sample) => Math.max(max, Math.abs(sample)), 0);
  const loud = (sample: number) => Math.abs(sample) > peak / 100;
  return samples.slice(samples.findIndex(loud), samples.findLastIndex(loud) + 1);
}

export const silence = (ms: number) => new Int16Array(ms * 8);
export const gain = (samples: Int16Array, db: number) => samples.map((sample) => sample * 10 ** (db / 20));
export const tone = (ms: number, ...hz: number[]) =>
  Int16Array.from({ length: ms * 8 }, (_, n) =>
    hz.reduce((sum, f) => sum + (12_000 / hz.length) * Math.sin((2 * Math.PI * f * n) / 8000), 0),
  );

export function noise(ms: number, amplitude: number): Int16Array {
  let state = 1;
  return Int16Array.from({ length: ms * 8 }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state / 2 ** 31 - 1) * amplitude;
  });
}

export function join(...parts: Int16Array[]): Int16Array {
  return Int16Array.from(parts.flatMap((part) => [...part]));
}

export const withNoise = (samples: Int16Array, amplitude: number) => {
  const added = noise(samples.length / 8, amplitude);
  return samples.map((sample, n) => Math.max(-32_768, Math.min(32_767, sample + added[n]!)));
};
