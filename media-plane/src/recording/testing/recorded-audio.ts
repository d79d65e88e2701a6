import { encodeMulaw, FRAME_BYTES, MULAW_SILENCE } from '@voice/shared/audio/g711';
import { MPEGDecoder } from 'mpg123-decoder';

/** Makes the frames of a marker: 100 ms of a loud tone. */
export function marker(hz: number): Uint8Array[] {
  const samples = Int16Array.from(
    { length: 800 },
    (_, n) => 14_000 * Math.sin((2 * Math.PI * hz * n) / 8000),
  );
  const bytes = encodeMulaw(samples);
  return Array.from({ length: 5 }, (_, n) => bytes.subarray(n * FRAME_BYTES, (n + 1) * FRAME_BYTES));
}

/** A frame of it. */
export const SILENCE = new Uint8Array(FRAME_BYTES).fill(MULAW_SILENCE);

/** Creates a repeatable source of numbers in 0..1. */
export function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Decodes an MP3; without `enableGapless` as a player that ignores its header. */
export async function decode(bytes: Uint8Array, enableGapless: boolean) {
  const decoder = new MPEGDecoder({ enableGapless });
  await decoder.ready;
  const { channelData, sampleRate, errors } = decoder.decode(bytes);
  const [left, right] = channelData;
  const result = { left: left!.slice(), right: right!.slice(), sampleRate, errors };
  decoder.free();
  return result;
}

/** Finds when sound begins after at least 200 ms of quiet, in ms. */
export function onsets(samples: Float32Array, threshold = 0.1, samplesPerMs = 8): number[] {
  const found: number[] = [];
  let quiet = Number.POSITIVE_INFINITY;
  for (let n = 0; n < samples.length; n++) {
    if (Math.abs(samples[n]!) < threshold) {
      quiet++;
      continue;
    }
    if (quiet > 200 * samplesPerMs) found.push(n / samplesPerMs);
    quiet = 0;
  }
  return found;
}
