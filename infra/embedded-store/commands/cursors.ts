import { randomBytes } from 'node:crypto';
import type { Clock } from '@voice/shared/clock/clock';
import { type EncodableDocument, encodeDocument, RawDocument } from '../bson/encode.js';
import { CommandError, codes } from '../errors/errors.js';
import { MAX_DOCUMENT_BYTES } from '../storage/collection.js';

/** MongoDB's default size of a first batch, in documents. */
const DEFAULT_BATCH = 101;
/** A cursor that nobody asks for ten minutes is closed, as in MongoDB. */
const IDLE_MS = 10 * 60_000;

/** The rest of a query's results, produced when asked for. */
export type Results = Iterator<EncodableDocument>;

interface OpenCursor {
  readonly namespace: string;
  readonly results: Results;
  /** A document that was produced but did not fit into the batch before. */
  held: RawDocument | undefined;
  lastUsed: number;
}

export interface Batch {
  readonly documents: RawDocument[];
  /** Zero when the results have ended. */
  readonly cursorId: bigint;
}

/** Cursors that clients have open, by id. */
export class Cursors {
  private readonly open = new Map<bigint, OpenCursor>();

  constructor(private readonly clock: Clock) {}

  /**
   * Reads the first batch of a query's results; keeps a cursor if there are more and more than one batch is wanted.
   */
  first(namespace: string, results: Results, batchSize: number | undefined, single: boolean): Batch {
    const cursor: OpenCursor = { namespace, results, held: undefined, lastUsed: this.clock.now() };
    const documents: RawDocument[] = [];
    const ended = batchSize === 0 ? false : fill(cursor, documents, batchSize ?? DEFAULT_BATCH);
    if (ended || single) {
      results.return?.();
      return { documents, cursorId: 0n };
    }
    const cursorId = this.newId();
    this.open.set(cursorId, cursor);
    return { documents, cursorId };
  }

  next(cursorId: bigint, namespace: string, batchSize: number | undefined): Batch {
    const cursor = this.open.get(cursorId);
    if (cursor === undefined) throw new CommandError(codes.CursorNotFound, `cursor id ${cursorId} not found`);
    if (cursor.namespace !== namespace) {
      throw new CommandError(
        13,
        `Requested getMore on namespace '${namespace}', but cursor belongs to '${cursor.namespace}'`,
      );
    }
    cursor.lastUsed = this.clock.now();
    const documents: RawDocument[] = [];
    try {
      const ended = fill(cursor, documents, batchSize || Infinity);
      if (ended) this.open.delete(cursorId);
      return { documents, cursorId: ended ? 0n : cursorId };
    } catch (error) {
      this.open.delete(cursorId);
      throw error;
    }
  }

  /** Closes a cursor; false if there is none of that id. */
  kill(cursorId: bigint): boolean {
    this.open.get(cursorId)?.results.return?.();
    return this.open.delete(cursorId);
  }

  /** Closes the cursors that have been idle too long. */
  expire(): void {
    for (const [id, cursor] of this.open) {
      if (this.clock.now() - cursor.lastUsed > IDLE_MS) this.kill(id);
    }
  }

  get size(): number {
    return this.open.size;
  }

  private newId(): bigint {
    for (;;) {
      const id = randomBytes(8).readBigInt64LE() & 0x7fffffffffffffffn;
      if (id !== 0n && !this.open.has(id)) return id;
    }
  }
}

/** Adds up to `limit` documents and at most 16 MB to a batch. True when the results have ended. */
function fill(cursor: OpenCursor, documents: RawDocument[], limit: number): boolean {
  let bytes = 0;
  while (documents.length < limit) {
    const next = cursor.held ?? produce(cursor.results);
    cursor.held = undefined;
    if (next === undefined) return true;
    bytes += next.bytes.length + 16;
    if (documents.length > 0 && bytes > MAX_DOCUMENT_BYTES) {
      cursor.held = next;
      return false;
    }
    documents.push(next);
  }
  // Look one ahead, so that results that end exactly with a batch need no further round trip.
  cursor.held = produce(cursor.results);
  return cursor.held === undefined;
}

function produce(results: Results): RawDocument | undefined {
  const next = results.next();
  if (next.done) return undefined;
  const document = next.value;
  if (document instanceof RawDocument) return document;
  return new RawDocument(encodeDocument(document));
}
