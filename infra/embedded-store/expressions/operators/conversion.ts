import {
  Decimal128,
  Double,
  Int32,
  isNumber,
  type Maybe,
  ObjectId,
  Timestamp,
  typeName,
  UtcDate,
  type Value,
} from '../../bson/values.js';
import { decimal, toDecimal } from '../../bson-order/arithmetic.js';
import { truncated } from '../../bson-order/integers.js';
import { parseNumber, toDouble } from '../../bson-order/numbers.js';
import { CommandError, codes, notSupported } from '../../errors/errors.js';
import { type BuildOperator, type Expression, type ParseContext, truthy } from '../expression.js';
import { fixed, isNullish, namedArguments } from './operator.js';

type Target = 'int' | 'long' | 'double' | 'decimal' | 'string' | 'bool' | 'date' | 'objectId';
const TARGETS: Readonly<Record<Target, (value: Value) => Value>> = {
  int: (value) => new Int32(Number(toInteger(value, 'int', 32))),
  long: (value) => toInteger(value, 'long', 64),
  double: (value) => toFloating(value),
  decimal: (value) => toDecimalValue(value),
  string: (value) => toText(value),
  bool: (value) => truthy(value),
  date: (value) => toDate(value),
  objectId: (value) => toObjectId(value),
};
const TYPE_NUMBERS = new Map<number, Target>([
  [1, 'double'],
  [2, 'string'],
  [7, 'objectId'],
  [8, 'bool'],
  [9, 'date'],
  [16, 'int'],
  [18, 'long'],
  [19, 'decimal'],
]);

export const conversionOperators: readonly (readonly [string, BuildOperator])[] = [
  ['$toInt', simple('int')],
  ['$toLong', simple('long')],
  ['$toDouble', simple('double')],
  ['$toDecimal', simple('decimal')],
  ['$toString', simple('string')],
  ['$toBool', simple('bool')],
  ['$toDate', simple('date')],
  ['$toObjectId', simple('objectId')],
  ['$convert', convert],
];

function simple(target: Target): BuildOperator {
  return fixed(1, ([value]) => (isNullish(value) ? null : TARGETS[target](value)));
}

function convert(argument: Value, context: ParseContext, name: string): Expression {
  const args = namedArguments(argument, context, name, ['input', 'to'], ['onError', 'onNull']);
  return (scope) => {
    const input = args.get('input')?.(scope);
    const to = args.get('to')?.(scope);
    const onError = args.get('onError');
    if (isNullish(to)) return null;
    const target = targetOf(to);
    if (isNullish(input)) return args.get('onNull')?.(scope) ?? null;
    if (!onError) return TARGETS[target](input);
    try {
      return TARGETS[target](input);
    } catch (error) {
      if (error instanceof CommandError && error.code === codes.ConversionFailure) return onError(scope);
      throw error;
    }
  };
}

function targetOf(to: Value): Target {
  const name = isNumber(to) ? TYPE_NUMBERS.get(toDouble(to)) : to;
  if (typeof name === 'string' && name in TARGETS) return name as Target;
  throw new CommandError(codes.BadValue, `Unknown or unsupported type name in $convert: ${String(name)}`);
}

function failure(reason: string): CommandError {
  return new CommandError(codes.ConversionFailure, `${reason} in $convert with no onError value`);
}

function unsupported(value: Maybe, target: string): CommandError {
  return failure(`Unsupported conversion from ${typeName(value)} to ${target}`);
}

function toInteger(value: Value, target: 'int' | 'long', bits: number): bigint {
  const whole = integerPart(value, target);
  if (BigInt.asIntN(bits, whole) !== whole) throw failure('Conversion would overflow target type');
  return whole;
}

function integerPart(value: Value, target: 'int' | 'long'): bigint {
  if (typeof value === 'boolean') return value ? 1n : 0n;
  if (typeof value === 'string') {
    if (!/^[+-]?\d+$/.test(value)) throw failure(`Failed to parse number '${value}'`);
    return BigInt(value.replace('+', ''));
  }
  if (value instanceof UtcDate && target === 'long') return BigInt(value.millis);
  if (!isNumber(value)) throw unsupported(value, target);
  const whole = truncated(value);
  if (whole === undefined) throw failure('Attempt to convert NaN or infinity value to integer type');
  return whole;
}

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;
const SPECIAL = /^[+-]?(nan|inf|infinity)$/i;

