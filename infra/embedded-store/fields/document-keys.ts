import { type Doc, isDoc, type Maybe, type Value } from '../bson/values.js';
import { EMPTY_ARRAY, encodeKey, type KeyPart } from '../bson-order/keys.js';
import { CommandError, codes } from '../errors/errors.js';
import type { Path } from './path.js';

/** What a document leaves in one index. */
export interface DocumentKeys {
  readonly keys: readonly Buffer[];
  /** Bit n is set when field n of the index met an array, so that one document can have several keys. */
  readonly multikey: number;
  /** No indexed field is present at all: a sparse index leaves such a document out. */
  readonly allMissing: boolean;
  /** The values of each key, in the order of `keys`. */
  readonly rows: readonly (readonly KeyPart[])[];
}

/**
 * Returns the keys of a document under an index: one for each array element, null for a missing field, and a mark of
 * its own for an empty array. Only one field of a compound index may be an array (CannotIndexParallelArrays).
 * Fields that walk through the same array take their values from the same element.
 */
export function documentKeys(doc: Doc, paths: readonly Path[], directions: readonly number[]): DocumentKeys {
  const state = { multikey: 0, present: false };
  const rows = expand(
    paths.map((path) => ({ node: doc as Maybe, path, depth: 0 })),
    paths,
    state,
  );
  const result = { multikey: state.multikey, allMissing: !state.present };
  if (rows.length === 1) return { ...result, keys: [encodeKey(rows[0] as KeyPart[], directions)], rows };
  const unique = new Map<string, { key: Buffer; row: KeyPart[] }>();
  for (const row of rows) {
    const key = encodeKey(row, directions);
    unique.set(key.toString('latin1'), { key, row });
  }
  const entries = [...unique.values()];
  return { ...result, keys: entries.map(({ key }) => key), rows: entries.map(({ row }) => row) };
}

interface Cursor {
  readonly node: Maybe;
  readonly path: Path;
  readonly depth: number;
}

/** Walks all fields together until an array stops them, then once more for each of its elements. */
function expand(
  cursors: readonly Cursor[],
  paths: readonly Path[],
  state: { multikey: number; present: boolean },
): KeyPart[][] {
  const walked = cursors.map(walk);
  const array = walked.find((cursor) => Array.isArray(cursor.node) && !isDone(cursor))?.node ?? undefined;
  if (array === undefined) return [walked.map((cursor) => leaf(cursor, state))];
  const items = array as Value[];
  const affected = walked.map((cursor) => cursor.node === array);
  affected.forEach((hit, index) => {
    if (hit) state.multikey |= 1 << index;
  });
  const parallel = walked.findIndex(
    (cursor, index) => Array.isArray(cursor.node) && !isDone(cursor) && !affected[index],
  );
  if (parallel >= 0) {
    const one = paths[affected.indexOf(true)]?.at(-1);
    throw new CommandError(
      codes.CannotIndexParallelArrays,
      `cannot index parallel arrays [${paths[parallel]?.at(-1)}] [${one}]`,
    );
  }
  if (items.length === 0) {
    return [
      walked.map((cursor, index) => {
        if (!affected[index]) return leaf(cursor, state);
        if (cursor.depth < cursor.path.length) return null;
        state.present = true;
        return EMPTY_ARRAY;
      }),
    ];
  }
  return items.flatMap((item) =>
    expand(
      walked.map((cursor, index) => {
        if (!affected[index]) return cursor;
        if (cursor.depth === cursor.path.length) return { ...cursor, node: item, depth: DONE };
        return { ...cursor, node: isDoc(item) ? item : undefined };
      }),
      paths,
      state,
    ),
  );
}

/** Depth of a field whose value is an array's element and is taken as it is, even when it is an array too. */
const DONE = -1;

function isDone(cursor: Cursor): boolean {
  return cursor.depth === DONE;
}

function walk(cursor: Cursor): Cursor {
  if (isDone(cursor)) return cursor;
  let { node, depth } = cursor;
  while (depth < cursor.path.length && isDoc(node)) {
    node = node.get(cursor.path[depth] as string);
    depth++;
  }
  if (depth < cursor.path.length && !Array.isArray(node)) return { ...cursor, node: undefined, depth: DONE };
  return { ...cursor, node, depth };
}

function leaf(cursor: Cursor, state: { present: boolean }): KeyPart {
  if (cursor.node === undefined) return null;
  state.present = true;
  return cursor.node;
}
