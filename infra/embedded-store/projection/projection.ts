import type { Doc } from '../bson/values.js';
import { type Doc as Document, isDoc, isNumber, type Value } from '../bson/values.js';
import { toDouble } from '../bson-order/numbers.js';
import { notSupported } from '../errors.js';

export type Projection = (doc: Doc) => Doc;

/** Inclusion or exclusion of top-level fields. */
export function parseProjection(spec: Doc): Projection | undefined {
  if (spec.size === 0) return undefined;
  const flags = [...spec].map(([name, value]) => [name, flag(name, value)] as const);
  const including =
    flags.some(([name, on]) => name !== '_id' && on) || (flags.length === 1 && flags[0]?.[1] === true);
  const on = new Map(flags);
  return (doc) => {
    const result: Document = new Map();
    for (const [name, value] of doc) {
      const wanted = on.get(name) ?? (name === '_id' ? true : !including);
      if (wanted) result.set(name, value);
    }
    return result;
  };
}

function flag(name: string, value: Value): boolean {
  if (typeof value === 'boolean') return value;
  if (isNumber(value) && !name.includes('.')) return toDouble(value) !== 0;
  throw notSupported(`the projection of '${name}'${isDoc(value) ? '' : ''}`);
}
