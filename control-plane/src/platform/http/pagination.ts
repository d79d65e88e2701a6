import { z } from 'zod';
import type { SecretsKeys } from '../secrets/secrets-keys.js';
import { SigningKeys } from '../secrets/signing-keys.js';
import { apiError } from './error-codes.js';

/** A place in a list that is sorted by creation, newest first: everything after it is older. */
export interface Position {
  readonly createdAt: Date;
  readonly id: string;
}

const MAC_BYTES = 16;
const payload = z.tuple([z.number().int(), z.string().min(1).max(64)]);

/**
 * Makes and reads the opaque cursors of lists. A cursor is signed, and bound to its scope (which list,
 * which tenant), so that no client can forge a position or use one list's cursor on another.
 */
export class CursorCodec {
  readonly #keys: SigningKeys;

  constructor(keys: SecretsKeys) {
    this.#keys = new SigningKeys(keys, 'pagination cursors');
  }

  encode(scope: string, position: Position): string {
    const text = Buffer.from(JSON.stringify([position.createdAt.getTime(), position.id]));
    const mac = this.#keys.sign(`${scope}\n`, text).subarray(0, MAC_BYTES);
    return Buffer.concat([mac, text]).toString('base64url');
  }

  /** Throws 422 `invalid_cursor` for everything that `encode` did not make for this scope. */
  decode(scope: string, cursor: string): Position {
    const bytes = /^[A-Za-z0-9_-]+$/.test(cursor) ? Buffer.from(cursor, 'base64url') : Buffer.alloc(0);
    if (bytes.length <= MAC_BYTES) throw apiError('invalid_cursor');
    const text = bytes.subarray(MAC_BYTES);
    if (!this.#keys.verify(bytes.subarray(0, MAC_BYTES), `${scope}\n`, text))
      throw apiError('invalid_cursor');
    const [createdAt, id] = payload.parse(JSON.parse(text.toString()));
    return { createdAt: new Date(createdAt), id };
  }
}

/**
 * Returns the filter for what comes after `position` when sorted by `NEWEST_FIRST`. Its first part bounds the range of
 * an index, so that a page at any depth reads a page; the second leaves out what shares the position's millisecond.
 */
export function after(position: Position) {
  return {
    created_at: { $lte: position.createdAt },
    $or: [
      { created_at: { $lt: position.createdAt } },
      { created_at: position.createdAt, _id: { $lt: position.id } },
    ],
  };
}

/** The order of every list; the id decides between entries of the same millisecond. */
export const NEWEST_FIRST = { created_at: -1, _id: -1 } as const;

/** Cuts a page out of `limit + 1` rows that were asked for. */
export function pageOf<Row extends { readonly _id: string; readonly created_at: Date }>(
  rows: readonly Row[],
  limit: number,
  encode: (position: Position) => string,
): { rows: readonly Row[]; has_more: boolean; next_cursor: string | null } {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const hasMore = rows.length > limit;
  return {
    rows: page,
    has_more: hasMore,
    next_cursor: hasMore && last ? encode({ createdAt: last.created_at, id: last._id }) : null,
  };
}
