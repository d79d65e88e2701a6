import { decodeDocument } from '../bson/decode.js';
import { type Encodable, encodeDocument } from '../bson/encode.js';
import type { Doc } from '../bson/values.js';
import { CommandError, codes } from '../errors/errors.js';
import type { CommandRequest } from './command.js';

/** Most statements in one write command: maxWriteBatchSize of `hello`. */
export const MAX_WRITE_BATCH = 100_000;

export interface Statement {
  readonly doc: Doc;
  readonly bytes: Buffer;
}

/** Returns the documents of a write command, from its body or from beside it. */
export function statements(request: CommandRequest, name: string): Statement[] {
  const raw = request.sequences.get(name);
  if (raw !== undefined) {
    request.args.ignore(name);
    return checkBatch(raw.map((bytes) => ({ doc: decodeDocument(bytes), bytes })));
  }
  return checkBatch(request.args.documents(name).map((doc) => ({ doc, bytes: encodeDocument(doc) })));
}

function checkBatch(list: Statement[]): Statement[] {
  if (list.length === 0 || list.length > MAX_WRITE_BATCH) {
    throw new CommandError(
      codes.InvalidLength,
      `Write batch sizes must be between 1 and ${MAX_WRITE_BATCH}. Got ${list.length} operations.`,
    );
  }
  return list;
}

export function orderedFlag(request: CommandRequest): boolean {
  return request.args.value('ordered') === undefined ? true : request.args.boolean('ordered');
}

interface WriteError {
  readonly index: number;
  readonly error: CommandError;
}

/** Runs statements one by one; an error ends an ordered command and is only noted by an unordered one. */
export function eachStatement(
  list: readonly Statement[],
  ordered: boolean,
  run: (statement: Statement, index: number) => void,
): WriteError[] {
  const errors: WriteError[] = [];
  for (const [index, statement] of list.entries()) {
    try {
      run(statement, index);
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      errors.push({ index, error });
      if (ordered) break;
    }
  }
  return errors;
}

export function errorsField(errors: readonly WriteError[]): { writeErrors?: Encodable[] } {
  if (errors.length === 0) return {};
  return {
    writeErrors: errors.map(({ index, error }) => ({
      index,
      code: error.code,
      errmsg: error.message,
      ...(error.details as Record<string, Encodable>),
    })),
  };
}
