import { beforeEach, describe, expect, it } from 'vitest';
import { type MatchedTranscription, TranscriptionMatcher } from './transcription-matcher.js';

let known: MatchedTranscription[];
let words: TranscriptionMatcher;
beforeEach(() => {
  known = [];
  words = new TranscriptionMatcher((heard) => known.push(heard));
});

const finals = () => known.filter(({ final }) => final).map(({ answer, text }) => [answer, text]);

describe('the words of a caller whose turns we end', () => {
  it('belong to the turn that answers them when they come after it began', () => {
    words.committed(3);
    words.committed(5);
    words.heard('a', 'First.', true);
    words.heard('b', 'Second.', true);
    expect(finals()).toEqual([
      [3, 'First.'],
      [5, 'Second.'],
    ]);
  });

  it('belong to the turn that ends next when they come while the caller speaks', () => {
    words.heard('a', 'When do you', false);
    words.heard('a', 'When do you close?', true);
    expect(known.every(({ answer, final }) => answer === undefined && !final)).toBe(true);
    words.committed(3);
    words.heard('b', 'And on Sundays?', true);
    words.committed(5);
    expect(finals()).toEqual([
      [3, 'When do you close?'],
      [5, 'And on Sundays?'],
    ]);
  });

  it('grow after the end of their turn, and are not taken for the next one’s', () => {
    words.heard('a', 'When do you', false);
    words.committed(3);
    words.heard('a', 'When do you close?', true);
    words.heard('b', 'Thanks', false);
    words.committed(5);
    words.heard('b', 'Thanks.', true);
    expect(finals()).toEqual([
      [3, 'When do you close?'],
      [5, 'Thanks.'],
    ]);
  });
});

describe('the words of a caller whose turns the provider ends', () => {
  it('belong to the turn that answers what had ended', () => {
    words.heard('a', 'When do you close?', true);
    words.ended();
    words.answered(3);
    words.ended();
    words.answered(5);
    words.heard('b', 'And on Sundays?', true);
    expect(finals()).toEqual([
      [3, 'When do you close?'],
      [5, 'And on Sundays?'],
    ]);
  });
});

describe('the words of a caller whose session was replaced', () => {
  it('are not taken for those that the session before did not transcribe', () => {
    words.committed(3);
    words.sessionReplaced(false);
    words.committed(5);
    words.heard('b', 'And on Sundays?', true);
    expect(finals()).toEqual([[5, 'And on Sundays?']]);
  });

  it('are new ones where the next session names its items like the one before', () => {
    words.committed(3);
    words.heard('turn-1', 'When do you close?', true);
    words.sessionReplaced(false);
    words.committed(5);
    words.heard('turn-1', 'And on Sundays?', true);
    expect(finals()).toEqual([
      [3, 'When do you close?'],
      [5, 'And on Sundays?'],
    ]);
  });

  it('belong to the turn that is heard again, and not to one before it', () => {
    words.committed(3);
    words.committed(5);
    words.heard('a', 'When do', false);
    words.sessionReplaced(true);
    words.heard('b', 'And on Sundays?', true);
    expect(finals()).toEqual([[5, 'And on Sundays?']]);
  });

  it('belong to the turn in which they were spoken where the caller speaks on over both sessions', () => {
    words.heard('a', 'When do', false);
    words.sessionReplaced(false);
    words.committed(3);
    words.heard('b', 'When do you close?', true);
    expect(finals()).toEqual([[3, 'When do you close?']]);
  });
});
