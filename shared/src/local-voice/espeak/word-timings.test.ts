import type { EspeakEvent } from '@echogarden/espeak-ng-emscripten';
import { describe, expect, it } from 'vitest';
import { WordTimings } from './word-timings.js';

const word = (text_position: number, audio_position: number): EspeakEvent => ({
  type: 'word',
  text_position,
  word_length: 1,
  audio_position,
  id: 1,
});
const phoneme = (audio_position: number, id: string): EspeakEvent => ({
  type: 'phoneme',
  text_position: 1,
  word_length: 0,
  audio_position,
  id,
});

describe('word timings', () => {
  it('end a word where the next begins, or where a pause begins before it', () => {
    const timings = new WordTimings('Yes, please do');
    const words = timings.take([
      word(1, 0),
      phoneme(0, 'j'),
      phoneme(200, ''),
      phoneme(300, ''),
      word(6, 500),
      phoneme(500, 'p'),
      word(13, 800),
      phoneme(810, 'd'),
    ]);
    expect(words).toEqual([
      { text: 'Yes,', startMs: 0, endMs: 200 },
      { text: 'please', startMs: 500, endMs: 800 },
    ]);
    expect(timings.finish(1000)).toEqual([{ text: 'do', startMs: 800, endMs: 1000 }]);
  });

  it('keep a word that espeak-ng splits in one, and one that it skips in its place', () => {
    const timings = new WordTimings('3:30 – good 😀');
    const words = timings.take([word(1, 0), phoneme(0, 'θ'), word(3, 300), phoneme(300, 'θ'), word(8, 900)]);
    expect(words).toEqual([
      { text: '3:30', startMs: 0, endMs: 900 },
      { text: '–', startMs: 900, endMs: 900 },
    ]);
    expect(timings.finish(1200)).toEqual([
      { text: 'good', startMs: 900, endMs: 1200 },
      { text: '😀', startMs: 1200, endMs: 1200 },
    ]);
  });

  it('share the time of words that espeak-ng joins by their letters', () => {
    const timings = new WordTimings('from the top');
    expect(timings.take([word(1, 100), phoneme(100, 'f'), word(10, 450)])).toEqual([
      { text: 'from', startMs: 100, endMs: 300 },
      { text: 'the', startMs: 300, endMs: 450 },
    ]);
  });

  it('place characters outside the basic plane as one character, as espeak-ng counts', () => {
    const timings = new WordTimings('😀 yes');
    expect(timings.take([word(3, 100)])).toEqual([{ text: '😀', startMs: 100, endMs: 100 }]);
    expect(timings.finish(400)).toEqual([{ text: 'yes', startMs: 100, endMs: 400 }]);
  });
});
