import { Decimal128 } from 'bson';

/**
 * BSON values as the store holds them. Every BSON type has a JavaScript type of its own, so that nothing is
 * lost between wire, memory and disk: int32, int64 (bigint), double and decimal128 stay apart, and documents
 * are Maps, which keep field order even for names such as "1" and have no `__proto__` trap.
 * Source of types and order: https://bsonspec.org and MongoDB's manual, "BSON Types".
 */
export type Value =
  | null
  | boolean
  | string
  | bigint
  | Double
  | Int32
  | Decimal128
  | ObjectId
  | UtcDate
  | Binary
  | Timestamp
  | Regex
  | Code
  | MinKey
  | MaxKey
  | Value[]
  | Doc;

/** A BSON document: field name to value, in field order. */
export interface Doc extends Map<string, Value> {}

/** The absence of a value: a missing field, which is not the same as null. */
export type Maybe = Value | undefined;

export type NumberValue = Int32 | Double | bigint | Decimal128;

export { Decimal128 };

export class Double {
  constructor(readonly value: number) {}
}

export class Int32 {
  constructor(readonly value: number) {}
}

/** Twelve bytes. */
export class ObjectId {
  constructor(readonly bytes: Buffer) {}
  hex(): string {
    return this.bytes.toString('hex');
  }
}

/** A point in time in milliseconds since 1970-01-01T00:00Z. */
export class UtcDate {
  constructor(readonly millis: number) {}
}

export class Binary {
  constructor(
    readonly subtype: number,
    readonly bytes: Buffer,
  ) {}
}

/** MongoDB's internal timestamp: seconds in the high 32 bits, an increment in the low ones. */
export class Timestamp {
  constructor(readonly value: bigint) {}
}

export class Regex {
  constructor(
    readonly pattern: string,
    readonly options: string,
  ) {}
}

/** JavaScript code: stored and compared, never run. */
export class Code {
  constructor(
    readonly code: string,
    readonly scope?: Doc,
  ) {}
}

export class MinKey {
  static readonly instance = new MinKey();
  readonly type = 'minKey';
  private constructor() {}
}

export class MaxKey {
  static readonly instance = new MaxKey();
  readonly type = 'maxKey';
  private constructor() {}
}

export function isDoc(value: unknown): value is Doc {
  return value instanceof Map;
}

export function isNumber(value: Maybe): value is NumberValue {
  return (
    value instanceof Int32 ||
    value instanceof Double ||
    typeof value === 'bigint' ||
    value instanceof Decimal128
  );
}

/** Names a value's type as `$type` and MongoDB's error messages write it. */
export function typeName(value: Maybe): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  if (typeof value === 'string') return 'string';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'bigint') return 'long';
  if (value instanceof Int32) return 'int';
  if (value instanceof Double) return 'double';
  if (value instanceof Decimal128) return 'decimal';
  if (value instanceof ObjectId) return 'objectId';
  if (value instanceof UtcDate) return 'date';
  if (value instanceof Binary) return 'binData';
  if (value instanceof Timestamp) return 'timestamp';
  if (value instanceof Regex) return 'regex';
  if (value instanceof Code) return value.scope ? 'javascriptWithScope' : 'javascript';
  if (value instanceof MinKey) return 'minKey';
  if (value instanceof MaxKey) return 'maxKey';
  if (Array.isArray(value)) return 'array';
  return 'object';
}
