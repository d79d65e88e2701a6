import { Binary, Int32, isNumber, typeName, type Value } from '../bson/values.js';
import { integer, truncated } from '../bson-order/integers.js';
import { compareNumbers, toDouble } from '../bson-order/numbers.js';
import { CommandError, codes } from '../errors/errors.js';
import type { Test } from './filter.js';

const TYPE_NUMBERS: ReadonlyMap<number, string> = new Map([
  [1, 'double'],
  [2, 'string'],
  [3, 'object'],
  [4, 'array'],
  [5, 'binData'],
  [6, 'undefined'],
  [7, 'objectId'],
  [8, 'bool'],
  [9, 'date'],
  [10, 'null'],
  [11, 'regex'],
  [12, 'dbPointer'],
  [13, 'javascript'],
  [14, 'symbol'],
  [15, 'javascriptWithScope'],
  [16, 'int'],
  [17, 'timestamp'],
  [18, 'long'],
  [19, 'decimal'],
  [-1, 'minKey'],
  [127, 'maxKey'],
]);
const TYPE_NAMES: ReadonlySet<string> = new Set(TYPE_NUMBERS.values());
const NUMBER_TYPES = ['int', 'long', 'double', 'decimal'];

/** Parses `$type`: one name or number, or an array of them; "number" stands for all four numeric types. */
export function typeTest(operand: Value): Test {
  const wanted = new Set((Array.isArray(operand) ? operand : [operand]).flatMap(typeNames));
  if (wanted.size === 0) throw new CommandError(codes.FailedToParse, '$type must match at least one type');
  return { kind: 'value', accepts: (value) => wanted.has(typeName(value)) };
}

function typeNames(operand: Value): string[] {
  if (typeof operand === 'string') {
    if (operand === 'number') return NUMBER_TYPES;
    if (TYPE_NAMES.has(operand)) return [operand];
    throw new CommandError(codes.BadValue, `Unknown type name alias: ${operand}`);
  }
  if (!isNumber(operand)) {
    throw new CommandError(codes.TypeMismatch, 'type must be represented as a number or a string');
  }
  const name = TYPE_NUMBERS.get(toDouble(operand));
  if (name === undefined)
    throw new CommandError(codes.BadValue, `Invalid numerical type code: ${toDouble(operand)}`);
  return [name];
}

export function sizeOperand(operand: Value): number {
  const size = integer(operand);
  if (size === undefined) {
    throw new CommandError(codes.FailedToParse, 'Failed to parse $size. Expected an integer');
  }
  if (size < 0n) {
    throw new CommandError(codes.BadValue, 'Failed to parse $size. Expected a non-negative number');
  }
  return Number(size);
}

/** Parses `$mod: [divisor, remainder]`: fractions are cut off on both sides. */
export function modTest(operand: Value): Test {
  if (!Array.isArray(operand)) throw new CommandError(codes.BadValue, 'malformed mod, needs to be an array');
  if (operand.length < 2) throw new CommandError(codes.BadValue, 'malformed mod, not enough elements');
  if (operand.length > 2) throw new CommandError(codes.BadValue, 'malformed mod, too many elements');
  const [first, second] = operand;
  if (!isNumber(first)) throw new CommandError(codes.BadValue, 'malformed mod, divisor not a number');
  if (!isNumber(second)) throw new CommandError(codes.BadValue, 'malformed mod, remainder not a number');
  const divisor = truncated(first);
  const remainder = truncated(second);
  if (divisor === undefined)
    throw new CommandError(codes.BadValue, 'malformed mod, divisor value is invalid');
  if (remainder === undefined)
    throw new CommandError(codes.BadValue, 'malformed mod, remainder value is invalid');
  if (divisor === 0n) throw new CommandError(codes.BadValue, 'divisor cannot be 0');
  return {
    kind: 'value',
    accepts: (value) => {
      if (!isNumber(value)) return false;
      const dividend = truncated(value);
      return dividend !== undefined && dividend % divisor === remainder;
    },
  };
}

/**
 * Parses `$bitsAllSet` and its kin over integers (two's complement) and binary data (bit 0 is the first byte's
 * lowest).
 */
export function bitsTest(operator: string, operand: Value): Test {
  const bits = bitPositions(operator, operand);
  const all = operator === '$bitsAllSet' || operator === '$bitsAllClear';
  const wanted = operator === '$bitsAllSet' || operator === '$bitsAnySet';
  return {
    kind: 'value',
    accepts: (value) => {
      const isSet = bitReader(value);
      if (isSet === undefined) return false;
      return all ? bits.every((bit) => isSet(bit) === wanted) : bits.some((bit) => isSet(bit) === wanted);
    },
  };
}

function bitReader(value: Value): ((bit: number) => boolean) | undefined {
  if (value instanceof Binary) {
    return (bit) => (((value.bytes[bit >> 3] ?? 0) >> (bit & 7)) & 1) === 1;
  }
  const whole = integer(value);
  if (whole === undefined || BigInt.asIntN(64, whole) !== whole) return undefined;
  return (bit) => ((whole >> BigInt(Math.min(bit, 63))) & 1n) === 1n;
}

function bitPositions(operator: string, operand: Value): number[] {
  if (Array.isArray(operand)) {
    return operand.map((item) => {
      const position = integer(item);
      if (position === undefined) {
        throw new CommandError(
          codes.FailedToParse,
          `Failed to parse bit position. Expected an integer in ${operator}`,
        );
      }
      if (position < 0n || position > 0x7fffffffn) {
        throw new CommandError(codes.BadValue, `bit positions in ${operator} must be >= 0 and 32-bit`);
      }
      return Number(position);
    });
  }
  const reader = operand instanceof Binary ? bitReader(operand) : undefined;
  if (operand instanceof Binary && reader) {
    return Array.from({ length: operand.bytes.length * 8 }, (_, bit) => bit).filter(reader);
  }
  const mask = integer(operand);
  if (mask === undefined) {
    throw new CommandError(codes.BadValue, `${operator} takes an Array, a number, or a BinData`);
  }
  if (mask < 0n || compareNumbers(new Int32(0), mask) > 0) {
    throw new CommandError(
      codes.FailedToParse,
      `Failed to parse ${operator}. Expected a non-negative number`,
    );
  }
  return Array.from({ length: 64 }, (_, bit) => bit).filter((bit) => ((mask >> BigInt(bit)) & 1n) === 1n);
}
