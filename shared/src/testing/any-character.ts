import fc from 'fast-check';

const SURROGATES = { from: 0xd800, count: 0x800 };
const CODE_POINTS = 0x110000;

/**
 * Any character but half of a pair, for `fc.string({ unit: anyCharacter })`. fast-check's own `unit: 'binary'` is the
 * same, and begins with a table of all 1.1 million, which costs a process most of a second.
 */
export const anyCharacter: fc.Arbitrary<string> = fc
  .oneof(fc.integer({ min: 0, max: 0x7f }), fc.integer({ min: 0, max: CODE_POINTS - SURROGATES.count - 1 }))
  .map(
    (n) => String.fromCodePoint(n < SURROGATES.from ? n : n + SURROGATES.count),
    (character) => {
      if (typeof character !== 'string' || [...character].length !== 1)
        throw new Error('this is no character');
      const codePoint = character.codePointAt(0)!;
      if (codePoint < SURROGATES.from) return codePoint;
      if (codePoint < SURROGATES.from + SURROGATES.count) throw new Error('this is half of a pair');
      return codePoint - SURROGATES.count;
    },
  );
