import type { AudioEncoding } from './format.js';
import { decodeAlaw, decodeMulaw, encodeAlaw, encodeMulaw } from './g711.js';

/** Returns the bytes of one sample. */
export function sampleBytes(encoding: AudioEncoding): 1 | 2 {
  return encoding === 'l16' ? 2 : 1;
}

/**
 * Decodes whole samples of any encoding. The result is `out` itself, or its first samples.
 * @param out holds at least as many samples as the bytes have
 */
export function decodeSamples(encoding: AudioEncoding, bytes: Uint8Array, out: Int16Array): Int16Array {
  const samples = bytes.length / sampleBytes(encoding);
  const target = out.length === samples ? out : out.subarray(0, samples);
  switch (encoding) {
    case 'pcmu':
      return decodeMulaw(bytes, target);
    case 'pcma':
      return decodeAlaw(bytes, target);
    case 'l16':
      for (let i = 0, at = 0; i < samples; i++, at += 2) target[i] = bytes[at]! | (bytes[at + 1]! << 8);
      return target;
  }
}

/** Encodes samples; the result is new memory. */
export function encodeSamples(encoding: AudioEncoding, samples: Int16Array): Uint8Array {
  switch (encoding) {
    case 'pcmu':
      return encodeMulaw(samples);
    case 'pcma':
      return encodeAlaw(samples);
    case 'l16': {
      const bytes = new Uint8Array(samples.length * 2);
      for (let i = 0, at = 0; i < samples.length; i++, at += 2) {
        const sample = samples[i]!;
        bytes[at] = sample & 0xff;
        bytes[at + 1] = (sample >> 8) & 0xff;
      }
      return bytes;
    }
  }
}
