import { decodeMulaw, encodeAlaw } from '@voice/shared/audio/g711';
import { resample } from '@voice/shared/audio/resample';
import { createEspeakVoice } from '../synthesis/espeak-voice.js';
import type { SpeechSource } from '../synthesis/speech.js';
import { createToneVoice } from '../synthesis/tone-voice.js';
import { bytesPerMs } from './caller-audio.js';
import type { RealtimeFormat } from './session-schema.js';

/** A piece of a response: audio in the output format, and the text that begins in it. */
export interface SpokenChunk {
  readonly audio: Uint8Array;
  readonly ms: number;
  readonly text: string;
}

export interface Voice {
  /** Splits the whole text into pieces of `chunkMs` of audio. */
  speak(text: string, format: RealtimeFormat, chunkMs: number, signal: AbortSignal): Promise<SpokenChunk[]>;
  close(): void;
}

export function createVoice(kind: 'espeak' | 'tone'): Voice {
  const source: SpeechSource = kind === 'espeak' ? createEspeakVoice() : createToneVoice();
  return {
    async speak(text, format, chunkMs, signal) {
      const { audio, chars } = await source.render(text, signal);
      const bytes = encode(audio, format);
      const chunkBytes = chunkMs * bytesPerMs(format);
      const chunks: SpokenChunk[] = [];
      let char = 0;
      for (let at = 0; at < bytes.length; at += chunkBytes) {
        const piece = bytes.subarray(at, at + chunkBytes);
        const endMs = (at + piece.length) / bytesPerMs(format);
        let said = '';
        while (char < chars.length && (chars[char]!.startMs < endMs || at + chunkBytes >= bytes.length)) {
          said += chars[char++]!.char;
        }
        chunks.push({ audio: piece, ms: piece.length / bytesPerMs(format), text: said });
      }
      return chunks;
    },
    close: () => source.close(),
  };
}

function encode(mulaw: Uint8Array, format: RealtimeFormat): Uint8Array {
  switch (format.type) {
    case 'audio/pcmu':
      return mulaw;
    case 'audio/pcma':
      return encodeAlaw(decodeMulaw(mulaw));
    case 'audio/pcm': {
      const samples = resample(decodeMulaw(mulaw), 8000, 24_000);
      return new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);
    }
  }
}
