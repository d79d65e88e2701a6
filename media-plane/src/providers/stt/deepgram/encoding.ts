import type { AudioFormat } from '@voice/shared/audio/format';

/** Names a format to Deepgram by query values; every format of ours goes up as it is. */
export function deepgramEncoding({ encoding, sampleRate }: AudioFormat): {
  readonly encoding: 'mulaw' | 'alaw' | 'linear16';
  readonly sample_rate: string;
} {
  const names = { pcmu: 'mulaw', pcma: 'alaw', l16: 'linear16' } as const;
  return { encoding: names[encoding], sample_rate: String(sampleRate) };
}
