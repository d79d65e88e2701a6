import type { AudioFormat } from '@voice/shared/audio/format';
import { resample } from '@voice/shared/audio/resample';
import { decodeSamples, sampleBytes } from '@voice/shared/audio/samples';
import { SAMPLE_RATE } from './moonshine.js';

/** Converts a call's audio to the model's: 16,000 Hz, -1..1. */
export function toModelAudio(bytes: Uint8Array, format: AudioFormat): Float32Array {
  const samples = resample(toSamples(bytes, format), format.sampleRate, SAMPLE_RATE);
  return Float32Array.from(samples, (sample) => sample / 32_768);
}

/** Reads the whole samples of a piece of a line's audio. */
export function toSamples(bytes: Uint8Array, { encoding }: AudioFormat): Int16Array {
  const size = sampleBytes(encoding);
  const whole = bytes.subarray(0, bytes.length - (bytes.length % size));
  return decodeSamples(encoding, whole, new Int16Array(whole.length / size));
}
