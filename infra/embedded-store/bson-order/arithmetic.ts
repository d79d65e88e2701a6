import { Decimal128, Double, Int32, type NumberValue } from '../bson/values.js';
import { type Exact, parseNumber, scaled, toDouble } from './numbers.js';

const INT32_MIN = -2_147_483_648n;
const INT32_MAX = 2_147_483_647n;
/** Significant digits of a Decimal128. */
const DECIMAL_DIGITS = 34;

export class IntegerOverflow extends Error {}

type Operation = 'add' | 'subtract' | 'multiply';

/**
 * Computes a sum, difference or product with MongoDB's types: decimal wins over double, double over integers; int32
 * grows to int64 when it must. Throws IntegerOverflow when an int64 is exceeded.
 */
export function arithmetic(operation: Operation, a: NumberValue, b: NumberValue): NumberValue {
  if (a instanceof Decimal128 || b instanceof Decimal128) return decimalArithmetic(operation, a, b);
  if (a instanceof Double || b instanceof Double) {
    const x = toDouble(a);
    const y = toDouble(b);
    return new Double(operation === 'add' ? x + y : operation === 'subtract' ? x - y : x * y);
  }
  const result = onIntegers(operation, wide(a), wide(b));
  if (a instanceof Int32 && b instanceof Int32 && result >= INT32_MIN && result <= INT32_MAX) {
    return new Int32(Number(result));
  }
  if (BigInt.asIntN(64, result) !== result) throw new IntegerOverflow();
  return result;
}

/** Narrows an integer to an int32 if it fits, else to an int64. */
export function narrowest(value: bigint): Int32 | bigint {
  return value >= INT32_MIN && value <= INT32_MAX ? new Int32(Number(value)) : value;
}

function wide(value: Int32 | bigint): bigint {
  return value instanceof Int32 ? BigInt(value.value) : value;
}

function onIntegers(operation: Operation, a: bigint, b: bigint): bigint {
  return operation === 'add' ? a + b : operation === 'subtract' ? a - b : a * b;
}

/** Converts a number to a Decimal128. Doubles convert with 15 significant digits, as MongoDB converts them. */
export function toDecimal(value: NumberValue): Decimal128 {
  if (value instanceof Decimal128) return value;
  if (value instanceof Double) {
    if (!Number.isFinite(value.value)) return Decimal128.fromString(String(value.value));
    return Decimal128.fromString(
      Number.isInteger(value.value) && Math.abs(value.value) < 1e15
        ? String(value.value)
        : value.value.toPrecision(15),
    );
  }
  return Decimal128.fromString(String(value instanceof Int32 ? value.value : value));
}

function decimalArithmetic(operation: Operation, a: NumberValue, b: NumberValue): Decimal128 {
  const x = parseNumber(toDecimal(a));
  const y = parseNumber(toDecimal(b));
  if (typeof x === 'string' || typeof y === 'string') {
    const [p, q] = [special(x), special(y)];
    const result = operation === 'add' ? p + q : operation === 'subtract' ? p - q : p * q;
    return Decimal128.fromString(Number.isFinite(result) ? '0' : String(result));
  }
  if (operation === 'multiply')
    return decimal({ digits: x.digits * y.digits, exponent: x.exponent + y.exponent });
  const exponent = Math.min(x.exponent, y.exponent);
  return decimal({ digits: onIntegers(operation, scaled(x, exponent), scaled(y, exponent)), exponent });
}

function special(value: Exact | string): number {
  if (typeof value === 'string') return Number(value);
  return value.digits === 0n ? 0 : value.digits < 0n ? -1 : 1;
}

/** Rounds an exact number to the 34 digits of a Decimal128, half to even. */
export function decimal(value: Exact): Decimal128 {
  let { digits, exponent } = value;
  const negative = digits < 0n;
  let magnitude = negative ? -digits : digits;
  const excess = magnitude.toString().length - DECIMAL_DIGITS;
  if (excess > 0) {
    magnitude = roundHalfEven(magnitude, 10n ** BigInt(excess));
    exponent += excess;
  }
  digits = negative ? -magnitude : magnitude;
  return Decimal128.fromStringWithRounding(`${digits}E${exponent}`);
}

function roundHalfEven(value: bigint, unit: bigint): bigint {
  const quotient = value / unit;
  const twice = (value % unit) * 2n;
  if (twice > unit || (twice === unit && quotient % 2n === 1n)) return quotient + 1n;
  return quotient;
}

/** Divides as MongoDB's $divide does: a decimal if either is one, else a double. */
export function divide(a: NumberValue, b: NumberValue): NumberValue {
  if (!(a instanceof Decimal128) && !(b instanceof Decimal128)) return new Double(toDouble(a) / toDouble(b));
  const x = parseNumber(toDecimal(a));
  const y = parseNumber(toDecimal(b));
  if (typeof x === 'string' || typeof y === 'string') {
    const result = special(x) / special(y);
    return Decimal128.fromString(
      typeof y === 'string' && typeof x !== 'string' && y !== 'NaN' ? '0' : String(result),
    );
  }
  // Enough digits that rounding the cut-off quotient to 34 is right, plus a sticky last digit for the remainder.
  const shift = Math.max(0, 40 + y.digits.toString().length - x.digits.toString().length);
  const dividend = x.digits * 10n ** BigInt(shift);
  let exponent = x.exponent - y.exponent - shift;
  let quotient = dividend / y.digits;
  if (dividend % y.digits !== 0n) {
    quotient =
      quotient * 10n + (quotient < 0n || (quotient === 0n && x.digits < 0n !== y.digits < 0n) ? -1n : 1n);
    exponent -= 1;
  } else {
    while (exponent < x.exponent - y.exponent && quotient % 10n === 0n && quotient !== 0n) {
      quotient /= 10n;
      exponent += 1;
    }
    if (quotient === 0n) exponent = x.exponent - y.exponent;
  }
  return decimal({ digits: quotient, exponent });
}
