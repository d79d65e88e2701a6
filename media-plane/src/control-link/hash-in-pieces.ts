import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Hashed in one turn of the event loop, in bytes: a quarter of a millisecond. */
export const PIECE_BYTES = 256 * 1024;

/** Computes a hex SHA-256 piece by piece, for the recording of a long call would hold up all calls for tens of ms. */
export async function hashInPieces(bytes: Uint8Array): Promise<string> {
  const hash = createHash('sha256');
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    if (at > 0) await nextTurn();
    hash.update(bytes.subarray(at, at + PIECE_BYTES));
  }
  return hash.digest('hex');
}
