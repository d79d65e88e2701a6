import { describe, expect, it } from 'vitest';
import { silenceByte } from './format.js';
import { decodeAlaw, encodeAlaw } from './g711.js';

/**
 * ITU-T G.711, table 1a (A-law, positive half): for each segment its first decision value, the step, and the
 * lowest decoder output. G.711 counts to 4096; 16-bit samples are 8 times that. On the wire the even bits are
 * inverted (0x55). The first two segments have the same step.
 */
const SEGMENTS = [
  { segment: 0, from: 0, step: 2, firstOutput: 1 },
  { segment: 1, from: 32, step: 2, firstOutput: 33 },
  { segment: 2, from: 64, step: 4, firstOutput: 66 },
  { segment: 3, from: 128, step: 8, firstOutput: 132 },
  { segment: 4, from: 256, step: 16, firstOutput: 264 },
  { segment: 5, from: 512, step: 32, firstOutput: 528 },
  { segment: 6, from: 1024, step: 64, firstOutput: 1056 },
  { segment: 7, from: 2048, step: 128, firstOutput: 2112 },
];

const decode = (byte: number) => decodeAlaw(Uint8Array.of(byte))[0]!;
const encode = (sample: number) => encodeAlaw(Int16Array.of(sample))[0]!;
const positive = (segment: number, n: number) => (0x80 | (segment << 4) | n) ^ 0x55;

describe('A-law against ITU-T G.711', () => {
  it.each(SEGMENTS)('segment $segment has the output values of the standard', (each) => {
    for (let n = 0; n < 16; n++) {
      const value = (each.firstOutput + n * each.step) * 8;
      expect(decode(positive(each.segment, n))).toBe(value);
      expect(decode(positive(each.segment, n) ^ 0x80)).toBe(-value);
    }
  });

  it('encodes between two decision values as the byte of that interval', () => {
    for (const { segment, from, step } of SEGMENTS) {
      for (let n = 0; n < 16; n++) {
        const byte = positive(segment, n);
        expect(encode((from + n * step) * 8)).toBe(byte);
        expect(encode((from + (n + 1) * step) * 8 - 1)).toBe(byte);
        expect(encode(-(from + n * step) * 8 - 1)).toBe(byte ^ 0x80);
        expect(encode(-(from + (n + 1) * step) * 8)).toBe(byte ^ 0x80);
      }
    }
  });

  it('gives every byte back after decoding and encoding', () => {
    for (let byte = 0; byte < 256; byte++) expect(encode(decode(byte))).toBe(byte);
  });

  it('has the silence that the format names', () => {
    expect(encode(0)).toBe(silenceByte({ encoding: 'pcma', sampleRate: 8000 }));
  });
});
