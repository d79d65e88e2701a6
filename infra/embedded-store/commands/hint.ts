import { isDoc, type Value } from '../bson/values.js';
import { CommandError, codes } from '../errors/errors.js';
import type { Collection } from '../storage/collection.js';
import { sameKey } from '../storage/index-spec.js';

/**
 * Checks that a hint names an index that exists, as MongoDB does. The planner picks by itself what reads least:
 * a hint changes which index is used, never the answer.
 */
export function checkHint(collection: Collection | undefined, hint: Value | undefined): void {
  if (collection === undefined || hint === undefined) return;
  if (isDoc(hint) && (hint.size === 0 || hint.has('$natural'))) return;
  const known = collection.indexes.some(({ spec }) =>
    isDoc(hint) ? sameKey(spec.key, hint) : spec.name === hint,
  );
  if (!known)
    throw new CommandError(codes.BadValue, 'hint provided does not correspond to an existing index');
}
