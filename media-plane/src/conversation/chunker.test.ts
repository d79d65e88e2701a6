import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SentenceChunker } from './chunker.js';

/** Feeds the text in pieces as a model does: a few characters at a time. */
function chunk(text: string, size = 3): string[] {
  const chunker = new SentenceChunker();
  const pieces: string[] = [];
  for (let i = 0; i < text.length; i += size) pieces.push(...chunker.push(text.slice(i, i + size)));
  const rest = chunker.end();
  return rest === undefined ? pieces : [...pieces, rest];
}

describe('the sentence chunker', () => {
  it('gives each sentence as soon as the next one begins', () => {
    const chunker = new SentenceChunker();
    expect(chunker.push('Your order has shipped.')).toEqual([]);
    expect(chunker.push(' It')).toEqual(['Your order has shipped.']);
    expect(chunker.end()).toBe('It');
  });

  it('keeps abbreviations, initials and decimals in one piece', () => {
    expect(chunk('Dr. Smith will see you at 3.30 p.m. on Friday. Is that fine with you?')).toEqual([
      'Dr. Smith will see you at 3.30 p.m. on Friday.',
      'Is that fine with you?',
    ]);
  });

  it('gives the first clause early, because the caller waits, but not later ones', () => {
    expect(
      chunk('Of course, I can help you with that, just a second. Then, as you said, we go on from there.'),
    ).toEqual([
      'Of course, I can help you with that,',
      'just a second.',
      'Then, as you said, we go on from there.',
    ]);
  });

  it('joins a very short sentence with the next', () => {
    expect(chunk('Yes. We are open on Sundays.')).toEqual(['Yes. We are open on Sundays.']);
  });

  it('cuts text without any end at a space', () => {
    const pieces = chunk('word '.repeat(100));
    expect(pieces.length).toBeGreaterThan(1);
    expect(pieces.every((piece) => piece.length <= 240 && !piece.includes('  '))).toBe(true);
  });

  it('says nothing for nothing', () => {
    expect(chunk('')).toEqual([]);
    expect(chunk('  \n ')).toEqual([]);
  });

  it('loses and invents no word, however the text is cut', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 400 }), fc.integer({ min: 1, max: 40 }), (text, size) => {
        const words = (s: string) => s.split(/\s+/).join('');
        expect(words(chunk(text, size).join(' '))).toBe(words(text));
      }),
    );
  });
});
