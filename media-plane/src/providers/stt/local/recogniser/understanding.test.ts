import { describe, expect, it } from 'vitest';
import { longestOutput, loopStart } from './decoding-limits.js';
import { unfinished, withoutOverlap } from './joined-text.js';
import { SAMPLE_RATE } from './moonshine.js';
import { mayHoldSpeech, plausibleText } from './plausibility.js';
import { readTokenizerBin, readTokensTxt, textOf } from './vocabulary.js';

const bytes = (text: string) => Buffer.from(text);
/** Any length in samples, from a function of the time in seconds. */
const audio = (seconds: number, of: (t: number) => number) =>
  Float32Array.from({ length: seconds * SAMPLE_RATE }, (_, n) => of(n / SAMPLE_RATE));
/** The same noise in every run. */
function noise(level: number) {
  let state = 1;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return level * ((state / 2_147_483_647) * 2 - 1);
  };
}

describe('the vocabulary', () => {
  it('reads Moonshine’s own file, with lengths of one and of two bytes', () => {
    const long = 'x'.repeat(300);
    const file = Buffer.concat([
      Buffer.from([3]),
      bytes('</s'),
      Buffer.from([6]),
      bytes('\u2581Hel'),
      Buffer.from([2]),
      bytes('lo'),
      Buffer.from([128 + (300 % 128), Math.floor(300 / 128)]),
      bytes(long),
    ]);
    const vocabulary = readTokenizerBin(file);
    expect(textOf(vocabulary, [1, 2])).toBe('Hello');
    expect(textOf(vocabulary, [3])).toBe(long);
    expect(() => readTokenizerBin(Buffer.from([5, 1]))).toThrow(/in the middle of a token/);
  });

  it('reads the file of sherpa-onnx, and joins the bytes of one character', () => {
    const [first, second] = [Buffer.from('é').subarray(0, 1), Buffer.from('é').subarray(1)];
    const lines = [bytes('\u2581caf'), first, second].map((token, id) => `${token.toString('base64')} ${id}`);
    expect(textOf(readTokensTxt(`${lines.join('\n')}\n`), [0, 1, 2])).toBe('café');
  });
});

describe('the limits of decoding', () => {
  it('grow with the audio', () => {
    expect(longestOutput(8)).toBe(55);
    expect(longestOutput(0.4)).toBe(6);
  });

  it('keep a phrase that repeats itself once', () => {
    expect(loopStart([7, 8, 9, 9, 9])).toBeUndefined();
    expect(loopStart([7, 8, 9, 9, 9, 9])).toBe(3);
    expect(loopStart([1, 2, 3, 2, 3, 2, 3, 2, 3])).toBe(3);
  });
});

describe('speech', () => {
  const voice = (level: number) => (t: number) =>
    level * (Math.sin(2 * Math.PI * 140 * t) + 0.5 * Math.sin(2 * Math.PI * 280 * t));
  it.each([
    ['a voice', audio(0.5, voice(0.2)), true],
    ['a soft voice', audio(0.5, voice(0.01)), true],
    ['silence', audio(2, () => 0), false],
    ['the hiss of a line', audio(2, noise(0.004)), false],
    ['loud noise', audio(2, noise(0.3)), false],
    ['a click', audio(1, (t) => (t > 0.5 && t < 0.503 ? 0.8 : 0)), false],
    ['a voice that is hardly there', audio(1, voice(0.001)), false],
  ])('may be in %s: %#', (_, samples, expected) => {
    expect(mayHoldSpeech(samples)).toBe(expected);
  });

  it.each([
    ['Hello.', 0.9, 'Hello.'],
    ['You', 0.5, ''],
    ['You', 0.9, 'You'],
    ['Thank you.', 0.55, ''],
    ['Thank you, that is all.', 0.55, 'Thank you, that is all.'],
    ['♪♪♪\ufffd', 0.9, ''],
    ['See you to-morrow, good-bye.', 0.9, 'See you tomorrow, goodbye.'],
    ['The heathen rage.', 0.2, ''],
  ])('heard as "%s" with confidence %f is "%s"', (text, confidence, believed) => {
    expect(plausibleText({ text, tokens: 3, confidence })).toBe(believed);
  });
});

describe('texts of audio that overlaps', () => {
  it.each([
    ['We had everything before us', 'before us. We had nothing', 'We had nothing'],
    ['it was the season of', 'son of light', 'light'],
    ['one two', 'three four', 'three four'],
    ['', 'three', 'three'],
    ['all the same', 'all the same', ''],
  ])('"%s" and "%s" add "%s"', (earlier, later, added) => {
    expect(withoutOverlap(earlier, later)).toBe(added);
  });

  it('have no full stop before they are final', () => {
    expect(unfinished('Yes, I would…')).toBe('Yes, I would');
  });
});
