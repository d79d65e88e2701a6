import type { Encodable, EncodableDocument } from '../bson/encode.js';
import { CommandError, codeName, codes } from '../errors.js';

/** The reply to a command that failed; what is not a refusal of ours is an InternalError (1). */
export function errorReply(error: unknown): EncodableDocument {
  const known = error instanceof CommandError;
  const code = known ? error.code : codes.InternalError;
  return {
    ok: 0,
    errmsg: error instanceof Error ? error.message : String(error),
    code,
    codeName: codeName(code),
    ...(known ? (error.details as Record<string, Encodable>) : {}),
  };
}
