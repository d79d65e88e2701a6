import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { speakerOf } from '../voices.js';
import { phonemeIds, withPunctuation } from './phonemes.js';
import { trimSilence } from './silence.js';
import { speechPieces } from './speech-pieces.js';
import { readVoiceConfig } from './voice-config.js';

describe('phonemes', () => {
  it.each([
    ['h_ə_l_ˈoʊ | h_ˈaʊ ɑːɹ j_uː', 'Hello, how are you?', 'həlˈoʊ, hˈaʊ ɑːɹ juː?'],
    ['h_ə_l_ˈoʊ', 'Hello', 'həlˈoʊ'],
    ['h_ə_l_ˈoʊ', '“Hello.”', 'həlˈoʊ.'],
    // A pause that no mark stands for.
    ['a_ | b_ | c', 'a (b) c.', 'a, b, c.'],
    ['', '–', ''],
  ])('%s of "%s" get its marks', (ipa, text, punctuated) => {
    expect(withPunctuation(ipa, text)).toBe(punctuated);
  });

  it('become ids with padding between them, without what the voice does not know', () => {
    const ids = new Map([
      ['_', [0]],
      ['^', [1]],
      ['$', [2]],
      ['a', [14]],
      ['.', [10]],
    ]);
    expect(phonemeIds('a☃.^', ids)).toEqual([1, 0, 14, 0, 10, 0, 2]);
  });
});

describe('the pieces that a text is spoken in', () => {
  const texts = (text: string) => speechPieces(text).map((piece) => piece.text);
  it.each([
    ['Hello.', ['Hello.']],
    ['How may I help you today?', ['How may I help you today?']],
    ['Good morning, this is the dental practice.', ['Good morning,', 'this is the dental practice.']],
    ['Good. Yes, there is parking. Which day?', ['Good.', 'Yes, there is parking.', 'Which day?']],
    ['Dr. Smith is in at 3 p.m. today.', ['Dr. Smith is in at 3 p.m. today.']],
    [
      'The clinic is opposite the public library on Main Street in the old town.',
      ['The clinic is opposite the public library', 'on Main Street in the old town.'],
    ],
  ])('begin with a short one: %s', (text, pieces) => {
    expect(texts(text)).toEqual(pieces);
  });

  it('are never long, and lose nothing', () => {
    const text = `Well, ${'we can, of course, do that for you '.repeat(30).trim()}.`;
    expect(Math.max(...texts(text).map(({ length }) => length))).toBeLessThanOrEqual(160);
    expect(texts(text).join(' ')).toBe(text);
  });

  it('pause as their marks say, but not at the end of the text', () => {
    expect(
      speechPieces('Good morning, this is the dental practice. Hello?').map(({ tailMs }) => tailMs),
    ).toEqual([110, 260, undefined]);
  });
});

describe('silence around speech', () => {
  const RATE = 1000;
  const speech = Float32Array.from({ length: 1000 }, (_, n) => (n >= 200 && n < 600 ? 0.5 : 0));

  it('is cut before it, and behind it to what is wanted', () => {
    const { samples, speechFromMs, speechToMs } = trimSilence(speech, RATE, 110);
    expect(samples).toHaveLength(15 + 400 + 110);
    expect([speechFromMs, speechToMs]).toEqual([15, 415]);
    expect(trimSilence(speech, RATE, undefined).samples).toHaveLength(1000 - 185);
  });

  it('is made where there is too little', () => {
    expect(trimSilence(speech.subarray(0, 600), RATE, 110).samples).toHaveLength(15 + 400 + 110);
  });

  it('is all that is left of silence', () => {
    expect(trimSilence(new Float32Array(100), RATE, undefined).samples).toHaveLength(100);
  });
});

describe('a voice’s configuration', () => {
  it('is read, or refused by the file’s name', () => {
    const dir = mkdtempSync(join(tmpdir(), 'voice-'));
    const path = join(dir, 'a.onnx.json');
    writeFileSync(path, '{"audio":{}}');
    expect(() => readVoiceConfig(path)).toThrow(/a\.onnx\.json is no Piper voice/);
    writeFileSync(
      path,
      JSON.stringify({
        audio: { sample_rate: 22050 },
        espeak: { voice: 'en-us' },
        inference: { length_scale: 1 },
        phoneme_id_map: { _: [0] },
      }),
    );
    expect(readVoiceConfig(path)).toMatchObject({ sampleRate: 22050, language: 'en-us', speakers: 1 });
    rmSync(dir, { recursive: true });
  });
});

describe('who speaks', () => {
  const joe = { name: 'en_US-joe-medium', language: 'en_US' };
  it.each([
    ['', 'en-GB', 'neural'],
    ['', 'de-DE', 'espeak'],
    ['en_US-joe-medium', 'de-DE', 'neural'],
    ['espeak', 'en-US', 'espeak'],
    ['en-us+f3', 'en-US', 'espeak'],
  ] as const)('with the voice "%s" in %s: %s', (voice, language, speaker) => {
    expect(speakerOf(voice, language, joe)).toBe(speaker);
    expect(speakerOf(voice, language, undefined)).toBe('espeak');
  });
});
