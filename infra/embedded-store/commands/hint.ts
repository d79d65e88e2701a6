import { isDoc, type Value } from '../bson/values.js';
import { CommandError, codes } from '../errors/errors.js';
import type { Collection, Index } from '../storage/collection.js';
import { sameKey } from '../storage/index-spec.js';

/**
 * Returns the index that a hint names; undefined without one. Throws where there is no such index, as MongoDB does. A
 * hint changes which index is used, never the answer: one that does not hold all matches is passed over.
 */
export function checkHint(collection: Collection | undefined, hint: Value | undefined): Index | undefined {
  if (collection === undefined || hint === undefined) return undefined;
  if (isDoc(hint) && (hint.size === 0 || hint.has('$natural'))) return undefined;
  const known = collection.indexes.find(({ spec }) =>
    isDoc(hint) ? sameKey(spec.key, hint) : spec.name === hint,
  );
  if (!known)
    throw new CommandError(codes.BadValue, 'hint provided does not correspond to an existing index');
  return known;
}
