import { CommandError, codes } from '../errors/errors.js';
import {
  Binary,
  Code,
  Decimal128,
  type Doc,
  Double,
  Int32,
  isDoc,
  MaxKey,
  MinKey,
  ObjectId,
  Regex,
  Timestamp,
  UtcDate,
  type Value,
} from './values.js';

/** A document that is BSON bytes already and is copied into its place as it is. */
export class RawDocument {
  constructor(readonly bytes: Uint8Array) {}
}

/** What a reply may hold: BSON values, raw documents, and plain objects, arrays and numbers for brevity. */
export type Encodable =
  | Value
  | RawDocument
  | number
  | undefined
  | Encodable[]
  | { [name: string]: Encodable };
export type EncodableDocument = Doc | RawDocument | { [name: string]: Encodable };

let scratch = Buffer.allocUnsafe(64 * 1024);
let at = 0;

/**
 * Encodes a document to BSON bytes that the caller owns. Fields that are undefined are left out.
 * @param ahead so many zeros come before it, for a header
 */
export function encodeDocument(document: EncodableDocument, ahead = 0): Buffer {
  at = 0;
  room(ahead);
  scratch.fill(0, 0, ahead);
  at = ahead;
  writeDocument(document);
  return Buffer.from(scratch.subarray(0, at));
}

function room(bytes: number): void {
  if (at + bytes <= scratch.length) return;
  const larger = Buffer.allocUnsafe(Math.max(scratch.length * 2, at + bytes));
  scratch.copy(larger, 0, 0, at);
  scratch = larger;
}

function writeDocument(document: EncodableDocument): void {
  if (document instanceof RawDocument) {
    room(document.bytes.length);
    scratch.set(document.bytes, at);
    at += document.bytes.length;
    return;
  }
  const start = open();
  if (isDoc(document)) {
    for (const [name, value] of document) writeField(name, value);
  } else {
    for (const name of Object.keys(document)) {
      const value = document[name];
      if (value !== undefined) writeField(name, value);
    }
  }
  close(start);
}

function open(): number {
  room(4);
  const start = at;
  at += 4;
  return start;
}

function close(start: number): void {
  room(1);
  scratch[at++] = 0;
  scratch.writeInt32LE(at - start, start);
}

function writeCstring(text: string): void {
  room(text.length * 3 + 1);
  const length = scratch.write(text, at, 'utf8');
  if (text.includes('\0')) throw new CommandError(codes.BadValue, 'a field name holds a null byte');
  at += length;
  scratch[at++] = 0;
}

function writeString(text: string): void {
  room(text.length * 3 + 5);
  const length = scratch.write(text, at + 4, 'utf8');
  scratch.writeInt32LE(length + 1, at);
  at += 4 + length;
  scratch[at++] = 0;
}

function header(type: number, name: string, payload: number): void {
  room(1);
  scratch[at++] = type;
  writeCstring(name);
  room(payload);
}

function writeField(name: string, value: Encodable): void {
  if (typeof value === 'string') {
    header(0x02, name, 0);
    writeString(value);
  } else if (value === null || value === undefined) {
    header(0x0a, name, 0);
  } else if (typeof value === 'boolean') {
    header(0x08, name, 1);
    scratch[at++] = value ? 1 : 0;
  } else if (typeof value === 'number') {
    if (Number.isInteger(value) && value === (value | 0)) writeInt32(name, value);
    else writeDouble(name, value);
  } else if (typeof value === 'bigint') {
    header(0x12, name, 8);
    scratch.writeBigInt64LE(value, at);
    at += 8;
  } else if (value instanceof Int32) {
    writeInt32(name, value.value);
  } else if (value instanceof Double) {
    writeDouble(name, value.value);
  } else if (Array.isArray(value)) {
    header(0x04, name, 0);
    const start = open();
    for (let index = 0; index < value.length; index++) writeField(String(index), value[index]);
    close(start);
  } else if (isDoc(value) || value instanceof RawDocument) {
    header(0x03, name, 0);
    writeDocument(value);
  } else if (value instanceof ObjectId) {
    header(0x07, name, 12);
    writeBytes(value.bytes);
  } else if (value instanceof UtcDate) {
    header(0x09, name, 8);
    scratch.writeBigInt64LE(BigInt(value.millis), at);
    at += 8;
  } else if (value instanceof Decimal128) {
    header(0x13, name, 16);
    writeBytes(value.bytes);
  } else if (value instanceof Binary) {
    header(0x05, name, 5 + value.bytes.length);
    scratch.writeInt32LE(value.bytes.length, at);
    scratch[at + 4] = value.subtype;
    at += 5;
    writeBytes(value.bytes);
  } else if (value instanceof Timestamp) {
    header(0x11, name, 8);
    scratch.writeBigUInt64LE(value.value, at);
    at += 8;
  } else if (value instanceof Regex) {
    header(0x0b, name, 0);
    writeCstring(value.pattern);
    writeCstring(value.options);
  } else if (value instanceof Code) {
    writeCode(name, value);
  } else if (value instanceof MinKey) {
    header(0xff, name, 0);
  } else if (value instanceof MaxKey) {
    header(0x7f, name, 0);
  } else {
    header(0x03, name, 0);
    writeDocument(value);
  }
}

function writeInt32(name: string, value: number): void {
  header(0x10, name, 4);
  scratch.writeInt32LE(value, at);
  at += 4;
}

function writeDouble(name: string, value: number): void {
  header(0x01, name, 8);
  scratch.writeDoubleLE(value, at);
  at += 8;
}

function writeBytes(bytes: Uint8Array): void {
  scratch.set(bytes, at);
  at += bytes.length;
}

function writeCode(name: string, value: Code): void {
  if (value.scope === undefined) {
    header(0x0d, name, 0);
    writeString(value.code);
    return;
  }
  header(0x0f, name, 0);
  const start = open();
  writeString(value.code);
  writeDocument(value.scope);
  scratch.writeInt32LE(at - start, start);
}
