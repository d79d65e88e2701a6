import { FRAME_MS, MULAW_SILENCE } from './g711.js';

/** PCMU and PCMA of RFC 3551 (G.711), and 16-bit linear PCM, little-endian; mono all. */
export type AudioEncoding = 'pcmu' | 'pcma' | 'l16';

/** What a stream of mono audio is made of. G.711 is at 8,000 Hz. */
export interface AudioFormat {
  readonly encoding: AudioEncoding;
  /** Hz */
  readonly sampleRate: 8000 | 16_000 | 24_000 | 48_000;
}

/** What phone lines carry by default. */
export const PCMU_8K = { encoding: 'pcmu', sampleRate: 8000 } as const satisfies AudioFormat;
export const PCMA_8K = { encoding: 'pcma', sampleRate: 8000 } as const satisfies AudioFormat;
export const L16_8K = { encoding: 'l16', sampleRate: 8000 } as const satisfies AudioFormat;
/** Wide-band: what recognisers and voices want at best. */
export const L16_16K = { encoding: 'l16', sampleRate: 16_000 } as const satisfies AudioFormat;
/** What speech-to-speech models take and make. */
export const L16_24K = { encoding: 'l16', sampleRate: 24_000 } as const satisfies AudioFormat;

/** The A-law byte for a zero sample. */
const ALAW_SILENCE = 0xd5;

export function bytesPerMs({ encoding, sampleRate }: AudioFormat): number {
  return (sampleRate / 1000) * (encoding === 'l16' ? 2 : 1);
}

/** Returns the bytes of a frame of 20 ms. */
export function frameBytes(format: AudioFormat): number {
  return bytesPerMs(format) * FRAME_MS;
}

/** Returns the byte that silence is made of. */
export function silenceByte({ encoding }: AudioFormat): number {
  switch (encoding) {
    case 'pcmu':
      return MULAW_SILENCE;
    case 'pcma':
      return ALAW_SILENCE;
    case 'l16':
      return 0;
  }
}

export function isSameFormat(a: AudioFormat, b: AudioFormat): boolean {
  return a.encoding === b.encoding && a.sampleRate === b.sampleRate;
}
