import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LONGEST_PIECE, piecesOf } from './sentences.js';

describe('the pieces of a text', () => {
  it('are the text itself when it is short, in plain white space', () => {
    expect(piecesOf('  Good\tmorning.\n How are\u0000you? ')).toEqual(['Good morning. How are you?']);
    expect(piecesOf(' \n ')).toEqual([]);
  });

  it('end at sentences when it is long', () => {
    const sentence = `${'word '.repeat(30).trim()}.`;
    const text = Array.from({ length: 4 }, () => `S${sentence}`).join(' ');
    expect(piecesOf(text)).toEqual([`S${sentence} S${sentence}`, `S${sentence} S${sentence}`]);
  });

  it('are never too long and lose nothing, whatever the text', () => {
    const word = fc.oneof(
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }),
      fc.constantFrom('End.', 'Next', 'x'.repeat(1000), '😀'.repeat(450)),
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 200 }), (words) => {
        const pieces = piecesOf(words.join(' '));
        for (const piece of pieces) expect(piece.length).toBeLessThanOrEqual(LONGEST_PIECE);
        const letters = (text: string) => text.replace(/[\s\p{Cc}]+/gu, '');
        expect(letters(pieces.join(''))).toBe(letters(words.join('')));
      }),
    );
  });
});
