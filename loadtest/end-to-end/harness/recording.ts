import { MPEGDecoder } from 'mpg123-decoder';

export interface Recording {
  readonly channels: readonly Float32Array[];
  readonly durationMs: number;
  /** Root mean square of a channel between two positions in ms; full scale is 1. */
  loudness(channel: 'caller' | 'agent', fromMs: number, toMs: number): number;
}

export async function decodeRecording(mp3: Uint8Array): Promise<Recording> {
  const decoder = new MPEGDecoder();
  await decoder.ready;
  const { channelData, samplesDecoded, sampleRate } = decoder.decode(mp3);
  decoder.free();
  return {
    channels: channelData,
    durationMs: (samplesDecoded / sampleRate) * 1000,
    loudness(channel, fromMs, toMs) {
      const samples = channelData[channel === 'caller' ? 0 : 1]!;
      const part = samples.subarray((fromMs / 1000) * sampleRate, (toMs / 1000) * sampleRate);
      return Math.sqrt(part.reduce((sum, sample) => sum + sample * sample, 0) / Math.max(1, part.length));
    },
  };
}
