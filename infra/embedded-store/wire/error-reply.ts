import type { Encodable, EncodableDocument } from '../bson/encode.js';
import { Double } from '../bson/values.js';
import { CommandError, codeName, codes } from '../errors/errors.js';

/** Builds the reply to a command that failed; what is not a refusal of ours is an InternalError (1). */
export function errorReply(thrown: unknown): EncodableDocument {
  const error = isDiskFull(thrown)
    ? new CommandError(codes.OutOfDiskSpace, 'the disk is full: nothing can be written until there is room')
    : thrown;
  const known = error instanceof CommandError;
  const code = known ? error.code : codes.InternalError;
  return {
    ok: new Double(0),
    errmsg: error instanceof Error ? error.message : String(error),
    code,
    codeName: codeName(code),
    ...(known ? (error.details as Record<string, Encodable>) : {}),
  };
}

/**
 * SQLite's result codes for a write that found no room: SQLITE_FULL, and SQLITE_IOERR_WRITE for quotas and limits.
 */
const NO_ROOM: readonly unknown[] = [13, 778];

function isDiskFull(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && NO_ROOM.includes(error.errcode);
}
