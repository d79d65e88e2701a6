import { describe, expect, it } from 'vitest';
import { HeardText } from './heard-text.js';
import { spokenText } from './spoken-text/spoken-text.js';

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
    heard.complete();
    expect(heard.heardAt(1200)).toBe('One two three');
    expect(heard.heardAt(2400)).toBe('One two three four. Five six.');
    expect(heard.heardAt(9999)).toBe('One two three four. Five six.');
  });

  it('counts by the audio that has come for the text so far, where more text waits for its audio', () => {
    const heard = new HeardText();
    heard.addSentence('We are open from nine to five on weekdays.');
    heard.addSentence('On Saturdays we close at noon already.');
    heard.addSentence('On Sundays nobody is here at all.');
    // All that has come; a second and a half is a sentence at most.
    heard.addAudio(1500);
    expect(heard.heardAt(1500)).toBe('We are open from nine to five on');
    heard.addAudio(6000);
    heard.complete();
    expect(heard.heardAt(1500)).toBe('We are open from nine');
    expect(heard.heardAt(7500)).toBe(heard.text);
  });

  it('is reported as it was written: an amount counts when all of it was said', () => {
    const { written, spoken, segments } = spokenText('**It is** $5.50 today.', {
      language: 'en-US',
      writesOut: true,
      startsMidClause: false,
    });
    expect(spoken).toBe('It is five dollars and fifty cents today.');
    const heard = new HeardText();
    heard.addSentence(written, segments);
    const chars = [...spoken];
    heard.addAudio(chars.length * 50, {
      chars,
      startMs: chars.map((_, i) => i * 50),
      durationMs: chars.map(() => 50),
    });
    const afterWord = (word: string) => heard.heardAt((spoken.indexOf(word) + word.length) * 50);
    expect(afterWord('is')).toBe('**It is**');
    expect(afterWord('fifty')).toBe('**It is**');
    expect(afterWord('cents')).toBe('**It is** $5.50');
    expect(afterWord('today.')).toBe('**It is** $5.50 today.');
  });

  it('joins Chinese sentences without a space, and cuts them between words', () => {
    const heard = new HeardText();
    const manner = { language: 'zh-CN', writesOut: true, startsMidClause: false };
    for (const text of ['今天天气很好。', '我们出去走走吧。']) {
      const { written, segments } = spokenText(text, manner);
      heard.addSentence(written, segments);
    }
    heard.addAudio(3000);
    heard.complete();
    expect(heard.text).toBe('今天天气很好。我们出去走走吧。');
    expect(heard.heardAt(900)).toBe('今天天气');
  });

  it('finds the start of the word that was being spoken', () => {
    expect(aligned('Good morning to you.').wordStartBefore(400)).toBe(250);
    expect(aligned('Good morning to you.').wordStartBefore(100)).toBe(0);
  });
});
