import { describe, expect, it } from 'vitest';
import { HeardText } from './heard-text.js';

/** 50 ms a character, as an aligning voice would report it. */
function aligned(text: string): HeardText {
  const heard = new HeardText();
  heard.addSentence(text);
  const chars = [...text];
  heard.addAudio(chars.length * 50, {
    chars,
    startMs: chars.map((_, i) => i * 50),
    durationMs: chars.map(() => 50),
  });
  return heard;
}

describe('what was heard of an interrupted turn', () => {
  it('is nothing before the first word ended', () => {
    expect(aligned('Good morning to you.').heardAt(0)).toBe('');
    expect(aligned('Good morning to you.').heardAt(150)).toBe('');
  });

  it('is the whole words whose last character was spoken', () => {
    expect(aligned('Good morning to you.').heardAt(200)).toBe('Good');
    expect(aligned('Good morning to you.').heardAt(599)).toBe('Good');
    expect(aligned('Good morning to you.').heardAt(600)).toBe('Good morning');
  });

  it('is everything at the end', () => {
    expect(aligned('Good morning to you.').heardAt(1000)).toBe('Good morning to you.');
  });

  it('is taken by proportion where the voice gives no alignment', () => {
    const heard = new HeardText();
    heard.addSentence('One two three four.');
    heard.addSentence('Five six.');
    heard.addAudio(2400);
    expect(heard.heardAt(1200)).toBe('One two three');
    expect(heard.heardAt(2400)).toBe('One two three four. Five six.');
    expect(heard.heardAt(9999)).toBe('One two three four. Five six.');
  });

  it('finds the start of the word that was being spoken', () => {
    expect(aligned('Good morning to you.').wordStartBefore(400)).toBe(250);
    expect(aligned('Good morning to you.').wordStartBefore(100)).toBe(0);
  });
});
