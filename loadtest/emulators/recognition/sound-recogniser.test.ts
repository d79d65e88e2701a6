import { convertAudio } from '@voice/shared/audio/converter';
import { type AudioFormat, L16_16K, PCMU_8K } from '@voice/shared/audio/format';
import { encodeMulaw } from '@voice/shared/audio/g711';
import { demoLines } from '@voice/shared/contracts/demo-agent';
import type { LocalVoice } from '@voice/shared/local-voice/local-voice';
import { startKeptVoice } from '@voice/shared/local-voice/testing/kept-voice';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { soundOf } from './phrase-track.js';
import type { Phrase } from './phrasebook.js';
import { SoundRecogniser } from './sound-recogniser.js';

let voice: LocalVoice;
let phrases: Phrase[];

async function spoken(text: string): Promise<Phrase> {
  const pieces: Uint8Array[] = [];
  const words: { text: string; startMs: number; endMs: number }[] = [];
  for await (const chunk of voice.speak({ text, voice: 'en-us', language: 'en-US' })) {
    pieces.push(chunk.audio);
    words.push(...(chunk.words ?? []).map(({ text, startMs, endMs }) => ({ text, startMs, endMs })));
  }
  return { text, words, audio: new Uint8Array(Buffer.concat(pieces)) };
}

beforeAll(async () => {
  voice = startKeptVoice();
  phrases = await Promise.all(Object.values(demoLines).flat().map(spoken));
});
afterAll(() => voice?.close());

/** As it comes out of another codec: other rate, softer, shifted by a part of a frame, with noise. */
function distorted({ audio }: Phrase, gain: number): Uint8Array {
  const wide = convertAudio(audio, { from: PCMU_8K, to: L16_16K });
  const samples = new Int16Array(wide.slice().buffer);
  let seed = 7;
  const shifted = new Int16Array(samples.length + 8000 + 117);
  for (let n = 0; n < shifted.length; n++) {
    seed = (seed * 16_807) % 2_147_483_647;
    shifted[n] = (samples[n - 117] ?? 0) * gain + (seed % 60) - 30;
  }
  return new Uint8Array(shifted.buffer);
}

function recognise(audio: Uint8Array, format: AudioFormat) {
  const recogniser = new SoundRecogniser(phrases.map(soundOf), format);
  return [...recogniser.push(audio)];
}
const textOf = (recognised: ReturnType<typeof recognise>) =>
  recognised.flatMap(({ words }) => words.map(({ text }) => text)).join(' ');

describe('the recogniser by sound', () => {
  it.each([0.3, 1])('finds every phrase again behind another codec (gain %f)', (gain) => {
    for (const phrase of phrases) {
      expect(textOf(recognise(distorted(phrase, gain), L16_16K))).toBe(
        phrase.words.map(({ text }) => text).join(' '),
      );
    }
  });

  it('gives words while they are spoken, at their times', () => {
    const phrase = phrases.find(({ text }) => text.startsWith('Tuesday'))!;
    const recognised = recognise(distorted(phrase, 1), L16_16K);
    const early = recognised.find(({ words }) => words.length > 0)!;
    expect(early.atMs).toBeLessThan(phrase.words.at(-1)!.endMs - 500);
    for (const [n, word] of recognised.flatMap(({ words }) => words).entries()) {
      expect(Math.abs(word.startMs - phrase.words[n]!.startMs)).toBeLessThan(120);
    }
    expect(recognised.filter(({ started }) => started).length).toBe(1);
  });

  it('goes on with a phrase after a pause in which a machine stood still', () => {
    for (const phrase of phrases.filter(({ words }) => words.length > 5)) {
      const audio = distorted(phrase, 1);
      const cut = phrase.words[3]!.endMs * 32;
      const pause = new Uint8Array(1500 * 32);
      const broken = Buffer.concat([audio.subarray(0, cut), pause, audio.subarray(cut)]);
      expect(textOf(recognise(broken, L16_16K))).toBe(phrase.words.map(({ text }) => text).join(' '));
    }
  });

  it('hears another phrase after one that was broken off, and that one from its begin', () => {
    const [first, other] = phrases.filter(({ words }) => words.length > 5) as [Phrase, Phrase];
    const begun = distorted(first, 1).subarray(0, first.words[3]!.endMs * 32);
    const pause = new Uint8Array(1500 * 32);
    const wordsOf = ({ words }: Phrase) => words.map(({ text }) => text).join(' ');
    for (const next of [other, first]) {
      const heard = textOf(recognise(Buffer.concat([begun, pause, distorted(next, 1)]), L16_16K));
      expect(heard.endsWith(wordsOf(next))).toBe(true);
      expect(heard.length).toBeGreaterThan(wordsOf(next).length);
    }
  });

  it('recognises no words in other speech, and nothing in silence', async () => {
    const other = await spoken('Purple elephants seldom jump over yellow mountains.');
    const recognised = recognise(distorted(other, 1), L16_16K);
    expect(recognised.some(({ started }) => started)).toBe(true);
    expect(textOf(recognised)).toBe('');
    expect(recognise(encodeMulaw(new Int16Array(16_000)), PCMU_8K).some(({ started }) => started)).toBe(
      false,
    );
  });
});
