import { isDeepStrictEqual } from 'node:util';

/** A field that differs between two versions; undefined where a version has it not. */
export interface Difference {
  /** The names of the field and of the objects that it is in, with dots: `turn_taking.min_endpointing_ms`. */
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Returns the fields in which two JSON values differ, in the order of their names. Objects are compared field by
 * field; lists are one value, as they are when an agent is changed. Pure.
 */
export function differences(before: unknown, after: unknown, path = ''): Difference[] {
  if (isDeepStrictEqual(before, after)) return [];
  if (!isObject(before) || !isObject(after)) return [{ path, before, after }];
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return names.flatMap((name) =>
    differences(before[name], after[name], path === '' ? name : `${path}.${name}`),
  );
}
