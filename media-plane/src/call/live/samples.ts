import type { AudioFormat } from '@voice/shared/audio/format';
import { decodeAlaw, decodeMulaw } from '@voice/shared/audio/g711';

/** Returns how many samples are in so many bytes. */
export function sampleCount(bytes: number, { encoding }: AudioFormat): number {
  return encoding === 'l16' ? bytes >> 1 : bytes;
}

/** Decodes a frame of any line into 16-bit samples; `out` must have room for `sampleCount`. */
export function decodeFrame(frame: Uint8Array, format: AudioFormat, out: Int16Array): void {
  switch (format.encoding) {
    case 'pcmu':
      decodeMulaw(frame, out);
      return;
    case 'pcma':
      decodeAlaw(frame, out);
      return;
    case 'l16':
      for (let i = 0, at = 0; at + 1 < frame.length; i++, at += 2) {
        out[i] = frame[at]! | (frame[at + 1]! << 8);
      }
  }
}

/** Above it the mix is bent instead of cut off: two full-scale voices still fit. */
const KNEE = 24_576;
const FULL_SCALE = 32_767;
/** From the knee to the loudest sum of two samples, into what is left to full scale. */
const SLOPE = (FULL_SCALE - KNEE) / (2 * 32_768 - KNEE);

/** Adds two samples, without wrapping round or clipping. */
export function mixSamples(a: number, b: number): number {
  const sum = a + b;
  if (sum > KNEE) return Math.round(KNEE + (sum - KNEE) * SLOPE);
  if (sum < -KNEE) return Math.round(-KNEE + (sum + KNEE) * SLOPE);
  return sum;
}
