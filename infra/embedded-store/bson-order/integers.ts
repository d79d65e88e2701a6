import { isNumber, type NumberValue, type Value } from '../bson/values.js';
import { parseNumber } from './numbers.js';

/** Reads a number as an integer; undefined where it is none. */
export function integer(value: Value | undefined): bigint | undefined {
  if (!isNumber(value)) return undefined;
  const parsed = parseNumber(value);
  if (typeof parsed === 'string') return undefined;
  if (parsed.exponent >= 0) return parsed.digits * 10n ** BigInt(parsed.exponent);
  const divisor = 10n ** BigInt(-parsed.exponent);
  return parsed.digits % divisor === 0n ? parsed.digits / divisor : undefined;
}

/** Cuts a number to its integer part; undefined for NaN and the infinities. */
export function truncated(value: NumberValue): bigint | undefined {
  const parsed = parseNumber(value);
  if (typeof parsed === 'string') return undefined;
  return parsed.exponent >= 0
    ? parsed.digits * 10n ** BigInt(parsed.exponent)
    : parsed.digits / 10n ** BigInt(-parsed.exponent);
}
