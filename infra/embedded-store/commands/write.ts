import type { Encodable } from '../bson/encode.js';
import type { Doc, Value } from '../bson/values.js';
import { CommandError, codes } from '../errors/errors.js';
import { BASE_CONTEXT } from '../expressions/operators/registry.js';
import { parseSort } from '../fields/sort.js';
import { planQuery } from '../planning/plan.js';
import { scan } from '../planning/scan.js';
import { parseFilter } from '../query/parse.js';
import { allowsMulti, parseUpdate } from '../update/update.js';
import { Arguments } from './arguments.js';
import { insertDocument, insertUpsert, modify } from './change.js';
import type { Command, CommandContext, CommandRequest } from './command.js';
import { firstMatch, newCounters } from './find.js';
import { checkHint } from './hint.js';
import { eachStatement, errorsField, orderedFlag, statements } from './statements.js';

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
      const filter = parseFilter(args.document('q'), { ...BASE_CONTEXT, now: context.clock.now() });
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
  const filter = parseFilter(query, { ...BASE_CONTEXT, now: context.clock.now() });
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
    count(1, modify(collection, match, filter, change, context).changed ? 1 : 0);
  }
  if (found.length > 0 || !upsert) return undefined;
  return insertUpsert(collection, query, change, context).get('_id');
}

function* take<T>(items: Iterable<T>, limit: number): Generator<T> {
  let left = limit;
  for (const item of items) {
    yield item;
    if (--left === 0) return;
  }
}
