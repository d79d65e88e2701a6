import { describe, expect, it } from 'vitest';
import { REFERENCE_FEATURES, referenceSamples } from '../testing/reference-features.js';
import { FourierTransform, TRANSFORM_POINTS } from './fourier-transform.js';
import { FEATURE_FRAMES, FEATURE_SAMPLES, LogMel, MELS } from './log-mel.js';

describe('the log-mel features', () => {
  it('are those of WhisperFeatureExtractor to 1e-4', () => {
    const features = new LogMel().compute(referenceSamples());
    expect(features).toHaveLength(MELS * FEATURE_FRAMES);
    for (const [row, reference] of REFERENCE_FEATURES.entries()) {
      for (const [column, value] of reference.entries()) {
        const difference = features[row * 8 * FEATURE_FRAMES + column * 40]! - value;
        expect(Math.abs(difference)).toBeLessThan(1e-4);
      }
    }
  });

  it('are the same in every run of an instance, and do not depend on loudness', () => {
    const logMel = new LogMel();
    const samples = referenceSamples();
    const first = logMel.compute(samples);
    const softer = logMel.compute(samples.map((sample) => sample / 8));
    expect(logMel.compute(samples)).toEqual(first);
    let furthest = 0;
    for (const [n, value] of first.entries()) furthest = Math.max(furthest, Math.abs(value - softer[n]!));
    expect(furthest).toBeLessThan(1e-3);
  });

  it('of silence are finite and all alike', () => {
    const features = new LogMel().compute(new Float32Array(FEATURE_SAMPLES));
    expect(new Set(features)).toEqual(new Set([-1.5]));
  });

  it('refuse another length', () => {
    expect(() => new LogMel().compute(new Float32Array(100))).toThrow(/Expected 128000 samples, got 100/);
  });
});

describe('the Fourier transform', () => {
  it('is the sum that defines it', () => {
    const points = Array.from({ length: TRANSFORM_POINTS }, (_, n) => Math.sin(n * n) + (n % 7));
    const re = Float64Array.from(points);
    const im = Float64Array.from(points, (value, n) => value * Math.cos(n));
    const [wantedRe, wantedIm] = definition([...re], [...im]);
    new FourierTransform().run(re, im);
    for (let bin = 0; bin < TRANSFORM_POINTS; bin++) {
      expect(re[bin]).toBeCloseTo(wantedRe[bin]!, 8);
      expect(im[bin]).toBeCloseTo(wantedIm[bin]!, 8);
    }
  });
});

function definition(re: readonly number[], im: readonly number[]): [number[], number[]] {
  const sums: [number[], number[]] = [[], []];
  for (let bin = 0; bin < re.length; bin++) {
    let [sumRe, sumIm] = [0, 0];
    for (let n = 0; n < re.length; n++) {
      const angle = (-2 * Math.PI * ((n * bin) % re.length)) / re.length;
      sumRe += re[n]! * Math.cos(angle) - im[n]! * Math.sin(angle);
      sumIm += re[n]! * Math.sin(angle) + im[n]! * Math.cos(angle);
    }
    sums[0].push(sumRe);
    sums[1].push(sumIm);
  }
  return sums;
}
