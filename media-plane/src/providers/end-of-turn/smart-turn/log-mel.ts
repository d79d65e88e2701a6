import { FourierTransform, TRANSFORM_POINTS } from './fourier-transform.js';
import { melFilters } from './mel-filters.js';

export const FEATURE_RATE = 16_000;
/** What the model looks at: the last 8 s. */
export const FEATURE_SAMPLES = 8 * FEATURE_RATE;
export const MELS = 80;
const HOP_SAMPLES = 160;
export const FEATURE_FRAMES = FEATURE_SAMPLES / HOP_SAMPLES;
const BINS = TRANSFORM_POINTS / 2 + 1;
/** Keeps silence from a division by nothing, and its logarithm finite. */
const LEAST_VARIANCE = 1e-7;
const LEAST_POWER = 1e-10;
/** What is softer than the loudest by more is cut off, in powers of ten. */
const RANGE = 8;

/**
 * Computes the features that Whisper's encoder reads (WhisperFeatureExtractor with `do_normalize`): 8 s brought to mean 0
 * and variance 1, then for each 10 ms the power in 80 bands of the mel scale, as a scaled logarithm. Instances keep their
 * memory: one call at a time.
 */
export class LogMel {
  readonly #transform = new FourierTransform();
  readonly #filters = melFilters(MELS, BINS, FEATURE_RATE);
  /** A periodic Hann window. */
  readonly #window = Float64Array.from(
    { length: TRANSFORM_POINTS },
    (_, n) => 0.5 - 0.5 * Math.cos((2 * Math.PI * n) / TRANSFORM_POINTS),
  );
  /** The samples, mirrored at both ends by half a window. */
  readonly #padded = new Float64Array(FEATURE_SAMPLES + TRANSFORM_POINTS);
  readonly #re = new Float64Array(TRANSFORM_POINTS);
  readonly #im = new Float64Array(TRANSFORM_POINTS);
  readonly #evenPower = new Float64Array(BINS);
  readonly #oddPower = new Float64Array(BINS);

  /**
   * Computes the features of `FEATURE_SAMPLES` samples in -1..1.
   * @returns `MELS` rows of `FEATURE_FRAMES` columns, new memory
   */
  compute(samples: Float32Array): Float32Array {
    if (samples.length !== FEATURE_SAMPLES) {
      throw new RangeError(`Expected ${FEATURE_SAMPLES} samples, got ${samples.length}`);
    }
    this.#pad(samples);
    const features = new Float32Array(MELS * FEATURE_FRAMES);
    for (let frame = 0; frame < FEATURE_FRAMES; frame += 2) {
      this.#powersOfTwoFrames(frame);
      this.#writeBands(features, frame, this.#evenPower);
      this.#writeBands(features, frame + 1, this.#oddPower);
    }
    let loudest = -Infinity;
    for (const value of features) if (value > loudest) loudest = value;
    const softest = loudest - RANGE;
    for (let n = 0; n < features.length; n++) features[n] = (Math.max(features[n]!, softest) + 4) / 4;
    return features;
  }

  /** Normalises the samples and mirrors them at the ends, without repeating the first and the last. */
  #pad(samples: Float32Array): void {
    let mean = 0;
    for (const sample of samples) mean += sample;
    mean /= FEATURE_SAMPLES;
    let variance = 0;
    for (const sample of samples) variance += (sample - mean) ** 2;
    const scale = 1 / Math.sqrt(variance / FEATURE_SAMPLES + LEAST_VARIANCE);
    const half = TRANSFORM_POINTS / 2;
    const padded = this.#padded;
    for (let n = 0; n < FEATURE_SAMPLES; n++) padded[half + n] = (samples[n]! - mean) * scale;
    const last = half + FEATURE_SAMPLES - 1;
    for (let n = 1; n <= half; n++) {
      padded[half - n] = padded[half + n]!;
      padded[last + n] = padded[last - n]!;
    }
  }

  /** Transforms two frames at once, one as the real and one as the imaginary part, and takes them apart again. */
  #powersOfTwoFrames(frame: number): void {
    const re = this.#re;
    const im = this.#im;
    const padded = this.#padded;
    const window = this.#window;
    const even = frame * HOP_SAMPLES;
    for (let n = 0; n < TRANSFORM_POINTS; n++) {
      re[n] = padded[even + n]! * window[n]!;
      im[n] = padded[even + HOP_SAMPLES + n]! * window[n]!;
    }
    this.#transform.run(re, im);
    for (let bin = 0; bin < BINS; bin++) {
      const mirror = bin === 0 ? 0 : TRANSFORM_POINTS - bin;
      const r = re[bin]!;
      const i = im[bin]!;
      const mirroredR = re[mirror]!;
      const mirroredI = im[mirror]!;
      this.#evenPower[bin] = ((r + mirroredR) ** 2 + (i - mirroredI) ** 2) / 4;
      this.#oddPower[bin] = ((i + mirroredI) ** 2 + (r - mirroredR) ** 2) / 4;
    }
  }

  #writeBands(features: Float32Array, frame: number, power: Float64Array): void {
    for (let mel = 0; mel < MELS; mel++) {
      const { first, weights } = this.#filters[mel]!;
      let sum = 0;
      for (let n = 0; n < weights.length; n++) sum += weights[n]! * power[first + n]!;
      features[mel * FEATURE_FRAMES + frame] = Math.log10(Math.max(sum, LEAST_POWER));
    }
  }
}
