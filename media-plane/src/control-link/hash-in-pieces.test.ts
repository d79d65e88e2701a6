import { bodyHashOf } from '@voice/shared/inter-plane/token';
import { describe, expect, it } from 'vitest';
import { hashInPieces, PIECE_BYTES } from './hash-in-pieces.js';

describe('a hash in pieces', () => {
  it.each([0, 1, PIECE_BYTES, PIECE_BYTES + 1, 3 * PIECE_BYTES])(
    'of %i bytes is that of the whole',
    async (length) => {
      const bytes = Uint8Array.from({ length }, (_, n) => n % 251);
      expect(await hashInPieces(bytes)).toBe(bodyHashOf(bytes));
    },
  );

  it('lets the event loop turn in between', async () => {
    let turns = 0;
    let isOver = false;
    const turn = () => {
      turns++;
      if (!isOver) setImmediate(turn);
    };
    setImmediate(turn);
    await hashInPieces(new Uint8Array(8 * PIECE_BYTES));
    isOver = true;
    expect(turns).toBeGreaterThanOrEqual(7);
  });
});
