import { randomBytes } from 'node:crypto';
import { decodeDocument } from '../bson/decode.js';
import { type Encodable, encodeDocument } from '../bson/encode.js';
import { type Doc, isDoc, ObjectId, Regex, typeName, type Value } from '../bson/values.js';
import { CommandError, codes } from '../errors.js';
import { parseProjection } from '../projection/projection.js';
import type { MatchDetails } from '../query/match.js';
import { matches } from '../query/match.js';
import { parseFilter } from '../query/parse.js';
import { planQuery } from '../query/plan.js';
import { scan } from '../query/scan.js';
import { parseSort } from '../query/sort.js';
import type { Collection } from '../storage/collection.js';
import { allowsMulti, applyUpdate, checkFieldName, parseUpdate, type Update } from '../update/update.js';
import { upsertSeed } from '../update/upsert.js';
import { Arguments } from './arguments.js';
import type { Command, CommandContext, CommandRequest } from './command.js';
import { firstMatch, newCounters } from './find.js';
import { checkHint } from './hint.js';

/** Most statements in one write command: maxWriteBatchSize of `hello`. */
export const MAX_WRITE_BATCH = 100_000;
let counter = randomBytes(3).readUIntBE(0, 3);
const processPart = randomBytes(5);

export const insert: Command = (request, context) => {
  const name = request.args.string('insert');
  const documents = statements(request, 'documents');
  const ordered = orderedFlag(request);
  request.args.ignore('bypassDocumentValidation');
  request.args.done();
  return context.store.transaction(() => {
    const collection = context.store.ensureCollection(request.database, name);
    let inserted = 0;
    const writeErrors = eachStatement(documents, ordered, ({ doc, bytes }) => {
      insertDocument(collection, doc, bytes, context);
      inserted++;
    });
    return { n: inserted, ...errorsField(writeErrors) };
  });
};

export const update: Command = (request, context) => {
  const name = request.args.string('update');
  const updates = statements(request, 'updates');
  const ordered = orderedFlag(request);
  request.args.refuse('let');
  request.args.ignore('bypassDocumentValidation');
  request.args.done();
  return context.store.transaction(() => {
    let matched = 0;
    let modified = 0;
    const upserted: Encodable[] = [];
    const writeErrors = eachStatement(updates, ordered, ({ doc }, index) => {
      const outcome = runUpdate(request, context, name, doc, (count, changed) => {
        matched += count;
        modified += changed;
      });
      if (outcome !== undefined) {
        matched++;
        upserted.push({ index, _id: outcome });
      }
    });
    return {
      n: matched,
      nModified: modified,
      upserted: upserted.length > 0 ? upserted : undefined,
      ...errorsField(writeErrors),
    };
  });
};

export const remove: Command = (request, context) => {
  const name = request.args.string('delete');
  const deletes = statements(request, 'deletes');
  const ordered = orderedFlag(request);
  request.args.refuse('let');
  request.args.done();
  return context.store.transaction(() => {
    let removed = 0;
    const writeErrors = eachStatement(deletes, ordered, ({ doc }) => {
      const args = new Arguments('delete.deletes', doc);
      const filter = parseFilter(args.document('q'));
      const limit = args.count('limit');
      args.refuse('collation');
      const hint = args.value('hint');
      args.done();
      if (limit !== 0 && limit !== 1) {
        throw new CommandError(
          codes.FailedToParse,
          `The limit field in delete objects must be 0 or 1. Got ${limit}`,
        );
      }
      const collection = context.store.collection(request.database, name);
      if (collection === undefined) return;
      checkHint(collection, hint);
      const found = scan(
        collection,
        planQuery(collection, filter),
        filter,
        newCounters(),
        request.checkpoint,
      );
      for (const match of limit === 1 ? take(found, 1) : [...found]) {
        collection.remove(match.id, match.doc);
        removed++;
      }
    });
    return { n: removed, ...errorsField(writeErrors) };
  });
};

export const findAndModify: Command = (request, context) => {
  const { args, database, checkpoint } = request;
  const name = args.string(request.name);
  const query = args.optionalDocument('query') ?? new Map();
  const filter = parseFilter(query);
  const sort = parseSort(args.optionalDocument('sort') ?? new Map());
  const removing = args.boolean('remove');
  const updateValue = args.value('update');
  const wantsNew = args.boolean('new');
  const upsert = args.boolean('upsert');
  const project = parseProjection(args.optionalDocument('fields') ?? new Map());
  const arrayFilters = args.documentsIfAny('arrayFilters');
  args.refuse('collation', 'let');
  const hint = args.value('hint');
  args.ignore('bypassDocumentValidation');
  args.done();
  const shown = (doc: Doc | undefined) => (doc === undefined ? null : project ? project(doc, filter) : doc);
  checkHint(context.store.collection(database, name), hint);
  if (removing) {
    if (updateValue !== undefined)
      throw new CommandError(codes.FailedToParse, 'Cannot specify both an update and remove=true');
    if (upsert)
      throw new CommandError(codes.FailedToParse, 'Cannot specify both upsert=true and remove=true');
    if (wantsNew) {
      throw new CommandError(
        codes.FailedToParse,
        "Cannot specify both new=true and remove=true; 'remove' always returns the deleted document",
      );
    }
    return context.store.transaction(() => {
      const collection = context.store.collection(database, name);
      const match = collection && firstMatch(collection, filter, sort, checkpoint);
      if (match) collection.remove(match.id, match.doc);
      return { lastErrorObject: { n: match ? 1 : 0 }, value: shown(match?.doc) };
    });
  }
  if (updateValue === undefined)
    throw new CommandError(codes.FailedToParse, 'Either an update or remove=true must be specified');
  const change = parseUpdate(updateValue, arrayFilters);
  return context.store.transaction(() => {
    const collection = upsert
      ? context.store.ensureCollection(database, name)
      : context.store.collection(database, name);
    const match = collection && firstMatch(collection, filter, sort, checkpoint);
    if (collection && match) {
      const details: MatchDetails = {};
      matches(filter, match.doc, details);
      const before = decodeDocument(match.bytes);
      const { after } = modify(collection, match.id, match.bytes, change, details, context);
      return { lastErrorObject: { n: 1, updatedExisting: true }, value: shown(wantsNew ? after : before) };
    }
    if (!upsert || collection === undefined) {
      return { lastErrorObject: { n: 0, updatedExisting: false }, value: null };
    }
    const created = insertUpsert(collection, query, change, context);
    return {
      lastErrorObject: { n: 1, updatedExisting: false, upserted: created.get('_id') },
      value: wantsNew ? shown(created) : null,
    };
  });
};

