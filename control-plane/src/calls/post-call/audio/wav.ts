/** How the caller (left) and the agent (right) come out: side by side, or together in one channel. */
export type Channels = 'stereo' | 'mono';

export const WAV_HEADER_BYTES = 44;
const BYTES_PER_SAMPLE = 2;

export interface WavShape {
  /** Hz */
  readonly sampleRate: number;
  readonly channels: 1 | 2;
  /** Of one channel. */
  readonly samples: number;
}

/** Returns the size of the audio without the header, in bytes. */
export function audioBytes({ channels, samples }: WavShape): number {
  return samples * channels * BYTES_PER_SAMPLE;
}

/** Builds the header of a RIFF/WAVE file of 16-bit PCM. */
export function wavHeader(shape: WavShape): Buffer {
  const { sampleRate, channels } = shape;
  const size = audioBytes(shape);
  const header = Buffer.alloc(WAV_HEADER_BYTES);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(WAV_HEADER_BYTES - 8 + size, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(channels, 22);
  header.writeUInt32LE(sampleRate, 24);
  header.writeUInt32LE(sampleRate * channels * BYTES_PER_SAMPLE, 28);
  header.writeUInt16LE(channels * BYTES_PER_SAMPLE, 32);
  header.writeUInt16LE(BYTES_PER_SAMPLE * 8, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(size, 40);
  return header;
}

/** Samples in [-1, 1], a list a channel, as 16-bit PCM with `channels` side by side; two become one by their mean. */
export function interleaved(input: readonly Float32Array[], channels: 1 | 2): Buffer {
  const [left, right = left] = input;
  if (!left || !right) return Buffer.alloc(0);
  const out = new Int16Array(left.length * channels);
  for (let i = 0; i < left.length; i++) {
    const [l, r] = [left[i]!, right[i]!];
    if (channels === 1) out[i] = toInt16((l + r) / 2);
    else {
      out[2 * i] = toInt16(l);
      out[2 * i + 1] = toInt16(r);
    }
  }
  return Buffer.from(out.buffer);
}

function toInt16(sample: number): number {
  return Math.max(-32_768, Math.min(32_767, Math.round(sample * 32_768)));
}
