import type { Doc } from '../bson/values.js';
import { CommandError, codes } from '../errors/errors.js';
import { BASE_CONTEXT } from '../expressions/operators/registry.js';
import { parseSort } from '../fields/sort.js';
import { parseProjection } from '../projection/projection.js';
import { parseFilter } from '../query/parse.js';
import { parseUpdate } from '../update/update.js';
import { insertUpsert, modify } from './change.js';
import type { Command } from './command.js';
import { firstMatch } from './find.js';
import { checkHint } from './hint.js';

export const findAndModify: Command = (request, context) => {
  const { args, database, checkpoint } = request;
  const name = args.string(request.name);
  const query = args.optionalDocument('query') ?? new Map();
  const filter = parseFilter(query, { ...BASE_CONTEXT, now: context.clock.now() });
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
      const { before, after } = modify(collection, match, filter, change, context);
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
