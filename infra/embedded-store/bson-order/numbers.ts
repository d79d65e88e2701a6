import { type Decimal128, Double, Int32, type NumberValue } from '../bson/values.js';

/** An exact number: `digits` times ten to the power of `exponent`. */
export interface Exact {
  readonly digits: bigint;
  readonly exponent: number;
}

/** A number is either exact, or one of the three that are not numbers in that sense. */
export type Parsed = Exact | 'NaN' | 'Infinity' | '-Infinity';

const MAX_EXACT = 9_007_199_254_740_992n; // 2^53: up to here a double holds every integer
const view = new DataView(new ArrayBuffer(8));

/** Compares two numbers of any BSON types by their exact values; NaN equals NaN and is below all others. */
export function compareNumbers(a: NumberValue, b: NumberValue): number {
  const x = asDouble(a);
  const y = asDouble(b);
  if (x !== undefined && y !== undefined) {
    if (Number.isNaN(x)) return Number.isNaN(y) ? 0 : -1;
    if (Number.isNaN(y)) return 1;
    return x < y ? -1 : x > y ? 1 : 0;
  }
  if (typeof a === 'bigint' && typeof b === 'bigint') return a < b ? -1 : a > b ? 1 : 0;
  return compareParsed(parseNumber(a), parseNumber(b));
}

/** Returns the value as a double where that loses nothing, else undefined. */
export function asDouble(value: NumberValue): number | undefined {
  if (value instanceof Int32 || value instanceof Double) return value.value;
  if (typeof value === 'bigint') {
    return value >= -MAX_EXACT && value <= MAX_EXACT ? Number(value) : undefined;
  }
  return undefined;
}

/** Returns the nearest double. */
export function toDouble(value: NumberValue): number {
  if (value instanceof Int32 || value instanceof Double) return value.value;
  return Number(typeof value === 'bigint' ? value : value.toString());
}

export function parseNumber(value: NumberValue): Parsed {
  if (value instanceof Int32) return { digits: BigInt(value.value), exponent: 0 };
  if (typeof value === 'bigint') return { digits: value, exponent: 0 };
  return value instanceof Double ? exactDouble(value.value) : parseDecimal(value);
}

/** Returns the exact decimal expansion of a double: m * 2^-k is m * 5^k * 10^-k. */
export function exactDouble(double: number): Parsed {
  if (Number.isNaN(double)) return 'NaN';
  if (double === Infinity) return 'Infinity';
  if (double === -Infinity) return '-Infinity';
  if (Number.isInteger(double)) return { digits: BigInt(double), exponent: 0 };
  view.setFloat64(0, double);
  const bits = view.getBigUint64(0);
  const biased = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & 0xfffffffffffffn;
  const mantissa = biased === 0 ? fraction : fraction | 0x10000000000000n;
  const power = (biased === 0 ? 1 : biased) - 1075; // below zero: the double is no integer
  const digits = mantissa * 5n ** BigInt(-power);
  return { digits: double < 0 ? -digits : digits, exponent: power };
}

function parseDecimal(value: Decimal128): Parsed {
  const text = value.toString();
  if (text === 'NaN') return 'NaN';
  if (text.includes('Infinity')) return text.startsWith('-') ? '-Infinity' : 'Infinity';
  const [mantissa = '0', power = '0'] = text.split('E');
  const point = mantissa.indexOf('.');
  const decimals = point < 0 ? 0 : mantissa.length - point - 1;
  return { digits: BigInt(mantissa.replace('.', '')), exponent: Number(power) - decimals };
}

export function compareParsed(a: Parsed, b: Parsed): number {
  if (typeof a === 'string' || typeof b === 'string') return rank(a) - rank(b);
  const signs = sign(a.digits) - sign(b.digits);
  if (signs !== 0) return signs;
  const exponent = Math.min(a.exponent, b.exponent);
  const x = scaled(a, exponent);
  const y = scaled(b, exponent);
  return x < y ? -1 : x > y ? 1 : 0;
}

/** Returns the digits when written with `exponent`, which is not above the number's own. */
export function scaled(value: Exact, exponent: number): bigint {
  return value.digits * 10n ** BigInt(value.exponent - exponent);
}

function sign(digits: bigint): number {
  return digits < 0n ? -1 : digits > 0n ? 1 : 0;
}

function rank(value: Parsed): number {
  if (value === 'NaN') return -2;
  if (value === '-Infinity') return -1;
  return value === 'Infinity' ? 1 : 0;
}

/** Returns the largest double that is not above an exact number. */
export function floorDouble(value: Exact): number {
  const nearest = Number(`${value.digits}E${value.exponent}`);
  if (compareParsed(exactDouble(nearest), value) <= 0) return nearest;
  return nextBelow(nearest);
}

function nextBelow(double: number): number {
  if (double === 0) return -Number.MIN_VALUE;
  view.setFloat64(0, double);
  view.setBigUint64(0, view.getBigUint64(0) + (double > 0 ? -1n : 1n));
  return view.getFloat64(0);
}
