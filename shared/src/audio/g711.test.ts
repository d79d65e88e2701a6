import { describe, expect, it } from 'vitest';
import { decodeMulaw, encodeMulaw, FRAME_BYTES, FRAME_MS, MULAW_SILENCE, PHONE_SAMPLE_RATE } from './g711.js';

/**
 * ITU-T G.711, table 2a (mu-law, positive half): for each of the eight segments its first decision value, the step, and
 * the lowest decoder output. G.711 counts in 14 bits (largest value 8159); 16-bit samples are 4 times that.
 */
const SEGMENTS = [
  { from: 31, step: 4, firstOutput: 33, firstByte: 0b1110_1111 },
  { from: 95, step: 8, firstOutput: 99, firstByte: 0b1101_1111 },
  { from: 223, step: 16, firstOutput: 231, firstByte: 0b1100_1111 },
  { from: 479, step: 32, firstOutput: 495, firstByte: 0b1011_1111 },
  { from: 991, step: 64, firstOutput: 1023, firstByte: 0b1010_1111 },
  { from: 2015, step: 128, firstOutput: 2079, firstByte: 0b1001_1111 },
  { from: 4063, step: 256, firstOutput: 4191, firstByte: 0b1000_1111 },
];

const decode = (byte: number) => decodeMulaw(Uint8Array.of(byte))[0]!;
const encode = (sample: number) => encodeMulaw(Int16Array.of(sample))[0]!;

describe('mu-law against ITU-T G.711', () => {
  it.each(SEGMENTS)('the segment from $from has the output values of the standard', (segment) => {
    for (let n = 0; n < 16; n++) {
      const value = (segment.firstOutput + n * segment.step) * 4;
      expect(decode(segment.firstByte - n)).toBe(value);
      expect(decode((segment.firstByte - n) & 0x7f)).toBe(-value);
    }
  });

  it('the first segment counts in twos from zero', () => {
    for (let n = 1; n < 16; n++) expect(decode(0xff - n)).toBe(n * 2 * 4);
  });

  it('encodes between two decision values as the byte of that interval', () => {
    for (const { from, step, firstByte } of SEGMENTS) {
      for (let n = 0; n < 16; n++) {
        expect(encode((from + n * step) * 4)).toBe(firstByte - n);
        expect(encode((from + (n + 1) * step) * 4 - 1)).toBe(firstByte - n);
      }
    }
  });

  it('clips what is louder than the code can hold', () => {
    expect(encode(32_767)).toBe(0x80);
    expect(encode(-32_768)).toBe(0x00);
    expect(decode(0x80)).toBe(8031 * 4);
    expect(decode(0x00)).toBe(-8031 * 4);
  });
});

describe('mu-law round trips', () => {
  it('every one of the 256 bytes survives, but for the second zero', () => {
    for (let byte = 0; byte < 256; byte++) {
      // 0x7F is "minus zero"; a 16-bit sample has only one zero, whose byte is 0xFF.
      expect(encode(decode(byte))).toBe(byte === 0x7f ? 0xff : byte);
    }
  });

  it('every sample comes back within half a step of its segment', () => {
    for (let sample = -32_635; sample <= 32_635; sample += 3) {
      const error = Math.abs(decode(encode(sample)) - sample);
      expect(error).toBeLessThanOrEqual(Math.max(4, (Math.abs(sample) + 132) / 32 + 1));
    }
  });

  it('digital silence is 0xFF', () => {
    expect(encode(0)).toBe(MULAW_SILENCE);
    expect(decode(MULAW_SILENCE)).toBe(0);
  });

  it('writes into the memory it is given', () => {
    const samples = new Int16Array(2);
    expect(decodeMulaw(Uint8Array.of(0xff, 0x80), samples)).toBe(samples);
    expect([...samples]).toEqual([0, 32_124]);
    const bytes = new Uint8Array(2);
    expect(encodeMulaw(samples, bytes)).toBe(bytes);
    expect([...bytes]).toEqual([0xff, 0x80]);
  });
});

it('a frame is 20 ms of 8,000 samples a second', () => {
  expect(FRAME_BYTES).toBe((PHONE_SAMPLE_RATE * FRAME_MS) / 1000);
});
