import {
  Binary,
  Code,
  type Doc,
  isDoc,
  isNumber,
  type NumberValue,
  ObjectId,
  Regex,
  Timestamp,
  UtcDate,
  type Value,
} from '../bson/values.js';
import { rank, rankOf } from './compare.js';
import {
  asDouble,
  compareParsed,
  type Exact,
  exactDouble,
  floorDouble,
  parseNumber,
  scaled,
} from './numbers.js';

/**
 * Index keys as bytes whose memcmp order is BSON order, so that SQLite keeps and scans them as plain blobs.
 * A key is the concatenation of its fields; every field starts with its type's rank (0x10 to 0xe0) and no
 * field is a prefix of another, so a descending field is its bytes inverted, and `above(prefix)` is higher
 * than every key that starts with the prefix.
 */
const END = 0x00;
let scratch = Buffer.allocUnsafe(4096);
let at = 0;

/** The value of an index field: a BSON value, or the mark that an empty array leaves in an index. */
export type KeyPart = Value | typeof EMPTY_ARRAY;
export const EMPTY_ARRAY: unique symbol = Symbol('empty array');

/** Encodes a key of one part for each direction: 1 ascending, -1 descending. */
export function encodeKey(parts: readonly KeyPart[], directions: readonly number[]): Buffer {
  at = 0;
  for (let index = 0; index < parts.length; index++) {
    const start = at;
    const part = parts[index] as KeyPart;
    if (part === EMPTY_ARRAY) byte(rank.emptyArray);
    else writeValue(part);
    if (directions[index] === -1) invert(start);
  }
  return Buffer.from(scratch.subarray(0, at));
}

/** Returns the lowest bytes above every key that starts with `prefix`. */
export function above(prefix: Buffer): Buffer {
  return Buffer.concat([prefix, Buffer.of(0xff)]);
}

/** Returns the bytes that every value of a type's rank starts with. */
export function rankPrefix(typeRank: number, direction: number): Buffer {
  return Buffer.of(direction === -1 ? ~typeRank & 0xff : typeRank);
}

function invert(start: number): void {
  for (let index = start; index < at; index++) scratch[index] = ~(scratch[index] as number) & 0xff;
}

function room(bytes: number): void {
  if (at + bytes <= scratch.length) return;
  const larger = Buffer.allocUnsafe(Math.max(scratch.length * 2, at + bytes));
  scratch.copy(larger, 0, 0, at);
  scratch = larger;
}

function byte(value: number): void {
  room(1);
  scratch[at++] = value;
}

function writeValue(value: Value): void {
  byte(rankOf(value));
  writePayload(value);
}

function writePayload(value: Value): void {
  if (typeof value === 'string') writeText(value);
  else if (typeof value === 'boolean') byte(value ? 1 : 0);
  else if (isNumber(value)) writeNumber(value);
  else if (value instanceof ObjectId) writeBytes(value.bytes);
  else if (value instanceof UtcDate) writeUint64(BigInt(value.millis) + 0x8000000000000000n);
  else if (value instanceof Timestamp) writeUint64(value.value);
  else if (Array.isArray(value)) {
    for (const item of value) writeValue(item);
    byte(END);
  } else if (isDoc(value)) writeDoc(value);
  else if (value instanceof Binary) {
    room(5);
    scratch.writeUInt32BE(value.bytes.length, at);
    scratch[at + 4] = value.subtype;
    at += 5;
    writeBytes(value.bytes);
  } else if (value instanceof Regex) {
    writeText(value.pattern);
    writeText(value.options);
  } else if (value instanceof Code) {
    writeText(value.code);
    if (value.scope !== undefined) writeDoc(value.scope);
  }
}

/**
 * Writes a document, which compares field by field: type, then name, then value; a document that ends first is
 * lower.
 */
function writeDoc(doc: Doc): void {
  for (const [name, value] of doc) {
    byte(rankOf(value));
    writeText(name);
    writePayload(value);
  }
  byte(END);
}

function writeBytes(bytes: Uint8Array): void {
  room(bytes.length);
  scratch.set(bytes, at);
  at += bytes.length;
}

/** Writes UTF-8 with each zero byte as 00 ff, ended by 00 01. */
function writeText(text: string): void {
  room(text.length * 3 + 2);
  if (text.includes('\0')) {
    for (const unit of Buffer.from(text, 'utf8')) {
      byte(unit);
      if (unit === 0) byte(0xff);
    }
    room(2);
  } else {
    at += scratch.write(text, at, 'utf8');
  }
  scratch[at++] = 0x00;
  scratch[at++] = 0x01;
}

function writeUint64(value: bigint): void {
  room(8);
  scratch.writeBigUInt64BE(value, at);
  at += 8;
}

/**
 * Writes eight bytes of the largest double that is not above the number, then 00 if it is the number itself, else 01
 * and how far the number is above it. Nearly every number takes nine bytes; the rest stay exact.
 */
function writeNumber(value: NumberValue): void {
  const double = asDouble(value);
  if (double !== undefined) {
    writeDouble(double, true);
    return;
  }
  const exact = parseNumber(value);
  if (typeof exact === 'string') {
    writeDouble(Number(exact), true);
    return;
  }
  const floor = floorDouble(exact);
  const parsed = exactDouble(floor);
  const isFloor = compareParsed(parsed, exact) === 0;
  writeDouble(floor, isFloor);
  if (isFloor) return;
  // Below the lowest double the floor is -Infinity, from which nothing has a distance: take a fixed mark below
  // every decimal128 instead (their largest exponent is 6111, with 34 digits).
  writeDistance(exact, typeof parsed === 'string' ? { digits: -1n, exponent: 6200 } : parsed);
}

function writeDouble(double: number, exact: boolean): void {
  room(9);
  if (Number.isNaN(double)) {
    scratch.fill(0, at, at + 8);
  } else {
    scratch.writeDoubleBE(double === 0 ? 0 : double, at); // -0 equals 0
    if ((scratch[at] as number) & 0x80) {
      for (let index = at; index < at + 8; index++) scratch[index] = ~(scratch[index] as number) & 0xff;
    } else {
      scratch[at] = (scratch[at] as number) | 0x80;
    }
  }
  at += 8;
  scratch[at++] = exact ? 0 : 1;
}

/** Writes a positive exact distance: its power of ten (16 bits, offset), then its digits without trailing zeros. */
function writeDistance(value: Exact, floor: Exact): void {
  const exponent = Math.min(value.exponent, floor.exponent);
  const digits = (scaled(value, exponent) - scaled(floor, exponent)).toString();
  room(digits.length + 3);
  scratch.writeUInt16BE(digits.length + exponent + 0x8000, at);
  at += 2;
  at += scratch.write(digits.replace(/0+$/, ''), at, 'latin1');
  scratch[at++] = END;
}
