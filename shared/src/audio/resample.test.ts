import { describe, expect, it } from 'vitest';
import { Resampler, resample } from './resample.js';

const PAIRS = [
  [22_050, 8000],
  [8000, 16_000],
  [24_000, 8000],
  [48_000, 16_000],
  [48_000, 8000],
  [16_000, 48_000],
  [8000, 48_000],
] as const;

function tone(hz: number, rate: number, seconds: number, amplitude = 29_000): Int16Array {
  return Int16Array.from({ length: Math.round(rate * seconds) }, (_, n) =>
    Math.round(amplitude * Math.sin((2 * Math.PI * hz * n) / rate)),
  );
}

/** The part of the signal that is the tone (by least squares), and what is left, both as mean power. */
function split(samples: Int16Array, hz: number, rate: number) {
  let sine = 0;
  let cosine = 0;
  for (let n = 0; n < samples.length; n++) {
    sine += samples[n]! * Math.sin((2 * Math.PI * hz * n) / rate);
    cosine += samples[n]! * Math.cos((2 * Math.PI * hz * n) / rate);
  }
  sine *= 2 / samples.length;
  cosine *= 2 / samples.length;
  let rest = 0;
  for (let n = 0; n < samples.length; n++) {
    const angle = (2 * Math.PI * hz * n) / rate;
    rest += (samples[n]! - sine * Math.sin(angle) - cosine * Math.cos(angle)) ** 2;
  }
  return {
    amplitude: Math.hypot(sine, cosine),
    phase: Math.atan2(cosine, sine),
    rest: rest / samples.length,
  };
}

const decibel = (ratio: number) => 10 * Math.log10(ratio);
const power = (samples: Int16Array) => samples.reduce((sum, s) => sum + s * s, 0) / samples.length;
/** The middle second of two: no edges, and a whole number of periods of any whole frequency. */
const middle = (samples: Int16Array, rate: number) => samples.slice(rate / 2, rate / 2 + rate);

describe.each(PAIRS)('resampling %i Hz to %i Hz', (from, to) => {
  const nyquist = Math.min(from, to) / 2;

  it.each([100, 0.25 * nyquist, 0.5 * nyquist, 0.84 * nyquist].map(Math.round))(
    'keeps a tone of %i Hz: gain, phase, and 90 dB of signal to noise',
    (hz) => {
      const out = middle(resample(tone(hz, from, 2), from, to), to);
      const { amplitude, phase, rest } = split(out, hz, to);
      expect(Math.abs(20 * Math.log10(amplitude / 29_000))).toBeLessThan(0.001);
      // The middle begins half a second in, which is a whole number of half periods.
      expect(Math.abs(Math.sin(phase))).toBeLessThan(0.001);
      expect(decibel(amplitude ** 2 / 2 / rest)).toBeGreaterThan(90);
    },
  );

  it('begins and ends with the input', () => {
    expect(resample(new Int16Array(from), from, to)).toHaveLength(to);
    expect(resample(new Int16Array(0), from, to)).toHaveLength(0);
  });

  it('gives the same samples however the stream is cut', () => {
    const input = tone(440, from, 0.3);
    const whole = resample(input, from, to);
    const resampler = new Resampler(from, to);
    const pieces: number[] = [];
    for (let at = 0, n = 0; at < input.length; n++) {
      const size = [1, 7, 160, 441, 0, 1000][n % 6]!;
      pieces.push(...resampler.process(input.subarray(at, at + size)));
      at += size;
    }
    pieces.push(...resampler.flush());
    expect(Int16Array.from(pieces)).toEqual(whole);
  });

  it('starts afresh after a flush', () => {
    const resampler = new Resampler(from, to);
    const once = () => [...resampler.process(tone(300, from, 0.05)), ...resampler.flush()];
    expect(once()).toEqual(once());
  });
});

describe.each(PAIRS.filter(([from, to]) => from > to))('aliases of %i Hz at %i Hz', (from, to) => {
  it.each(
    [1.01, 1.2, 1.5, 2, 2.4].map((share) => Math.round((share * to) / 2)).filter((hz) => hz < from / 2),
  )('a tone of %i Hz, which the output cannot hold, is 80 dB down', (hz) => {
    const out = middle(resample(tone(hz, from, 2), from, to), to);
    expect(decibel(power(out) / (29_000 ** 2 / 2))).toBeLessThan(-80);
  });
});

describe.each(PAIRS.filter(([from, to]) => from < to))('images of %i Hz at %i Hz', (from, to) => {
  it('nothing appears above half the input rate', () => {
    const hz = Math.round(0.42 * from);
    const out = middle(resample(tone(hz, from, 2), from, to), to);
    expect(split(out, from - hz, to).amplitude / 29_000).toBeLessThan(1e-4);
  });
});

describe('resampling', () => {
  it('clips instead of wrapping around when the filter overshoots', () => {
    const square = Int16Array.from({ length: 8000 }, (_, n) => (n % 40 < 20 ? 32_767 : -32_768));
    const out = resample(square, 8000, 16_000);
    for (let n = 100; n < 15_900; n++) {
      // The middle of each half period keeps its sign.
      if (n % 80 === 20) expect(out[n]).toBeGreaterThan(30_000);
      if (n % 80 === 60) expect(out[n]).toBeLessThan(-30_000);
    }
  });

  it('passes equal rates through as a copy', () => {
    const input = tone(440, 8000, 0.02);
    const out = new Resampler(8000, 8000).process(input);
    expect(out).toEqual(input);
    expect(out.buffer).not.toBe(input.buffer);
  });

  it('looks ahead no more than 8 ms', () => {
    for (const [from, to] of PAIRS) expect(new Resampler(from, to).lookAheadMs).toBeLessThan(8);
  });

  it('refuses rates that are none', () => {
    expect(() => new Resampler(0, 8000)).toThrow(RangeError);
    expect(() => new Resampler(8000, 11_025.5)).toThrow(RangeError);
  });
});
