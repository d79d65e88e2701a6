import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CursorCodec, type Position, pageOf } from './pagination.js';

const cursors = new CursorCodec('a key of at least thirty-two characters');
const position: Position = { createdAt: new Date(1_700_000_000_123), id: '0197-id' };

describe('a cursor', () => {
  // @rule 8.14
  it('leads back to its position', () => {
    fc.assert(
      fc.property(fc.date({ noInvalidDate: true }), fc.uuid(), fc.string(), (createdAt, id, scope) => {
        expect(cursors.decode(scope, cursors.encode(scope, { createdAt, id }))).toEqual({ createdAt, id });
      }),
    );
  });

  it('is refused on another list, for another tenant, and under another key', () => {
    const cursor = cursors.encode('calls/a', position);
    const other = new CursorCodec('another key of at least 32 characters');
    for (const read of [
      () => cursors.decode('agents/a', cursor),
      () => cursors.decode('calls/b', cursor),
      () => other.decode('calls/a', cursor),
    ]) {
      expect(read).toThrow(expect.objectContaining({ code: 'invalid_cursor', status: 422 }));
    }
  });

  // @rule 8.14
  it('is refused whatever else a client makes up', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.base64String(),
          fc.uint8Array().map((b) => Buffer.from(b).toString('base64url')),
        ),
        (text) => {
          expect(() => cursors.decode('calls/a', text)).toThrow(
            expect.objectContaining({ code: 'invalid_cursor' }),
          );
        },
      ),
    );
  });
});

describe('a page', () => {
  const rows = [3, 2, 1].map((n) => ({ _id: `id ${n}`, created_at: new Date(n) }));
  const encode = ({ id }: Position) => `after ${id}`;

  it('with a row more than asked for has more after its last shown row', () => {
    expect(pageOf(rows, 2, encode)).toEqual({
      rows: rows.slice(0, 2),
      has_more: true,
      next_cursor: 'after id 2',
    });
  });

  it.each([3, 4])('with no row more than the %i asked for is the last', (limit) => {
    expect(pageOf(rows, limit, encode)).toEqual({ rows, has_more: false, next_cursor: null });
  });

  it('may be empty', () => {
    expect(pageOf([], 5, encode)).toEqual({ rows: [], has_more: false, next_cursor: null });
  });
});
