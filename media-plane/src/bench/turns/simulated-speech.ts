import { decodeMulaw, encodeMulaw } from '@voice/shared/audio/g711';
import type { LocalVoice, SpokenWord } from '@voice/shared/local-voice/local-voice';
import { join, silence, withNoise } from '../../providers/vad/testing/sounds.js';

const PER_MS = 8;
/** Silence on the line before and after somebody speaks, in ms. */
const BEFORE_MS = 500;
const AFTER_MS = 4000;
/** The line's noise: peak of white noise, 58 dB below full scale. */
const NOISE = 40;
/** The boundary of two words is estimated to this, in ms; the softest moment within is where the pause is put. */
const BOUNDARY_MS = 100;
const DIP_MS = 10;
/** What is this far below the loudest sample is silence. */
const AUDIBLE = 1 / 100;

/** A phrase as a voice says it without a pause; samples at 8,000 Hz. */
export interface SpokenPhrase {
  readonly samples: Int16Array;
  readonly words: readonly SpokenWord[];
  /** Words before the place of the pause; all of them where there is none. */
  readonly firstWords: number;
}

/** A phrase on the line. Times in ms of its audio. */
export interface LineSpeech {
  /** Mu-law. */
  readonly audio: Uint8Array;
  readonly words: readonly SpokenWord[];
  /** When the caller's last sound ends. */
  readonly endsMs: number;
}

export async function speak(voice: LocalVoice, name: string, phrase: string): Promise<SpokenPhrase> {
  const parts = phrase.split(' | ');
  const chunks: Uint8Array[] = [];
  const words: SpokenWord[] = [];
  for await (const chunk of voice.speak({ text: parts.join(' '), voice: name, language: 'en-US' })) {
    chunks.push(chunk.audio);
    words.push(...(chunk.words ?? []));
  }
  return { samples: decodeMulaw(Buffer.concat(chunks)), words, firstWords: parts[0]!.split(' ').length };
}

/** Puts the phrase on a phone line, with a pause of `pauseMs` at its place. */
export function onTheLine({ samples, words, firstWords }: SpokenPhrase, pauseMs: number): LineSpeech {
  const cutMs = pauseMs === 0 ? samples.length / PER_MS : pausePlace(samples, words, firstWords);
  const cut = Math.round(cutMs * PER_MS);
  const line = join(
    silence(BEFORE_MS),
    samples.slice(0, cut),
    silence(pauseMs),
    samples.slice(cut),
    silence(AFTER_MS),
  );
  const shift = (index: number) => BEFORE_MS + (index >= firstWords ? pauseMs : 0);
  return {
    audio: encodeMulaw(withNoise(line, NOISE)),
    words: words.map(({ text, startMs, endMs }, index) => ({
      text,
      startMs: startMs + shift(index),
      endMs: endMs + shift(index),
    })),
    endsMs: lastSound(line),
  };
}

/** Finds the softest moment about the boundary of the two words. */
function pausePlace(samples: Int16Array, words: readonly SpokenWord[], firstWords: number): number {
  const boundary = words[firstWords]!.startMs;
  let [softest, place] = [Number.POSITIVE_INFINITY, boundary];
  for (let at = boundary - BOUNDARY_MS; at <= boundary + BOUNDARY_MS; at += DIP_MS / 2) {
    const from = Math.round((at - DIP_MS / 2) * PER_MS);
    const energy = samples.slice(from, from + DIP_MS * PER_MS).reduce((sum, sample) => sum + sample ** 2, 0);
    if (energy < softest) [softest, place] = [energy, at];
  }
  return place;
}

function lastSound(samples: Int16Array): number {
  const peak = samples.reduce((max, sample) => Math.max(max, Math.abs(sample)), 0);
  return (samples.findLastIndex((sample) => Math.abs(sample) > peak * AUDIBLE) + 1) / PER_MS;
}
