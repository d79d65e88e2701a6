import { convertAudio } from '@voice/shared/audio/converter';
import { PCMU_8K } from '@voice/shared/audio/format';
import type { LocalVoice } from '@voice/shared/local-voice/local-voice';
import { startKeptVoice } from '@voice/shared/local-voice/testing/kept-voice';
import { soundOf } from '../../emulators/recognition/phrase-track.js';
import type { Phrase } from '../../emulators/recognition/phrasebook.js';
import { SoundRecogniser } from '../../emulators/recognition/sound-recogniser.js';

export interface Said {
  readonly atMs: number;
  readonly phrase: Phrase;
}

/** Phrases at their times in silence, as a microphone would bring them: 48 kHz. */
export function timeline(
  said: readonly Said[],
  lengthMs: number,
): { samples: Int16Array; sampleRate: number } {
  const samples = new Int16Array(lengthMs * 48);
  for (const { atMs, phrase } of said) {
    const audio = convertAudio(phrase.audio, { from: PCMU_8K, to: { encoding: 'l16', sampleRate: 48_000 } });
    samples.set(new Int16Array(audio.slice().buffer), atMs * 48);
  }
  return { samples, sampleRate: 48_000 };
}

/** Texts as the agent's local voice says them: what a listener should hear. */
export async function spokenBy(voiceName: string, texts: readonly string[]): Promise<Phrase[]> {
  const voice = startKeptVoice();
  try {
    return await Promise.all(texts.map((text) => spoken(voice, voiceName, text)));
  } finally {
    voice.close();
  }
}

async function spoken(voice: LocalVoice, voiceName: string, text: string): Promise<Phrase> {
  const pieces: Uint8Array[] = [];
  const words: { text: string; startMs: number; endMs: number }[] = [];
  for await (const chunk of voice.speak({ text, espeakVoice: voiceName, language: 'en-US' })) {
    pieces.push(chunk.audio);
    words.push(...(chunk.words ?? []));
  }
  return { text, words, audio: new Uint8Array(Buffer.concat(pieces)) };
}

/** Gives the words that are heard in the audio (L16, 8 kHz) when only these phrases are known. */
export function wordsHeard(audio: Uint8Array, phrases: readonly Phrase[]): string[] {
  const recogniser = new SoundRecogniser(phrases.map(soundOf), { encoding: 'l16', sampleRate: 8000 });
  const silence = new Uint8Array(16_000 * 2);
  return [...recogniser.push(audio), ...recogniser.push(silence)].flatMap(({ words }) =>
    words.map(({ text }) => text),
  );
}
