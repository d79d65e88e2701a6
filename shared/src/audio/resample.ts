/**
 * Sample-rate conversion of 16-bit mono in pieces of any length: a polyphase FIR low-pass with a
 * Kaiser window. The output does not depend on how the input was cut into pieces, and output sample n
 * stands for the input at exactly n/toHz: the filter's delay is taken off (it only costs look-ahead).
 */

import { convert, type KernelFilter, placeFilter } from './resample-kernel.js';

/** What is kept unchanged, as a share of the lower rate's Nyquist frequency (3,400 Hz on the phone). */
const PASS_BAND = 0.85;
/** Attenuation from the lower rate's Nyquist frequency on, in dB. */
const STOP_BAND_DB = 98;

const filters = new Map<string, KernelFilter>();

/** Returns the coefficients of a pair of rates, made once a process and shared. */
function filterOf(fromHz: number, toHz: number): KernelFilter {
  const key = `${fromHz}:${toHz}`;
  let filter = filters.get(key);
  if (!filter) {
    filter = buildFilter(fromHz, toHz);
    filters.set(key, filter);
  }
  return filter;
}

function buildFilter(fromHz: number, toHz: number): KernelFilter {
  const divisor = greatestCommonDivisor(fromHz, toHz);
  const up = toHz / divisor;
  const down = fromHz / divisor;
  const nyquistHz = Math.min(fromHz, toHz) / 2;
  const cutoff = (nyquistHz * (1 + PASS_BAND)) / 2 / fromHz;
  const transition = (nyquistHz * (1 - PASS_BAND)) / fromHz;
  // Kaiser's formulae for the length and the shape of the window.
  const length = (STOP_BAND_DB - 7.95) / (2.285 * 2 * Math.PI * transition);
  const half = 4 * Math.ceil(length / 8);
  const taps = 2 * half;
  const beta = 0.1102 * (STOP_BAND_DB - 8.7);
  const coefficients = new Float32Array(up * taps);
  for (let phase = 0; phase < up; phase++) {
    const row = coefficients.subarray(phase * taps, (phase + 1) * taps);
    const exact = new Float64Array(taps);
    let sum = 0;
    for (let k = 0; k < taps; k++) {
      const distance = k - (half - 1) - phase / up;
      const value = sinc(2 * cutoff * distance) * kaiser(distance / half, beta);
      exact[k] = value;
      sum += value;
    }
    // Every phase passes a constant unchanged, else the phases' order would be heard as a tone.
    for (let k = 0; k < taps; k++) row[k] = exact[k]! / sum;
  }
  return placeFilter({ up, down, taps }, coefficients);
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}

function sinc(x: number): number {
  return x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x);
}

/** Computes the Kaiser window at `position` in -1..1. */
function kaiser(position: number, beta: number): number {
  if (Math.abs(position) >= 1) return 0;
  return besselI0(beta * Math.sqrt(1 - position * position)) / besselI0(beta);
}

/** Computes the modified Bessel function of the first kind, order zero, by its power series. */
function besselI0(x: number): number {
  let term = 1;
  let sum = 1;
  for (let n = 1; term > sum * 1e-17; n++) {
    term *= (x / (2 * n)) ** 2;
    sum += term;
  }
  return sum;
}

function assertRate(hz: number): void {
  if (!Number.isInteger(hz) || hz < 1000 || hz > 192_000) {
    throw new RangeError(`A sample rate is a whole number of Hz from 1,000 to 192,000, not ${hz}`);
  }
}

/** Converts one stream's rate. It keeps the last few ms of input between calls, so use one for each stream. */
export class Resampler {
  readonly fromHz: number;
  readonly toHz: number;
  readonly #filter: KernelFilter;
  /** Input that outputs to come still need, from the first one of the next output. */
  #input: Float32Array;
  #length: number;
  #phase = 0;
  /** Input and output samples so far, to end exactly where the input ended. */
  #consumed = 0;
  #produced = 0;

  /** @param fromHz rate of the input, Hz @param toHz rate of the output, Hz */
  constructor(fromHz: number, toHz: number) {
    assertRate(fromHz);
    assertRate(toHz);
    this.fromHz = fromHz;
    this.toHz = toHz;
    this.#filter = filterOf(fromHz, toHz);
    this.#input = new Float32Array(this.#filter.taps * 4);
    this.#length = this.#history;
  }

  /** Returns how much input, in ms, must follow a moment before its output comes. */
  get lookAheadMs(): number {
    return this.fromHz === this.toHz ? 0 : ((this.#filter.taps / 2) * 1000) / this.fromHz;
  }

  get #history(): number {
    return this.#filter.taps / 2 - 1;
  }

  /** Converts the next piece of the stream; the result is new memory, and empty when there is too little input. */
  process(samples: Int16Array): Int16Array {
    if (this.fromHz === this.toHz) return samples.slice();
    this.#consumed += samples.length;
    this.#append(samples);
    return this.#convert(Number.POSITIVE_INFINITY);
  }

  /** Ends the stream: returns what is left, and makes the converter ready for another stream. */
  flush(): Int16Array {
    if (this.fromHz === this.toHz) return new Int16Array(0);
    const { up, down, taps } = this.#filter;
    const total = Math.ceil((this.#consumed * up) / down);
    this.#append(new Int16Array(taps));
    const rest = this.#convert(total - this.#produced);
    this.reset();
    return rest;
  }

  /** Forgets the stream so far. */
  reset(): void {
    this.#input.fill(0);
    this.#length = this.#history;
    this.#phase = 0;
    this.#consumed = 0;
    this.#produced = 0;
  }

  #append(samples: Int16Array): void {
    const needed = this.#length + samples.length;
    if (needed > this.#input.length) {
      const larger = new Float32Array(needed * 2);
      larger.set(this.#input.subarray(0, this.#length));
      this.#input = larger;
    }
    this.#input.set(samples, this.#length);
    this.#length = needed;
  }

  #convert(limit: number): Int16Array {
    const { up, down, taps } = this.#filter;
    // Outputs whose last input, `taps` from their first, is there.
    const positions = this.#length - taps + 1;
    const possible = positions > 0 ? Math.ceil((positions * up - this.#phase) / down) : 0;
    const count = Math.max(0, Math.min(possible, limit));
    const output = convert(this.#input.subarray(0, this.#length), this.#filter, this.#phase, count);
    const steps = this.#phase + count * down;
    // A step is far shorter than the filter, so this never passes the input's end.
    const start = Math.floor(steps / up);
    this.#input.copyWithin(0, start, this.#length);
    this.#length -= start;
    this.#phase = steps % up;
    this.#produced += count;
    return output;
  }
}

/** Converts a whole recording at once: `ceil(samples * toHz / fromHz)` samples. */
export function resample(samples: Int16Array, fromHz: number, toHz: number): Int16Array {
  const resampler = new Resampler(fromHz, toHz);
  const head = resampler.process(samples);
  const tail = resampler.flush();
  const whole = new Int16Array(head.length + tail.length);
  whole.set(head);
  whole.set(tail, head.length);
  return whole;
}