function toFloating(value: Value): Double {
  if (typeof value === 'boolean') return new Double(value ? 1 : 0);
  if (value instanceof UtcDate) return new Double(value.millis);
  if (typeof value === 'string') {
    if (NUMBER.test(value)) return new Double(Number(value));
    if (!SPECIAL.test(value)) throw failure(`Failed to parse number '${value}'`);
    if (/nan/i.test(value)) return new Double(Number.NaN);
    return new Double(value.startsWith('-') ? -Infinity : Infinity);
  }
  if (!isNumber(value)) throw unsupported(value, 'double');
  const double = toDouble(value);
  const finite = typeof parseNumber(value) !== 'string';
  if (finite && !Number.isFinite(double)) throw failure('Conversion would overflow target type');
  return new Double(double);
}

function toDecimalValue(value: Value): Decimal128 {
  if (typeof value === 'boolean') return Decimal128.fromString(value ? '1' : '0');
  if (value instanceof UtcDate) return decimal({ digits: BigInt(value.millis), exponent: 0 });
  if (typeof value === 'string') {
    if (!NUMBER.test(value) && !SPECIAL.test(value)) throw failure(`Failed to parse number '${value}'`);
    return Decimal128.fromStringWithRounding(value);
  }
  if (!isNumber(value)) throw unsupported(value, 'decimal');
  return toDecimal(value);
}

/** Converts a value to text, as `$toString` does. */
export function toText(value: Value): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  if (value instanceof Int32) return String(value.value);
  if (value instanceof Double) return doubleText(value.value);
  if (value instanceof Decimal128) return value.toString();
  if (value instanceof ObjectId) return value.hex();
  if (value instanceof UtcDate) {
    if (Math.abs(value.millis) > 8.64e15) throw notSupported('a date beyond the year 275760', codes.BadValue);
    return new Date(value.millis).toISOString();
  }
  throw unsupported(value, 'string');
}

/** Formats a double with up to 16 significant digits, as C's "%.16g" prints it. */
function doubleText(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'NaN' : value > 0 ? 'Infinity' : '-Infinity';
  if (value === 0) return Object.is(value, -0) ? '-0' : '0';
  const [mantissa = '', power = '0'] = value.toExponential(15).split('e');
  const exponent = Number(power);
  if (exponent >= -4 && exponent < 16) {
    const fixed = value.toFixed(Math.min(100, Math.max(0, 15 - exponent)));
    return fixed.includes('.') ? fixed.replace(/\.?0+$/, '') : fixed;
  }
  const sign = exponent < 0 ? '-' : '+';
  return `${mantissa.replace(/\.?0+$/, '')}e${sign}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

const ISO_DATE = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:?\d{2})?)?$/;

function toDate(value: Value): UtcDate {
  if (value instanceof UtcDate) return value;
  if (value instanceof ObjectId) return new UtcDate(value.bytes.readUInt32BE(0) * 1000);
  if (value instanceof Timestamp) return new UtcDate(Number(value.value >> 32n) * 1000);
  if (typeof value === 'string') return parseIsoDate(value);
  if (value instanceof Int32 || !isNumber(value)) throw unsupported(value, 'date');
  const millis = truncated(value);
  if (
    millis === undefined ||
    millis > BigInt(Number.MAX_SAFE_INTEGER) ||
    millis < BigInt(Number.MIN_SAFE_INTEGER)
  ) {
    throw failure('Conversion would overflow target type');
  }
  return new UtcDate(Number(millis));
}

/** Dates in ISO 8601; without a zone they are UTC. Other notations that MongoDB may read are refused. */
export function parseIsoDate(text: string): UtcDate {
  if (!ISO_DATE.test(text)) {
    if (!/\d/.test(text)) throw failure(`Error parsing date string '${text}'`);
    throw notSupported(`the date notation '${text}' (only ISO 8601)`, codes.BadValue);
  }
  const zoned = /(Z|[+-]\d{2}:?\d{2})$/.test(text.slice(10))
    ? text
    : `${text}${text.includes('T') ? 'Z' : 'T00:00Z'}`;
  const millis = Date.parse(zoned.replace(/([+-]\d{2})(\d{2})$/, '$1:$2'));
  if (Number.isNaN(millis)) throw failure(`Error parsing date string '${text}'`);
  return new UtcDate(millis);
}

function toObjectId(value: Value): ObjectId {
  if (value instanceof ObjectId) return value;
  if (typeof value !== 'string') throw unsupported(value, 'objectId');
  if (!/^[0-9a-fA-F]{24}$/.test(value)) throw failure(`Failed to parse objectId '${value}'`);
  return new ObjectId(Buffer.from(value, 'hex'));
}
