import { describe, expect, it } from 'vitest';
import { FrameIndex } from './frame-index.js';
import type { Phrase } from './phrasebook.js';
import { Recogniser } from './recogniser.js';
import { framesOf, silentFrames, syntheticPhrase } from './synthetic-phrase.js';

function heardWords(recogniser: Recogniser, frames: readonly Uint8Array[]): string[] {
  return frames.flatMap((frame) =>
    [...recogniser.push(frame)].flatMap((recognised) => recognised.words.map((word) => word.text)),
  );
}

/** `begin`'s first `frames` frames, then `end`'s: two phrases that sound alike at first. */
function splice(begin: Phrase, end: Phrase, frames: number): Phrase {
  const audio = new Uint8Array(end.audio);
  audio.set(begin.audio.subarray(0, frames * 160));
  return { ...end, audio };
}

describe('the recogniser of known speech', () => {
  const phrase = syntheticPhrase('I would like to come on Tuesday');

  it('gives each word with the frame that ends it', () => {
    const recogniser = new Recogniser(new FrameIndex([phrase]));
    const frames = framesOf(phrase.audio);
    expect(heardWords(recogniser, frames.slice(0, 12))).toEqual(['I']);
    expect(heardWords(recogniser, frames.slice(12, 26))).toEqual([]);
    expect(heardWords(recogniser, frames.slice(26, 27))).toEqual(['would']);
  });

  it('recognises audio that comes in pieces of other sizes', () => {
    const recogniser = new Recogniser(new FrameIndex([phrase]));
    const pieces: Uint8Array[] = [];
    for (let at = 0; at < phrase.audio.length; at += 333) pieces.push(phrase.audio.subarray(at, at + 333));
    expect(heardWords(recogniser, [...pieces, ...silentFrames(40)]).join(' ')).toBe(phrase.text);
  });

  it('leaves out a word whose beginning it missed', () => {
    const recogniser = new Recogniser(new FrameIndex([phrase]));
    expect(heardWords(recogniser, framesOf(phrase.audio).slice(5))).toEqual(
      phrase.words.slice(1).map((word) => word.text),
    );
  });

  it('misses nothing of a word that begins with silence', () => {
    const { audio, ...rest } = syntheticPhrase('Tuesday');
    const late = { ...rest, audio: new Uint8Array(audio).fill(0xff, 0, 5 * 160) };
    const recogniser = new Recogniser(new FrameIndex([late]));
    expect(heardWords(recogniser, [...silentFrames(100), ...framesOf(late.audio)])).toEqual(['Tuesday']);
  });

  it('distinguishes phrases that begin alike', () => {
    const other = splice(phrase, syntheticPhrase('I would like to come on Thursday'), 6 * 15 + 4);
    for (const said of [phrase, other]) {
      const recogniser = new Recogniser(new FrameIndex([phrase, other]));
      expect(heardWords(recogniser, framesOf(said.audio)).join(' ')).toBe(said.text);
    }
  });

  it('recognises a phrase again when it is said again', () => {
    const recogniser = new Recogniser(new FrameIndex([phrase]));
    const frames = framesOf(phrase.audio);
    expect(heardWords(recogniser, [...frames, ...frames]).join(' ')).toBe(`${phrase.text} ${phrase.text}`);
  });

  it('takes silence within a phrase as part of it, and silence after it as its end', () => {
    const recogniser = new Recogniser(new FrameIndex([phrase]));
    const states = [...framesOf(phrase.audio), ...silentFrames(400)].flatMap((frame) => [
      ...recogniser.push(frame),
    ]);
    expect(states.filter((recognised) => recognised.started)).toHaveLength(1);
    expect(states.at(-1)).toMatchObject({ speaking: false, silenceMs: 400 });
  });
});
