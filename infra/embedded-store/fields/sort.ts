import { type Doc, isDoc, isNumber } from '../bson/values.js';
import { toDouble } from '../bson-order/numbers.js';
import { CommandError, codes, notSupported } from '../errors/errors.js';
import { documentKeys } from './document-keys.js';
import { type Path, splitPath } from './path.js';

/** A sort order: paths with a direction each, 1 ascending and -1 descending. */
export interface SortOrder {
  readonly paths: readonly Path[];
  readonly directions: readonly number[];
}

export function parseSort(document: Doc): SortOrder | undefined {
  if (document.size === 0) return undefined;
  if (document.size > 32) throw new CommandError(codes.BadValue, 'too many sort keys');
  const paths: Path[] = [];
  const directions: number[] = [];
  for (const [name, value] of document) {
    if (isDoc(value))
      throw notSupported(`the sort by ${[...value.keys()].join(', ')} of '${name}'`, codes.BadValue);
    const direction = isNumber(value) ? toDouble(value) : 0;
    if (direction !== 1 && direction !== -1) {
      throw new CommandError(15975, '$sort key ordering must be 1 (for ascending) or -1 (for descending)');
    }
    if (name === '$natural') throw notSupported('a sort by $natural', codes.BadValue);
    const path = splitPath(name);
    if (path.includes('')) throw new CommandError(15998, 'FieldPath field names may not be empty strings.');
    if (name.startsWith('$')) throw new CommandError(16410, 'FieldPath field names may not start with $.');
    paths.push(path);
    directions.push(direction);
  }
  return { paths, directions };
}

/**
 * Encodes a document's place in the order as bytes: of an array the lowest element counts when ascending and the
 * highest when descending, an empty array is below null, a missing field equals null.
 */
export function sortKey(order: SortOrder, doc: Doc): Buffer {
  try {
    const { keys } = documentKeys(doc, order.paths, order.directions);
    return keys.reduce((lowest, key) => (Buffer.compare(key, lowest) < 0 ? key : lowest));
  } catch (error) {
    if (error instanceof CommandError && error.code === codes.CannotIndexParallelArrays) {
      throw new CommandError(codes.BadValue, 'cannot sort with keys that are parallel arrays');
    }
    throw error;
  }
}

/** Sorts items stably by the documents they carry; with a limit only the first of them are kept. */
export function sortBy<T>(
  items: Iterable<T>,
  order: SortOrder,
  docOf: (item: T) => Doc,
  limit = Infinity,
): T[] {
  let keyed: { key: Buffer; item: T; at: number }[] = [];
  let count = 0;
  const bound = limit === Infinity ? Infinity : Math.max(limit * 2, 1000);
  for (const item of items) {
    keyed.push({ key: sortKey(order, docOf(item)), item, at: count++ });
    if (keyed.length > bound) keyed = keyed.sort(byKey).slice(0, limit);
  }
  keyed.sort(byKey);
  return (limit === Infinity ? keyed : keyed.slice(0, limit)).map(({ item }) => item);
}

function byKey(a: { key: Buffer; at: number }, b: { key: Buffer; at: number }): number {
  return Buffer.compare(a.key, b.key) || a.at - b.at;
}
