import { type Doc, isDoc, type Maybe, type Value } from '../bson/values.js';

/** A dotted path, split: "a.0.b" is ["a", "0", "b"]. */
export type Path = readonly string[];

/** Sees one value that a path leads to; `index` is the place in the outermost array walked through. */
export type Visit = (value: Maybe, index: number | undefined) => boolean;

export function splitPath(path: string): Path {
  return path.split('.');
}

/** Checks whether a path component can be an array position. */
export function isPosition(component: string): boolean {
  return /^(0|[1-9]\d*)$/.test(component);
}

/**
 * Visits every value that a query path means, until one visit answers true. Arrays on the way are walked
 * through, a component that is a number also picks a position, and an array at the end (`leaf` "each") yields
 * its elements and then itself. A field that is not there yields undefined once, but elements of an array that
 * are not documents yield nothing. Source: MongoDB's manual, "Query an Array", "Query for Null or Missing".
 */
export function someAt(root: Doc, path: Path, leaf: 'each' | 'whole', visit: Visit): boolean {
  return walk(root, path, 0, leaf, undefined, visit);
}

function walk(
  root: Doc,
  path: Path,
  from: number,
  leaf: 'each' | 'whole',
  outer: number | undefined,
  visit: Visit,
): boolean {
  let node: Maybe = root;
  for (let depth = from; depth < path.length; depth++) {
    if (Array.isArray(node)) return walkArray(node, path, depth, leaf, outer, visit);
    if (!isDoc(node)) return visit(undefined, outer);
    node = node.get(path[depth] as string);
  }
  if (leaf === 'each' && Array.isArray(node)) {
    for (let index = 0; index < node.length; index++) {
      if (visit(node[index], outer ?? index)) return true;
    }
  }
  return visit(node, outer);
}

function walkArray(
  array: Value[],
  path: Path,
  depth: number,
  leaf: 'each' | 'whole',
  outer: number | undefined,
  visit: Visit,
): boolean {
  const component = path[depth] as string;
  for (let index = 0; index < array.length; index++) {
    const item = array[index] as Value;
    if (isDoc(item) && walk(item, path, depth, leaf, outer ?? index, visit)) return true;
    if (component !== String(index)) continue;
    if (depth + 1 === path.length) {
      if (visit(item, outer)) return true;
    } else if (isDoc(item)) {
      if (walk(item, path, depth + 1, leaf, outer, visit)) return true;
    } else if (Array.isArray(item)) {
      if (walkArray(item, path, depth + 1, leaf, outer, visit)) return true;
    }
  }
  return false;
}

/** Collects the values at a path as `distinct` and `$lookup` see them: arrays at its end give their elements. */
export function leafValues(root: Doc, path: Path): Value[] {
  const values: Value[] = [];
  someAt(root, path, 'whole', (value) => {
    if (Array.isArray(value)) values.push(...value);
    else if (value !== undefined) values.push(value);
    return false;
  });
  return values;
}