interface Statement {
  readonly doc: Doc;
  readonly bytes: Buffer;
}

/** The documents of a write command, from its body or from beside it. */
function statements(request: CommandRequest, name: string): Statement[] {
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

function orderedFlag(request: CommandRequest): boolean {
  return request.args.value('ordered') === undefined ? true : request.args.boolean('ordered');
}

interface WriteError {
  readonly index: number;
  readonly error: CommandError;
}

/** Runs statements one by one; an error ends an ordered command and is only noted by an unordered one. */
function eachStatement(
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

function errorsField(errors: readonly WriteError[]): { writeErrors?: Encodable[] } {
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

/** Stores a document, giving it an `_id` first if it has none. */
function insertDocument(
  collection: Collection,
  doc: Doc,
  bytes: Buffer | undefined,
  context: CommandContext,
): Doc {
  for (const name of doc.keys()) checkFieldName(name);
  const id = doc.get('_id');
  if (id !== undefined) checkId(id);
  if (bytes !== undefined && doc.keys().next().value === '_id') {
    collection.insert(doc, bytes);
    return doc;
  }
  const complete: Doc = new Map([['_id', id ?? newObjectId(context.clock.now())]]);
  for (const [name, value] of doc) if (name !== '_id') complete.set(name, value);
  collection.insert(complete, encodeDocument(complete));
  return complete;
}

function checkId(id: Value): void {
  if (Array.isArray(id) || id instanceof Regex) {
    throw new CommandError(codes.InvalidIdField, `The '_id' value cannot be of type ${typeName(id)}`);
  }
  if (isDoc(id)) for (const name of id.keys()) checkFieldName(name);
}

function newObjectId(now: number): ObjectId {
  const bytes = Buffer.alloc(12);
  bytes.writeUInt32BE(Math.floor(now / 1000) >>> 0, 0);
  processPart.copy(bytes, 4);
  counter = (counter + 1) & 0xffffff;
  bytes.writeUIntBE(counter, 9, 3);
  return new ObjectId(bytes);
}

/** Applies one update statement; the `_id` of the document it upserted, or undefined. */
function runUpdate(
  request: CommandRequest,
  context: CommandContext,
  name: string,
  statement: Doc,
  count: (matched: number, modified: number) => void,
): Value | undefined {
  const args = new Arguments('update.updates', statement);
  const query = args.document('q');
  const filter = parseFilter(query);
  const change = parseUpdate(args.value('u') ?? null, args.documentsIfAny('arrayFilters'));
  const multi = args.boolean('multi');
  const upsert = args.boolean('upsert');
  const sort = parseSort(args.optionalDocument('sort') ?? new Map());
  args.refuse('collation', 'c');
  const hint = args.value('hint');
  args.done();
  if (multi && !allowsMulti(change)) {
    throw new CommandError(codes.FailedToParse, 'multi update is not supported for replacement-style update');
  }
  const collection = upsert
    ? context.store.ensureCollection(request.database, name)
    : context.store.collection(request.database, name);
  if (collection === undefined) return undefined;
  checkHint(collection, hint);
  const first = sort || !multi ? firstMatch(collection, filter, sort, request.checkpoint) : undefined;
  const found = multi
    ? [...scan(collection, planQuery(collection, filter), filter, newCounters(), request.checkpoint)]
    : first
      ? [first]
      : [];
  for (const match of found) {
    const details: MatchDetails = {};
    matches(filter, match.doc, details);
    const { changed } = modify(collection, match.id, match.bytes, change, details, context);
    count(1, changed ? 1 : 0);
  }
  if (found.length > 0 || !upsert) return undefined;
  return insertUpsert(collection, query, change, context).get('_id');
}

function modify(
  collection: Collection,
  id: number,
  bytes: Buffer,
  change: Update,
  details: MatchDetails,
  context: CommandContext,
): { after: Doc; changed: boolean } {
  const before = decodeDocument(bytes);
  const after = applyUpdate(change, decodeDocument(bytes), {
    arrayIndex: details.arrayIndex,
    inserting: false,
    now: context.clock.now(),
  });
  if (encodeDocument(after).equals(bytes)) return { after, changed: false };
  collection.replace(id, before, after);
  return { after, changed: true };
}

function insertUpsert(collection: Collection, query: Doc, change: Update, context: CommandContext): Doc {
  const seed = upsertSeed(query, change.kind === 'replacement');
  const after = applyUpdate(change, seed, {
    arrayIndex: undefined,
    inserting: true,
    now: context.clock.now(),
  });
  return insertDocument(collection, after, undefined, context);
}

function* take<T>(items: Iterable<T>, limit: number): Generator<T> {
  let left = limit;
  for (const item of items) {
    yield item;
    if (--left === 0) return;
  }
}
