import { decodeDocument } from '../bson/decode.js';
import { encodeDocument } from '../bson/encode.js';
import { type Doc, isDoc, Regex, typeName, type Value } from '../bson/values.js';
import { CommandError, codes } from '../errors/errors.js';
import type { Match } from '../planning/scan.js';
import type { Filter } from '../query/filter.js';
import { type MatchDetails, matches } from '../query/match.js';
import type { Collection } from '../storage/collection.js';
import { applyUpdate, checkFieldName, type Update } from '../update/update.js';
import { upsertSeed } from '../update/upsert.js';
import type { CommandContext } from './command.js';
import { newObjectId } from './object-ids.js';

/** Stores a document, giving it an `_id` first if it has none. */
export function insertDocument(
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
  const complete: Doc = new Map([['_id', id === undefined ? newObjectId(context.clock.now()) : id]]);
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

/** Applies an update to a document that the filter matched and stores it if that changed anything. */
export function modify(
  collection: Collection,
  match: Match,
  filter: Filter,
  change: Update,
  context: CommandContext,
): { before: Doc; after: Doc; changed: boolean } {
  const details: MatchDetails = {};
  matches(filter, match.doc, details);
  const before = decodeDocument(match.bytes);
  const after = applyUpdate(change, match.doc, {
    arrayIndex: details.arrayIndex,
    inserting: false,
    now: context.clock.now(),
  });
  const bytes = encodeDocument(after);
  if (bytes.equals(match.bytes)) return { before, after, changed: false };
  collection.replace(match.id, before, after, bytes);
  return { before, after, changed: true };
}

/** Stores the document that an upsert makes of its filter and its update. */
export function insertUpsert(
  collection: Collection,
  query: Doc,
  change: Update,
  context: CommandContext,
): Doc {
  const seed = upsertSeed(query, change.kind === 'replacement');
  const after = applyUpdate(change, seed, {
    arrayIndex: undefined,
    inserting: true,
    now: context.clock.now(),
  });
  return insertDocument(collection, after, undefined, context);
}
