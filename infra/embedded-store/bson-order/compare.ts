import {
  Binary,
  Code,
  type Doc,
  isDoc,
  isNumber,
  MaxKey,
  type Maybe,
  MinKey,
  ObjectId,
  Regex,
  Timestamp,
  UtcDate,
  type Value,
} from '../bson/values.js';
import { compareNumbers } from './numbers.js';

/**
 * Rank of a value's type in BSON order; types that share a rank compare by value.
 * Source: MongoDB's manual, "Comparison/Sort Order".
 */
export const rank = {
  minKey: 0x10,
  /** What an empty array counts as when it is sorted or indexed. */
  emptyArray: 0x14,
  null: 0x18,
  number: 0x20,
  string: 0x28,
  object: 0x30,
  array: 0x38,
  binary: 0x40,
  objectId: 0x48,
  boolean: 0x50,
  date: 0x58,
  timestamp: 0x60,
  regex: 0x68,
  code: 0x78,
  codeWithScope: 0x80,
  maxKey: 0xe0,
} as const;

export function rankOf(value: Value): number {
  if (value === null) return rank.null;
  if (typeof value === 'string') return rank.string;
  if (typeof value === 'boolean') return rank.boolean;
  if (isNumber(value)) return rank.number;
  if (value instanceof ObjectId) return rank.objectId;
  if (value instanceof UtcDate) return rank.date;
  if (Array.isArray(value)) return rank.array;
  if (isDoc(value)) return rank.object;
  if (value instanceof Binary) return rank.binary;
  if (value instanceof Timestamp) return rank.timestamp;
  if (value instanceof Regex) return rank.regex;
  if (value instanceof MinKey) return rank.minKey;
  if (value instanceof MaxKey) return rank.maxKey;
  return value.scope === undefined ? rank.code : rank.codeWithScope;
}

/** Compares two values in BSON order: below zero, zero or above. A missing value sorts as null. */
export function compare(left: Maybe, right: Maybe): number {
  const a = left ?? null;
  const b = right ?? null;
  const ranks = rankOf(a) - rankOf(b);
  if (ranks !== 0) return ranks;
  if (a === null || a === b) return 0;
  if (typeof a === 'string') return compareText(a, b as string);
  if (typeof a === 'boolean') return Number(a) - Number(b);
  if (isNumber(a)) return compareNumbers(a, b as typeof a);
  if (a instanceof ObjectId) return Buffer.compare(a.bytes, (b as ObjectId).bytes);
  if (a instanceof UtcDate) return a.millis - (b as UtcDate).millis;
  if (Array.isArray(a)) return compareArrays(a, b as Value[]);
  if (isDoc(a)) return compareDocs(a, b as Doc);
  if (a instanceof Binary) return compareBinary(a, b as Binary);
  if (a instanceof Timestamp) return compareBig(a.value, (b as Timestamp).value);
  if (a instanceof Regex) {
    return compareText(a.pattern, (b as Regex).pattern) || compareText(a.options, (b as Regex).options);
  }
  if (a instanceof Code) {
    const other = b as Code;
    return (
      compareText(a.code, other.code) || (a.scope && other.scope ? compareDocs(a.scope, other.scope) : 0)
    );
  }
  return 0; // MinKey and MaxKey
}

/** Compares by BSON equality: numbers by value whatever their type, documents with their fields in the same order. */
export function equal(a: Maybe, b: Maybe): boolean {
  return compare(a, b) === 0;
}

/** Strings compare by their UTF-8 bytes, which is the order of code points and not that of UTF-16 units. */
export function compareText(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length);
  for (let index = 0; index < shorter; index++) {
    const x = a.charCodeAt(index);
    const y = b.charCodeAt(index);
    if (x !== y) return surrogatesLast(x) - surrogatesLast(y);
  }
  return a.length - b.length;
}

function surrogatesLast(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

function compareBig(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function compareBinary(a: Binary, b: Binary): number {
  return a.bytes.length - b.bytes.length || a.subtype - b.subtype || Buffer.compare(a.bytes, b.bytes);
}

function compareArrays(a: Value[], b: Value[]): number {
  const shorter = Math.min(a.length, b.length);
  for (let index = 0; index < shorter; index++) {
    const order = compare(a[index], b[index]);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

function compareDocs(a: Doc, b: Doc): number {
  const others = b.entries();
  for (const [name, value] of a) {
    const next = others.next();
    if (next.done) return 1;
    const [otherName, otherValue] = next.value;
    const order =
      rankOf(value) - rankOf(otherValue) || compareText(name, otherName) || compare(value, otherValue);
    if (order !== 0) return order;
  }
  return others.next().done ? 0 : -1;
}
