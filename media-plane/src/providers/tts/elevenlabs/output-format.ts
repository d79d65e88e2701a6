import { type AudioFormat, L16_16K, L16_24K, PCMA_8K, PCMU_8K } from '@voice/shared/audio/format';

/** `output_format` of `multi-stream-input`, and what it sends. */
export interface OutputFormat {
  readonly name: 'ulaw_8000' | 'alaw_8000' | 'pcm_16000' | 'pcm_24000';
  readonly format: AudioFormat;
}

/**
 * Chooses the vendor's format that is the wanted one, or holds all that it can carry. PCM is 16 bits, little-endian
 * (elevenlabs.io, "Text to speech", `output_format`); higher rates want a larger plan than others.
 */
export function outputFormat({ encoding, sampleRate }: AudioFormat): OutputFormat {
  switch (encoding) {
    case 'pcmu':
      return { name: 'ulaw_8000', format: PCMU_8K };
    case 'pcma':
      return { name: 'alaw_8000', format: PCMA_8K };
    case 'l16':
      return sampleRate <= L16_16K.sampleRate
        ? { name: 'pcm_16000', format: L16_16K }
        : { name: 'pcm_24000', format: L16_24K };
  }
}
