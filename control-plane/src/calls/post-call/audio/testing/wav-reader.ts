export interface ReadWav {
  readonly sampleRate: number;
  readonly channels: number;
  readonly bits: number;
  /** By channel, in [-1, 1). */
  readonly samples: Float64Array[];
}

/** Reads a RIFF/WAVE file of 16-bit PCM as strictly as a player would: every length in it must be right. */
export function wavOf(file: Buffer): ReadWav {
  const text = (at: number) => file.subarray(at, at + 4).toString('latin1');
  const [channels, sampleRate, bits] = [file.readUInt16LE(22), file.readUInt32LE(24), file.readUInt16LE(34)];
  const size = file.readUInt32LE(40);
  const right =
    text(0) === 'RIFF' &&
    file.readUInt32LE(4) === file.length - 8 &&
    text(8) === 'WAVE' &&
    text(12) === 'fmt ' &&
    file.readUInt16LE(20) === 1 &&
    file.readUInt32LE(28) === (sampleRate * channels * bits) / 8 &&
    file.readUInt16LE(32) === (channels * bits) / 8 &&
    text(36) === 'data' &&
    size === file.length - 44;
  if (!right) throw new Error('this is no WAV file');
  const count = size / 2 / channels;
  const samples = Array.from({ length: channels }, (_c, channel) =>
    Float64Array.from(
      { length: count },
      (_s, i) => file.readInt16LE(44 + 2 * (i * channels + channel)) / 32_768,
    ),
  );
  return { sampleRate, channels, bits, samples };
}

/** How much of a frequency there is in the samples (Goertzel). */
export function strengthOf(samples: Float64Array, hertz: number, sampleRate: number): number {
  const turn = 2 * Math.cos((2 * Math.PI * hertz) / sampleRate);
  let [before, last] = [0, 0];
  for (const sample of samples) [before, last] = [last, sample + turn * last - before];
  return Math.sqrt(Math.max(0, before ** 2 + last ** 2 - turn * before * last)) / samples.length;
}
