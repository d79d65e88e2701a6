import {
  Decimal128,
  Double,
  Int32,
  isNumber,
  type Maybe,
  type NumberValue,
  typeName,
  UtcDate,
  type Value,
} from '../../bson/values.js';
import { arithmetic, decimal, divide, IntegerOverflow, narrowest } from '../../bson-order/arithmetic.js';
import { integer } from '../../bson-order/integers.js';
import { compareNumbers, parseNumber, scaled, toDouble } from '../../bson-order/numbers.js';
import { CommandError, codes, notSupported } from '../../errors/errors.js';
import type { BuildOperator } from '../expression.js';
import { fixed, isNullish, variadic } from './operator.js';

export const arithmeticOperators: readonly (readonly [string, BuildOperator])[] = [
  ['$add', variadic(add)],
  ['$subtract', fixed(2, ([a, b]) => subtract(a, b))],
  ['$multiply', variadic(multiply)],
  ['$divide', fixed(2, ([a, b]) => quotient(a, b))],
  ['$mod', fixed(2, ([a, b]) => remainder(a, b))],
  ['$abs', onNumber(absolute)],
  ['$ceil', onNumber((value) => roundWith(value, 0, ceiling))],
  ['$floor', onNumber((value) => roundWith(value, 0, floor))],
  ['$round', fixed(1, ([value, place]) => atPlace('$round', value, place, halfEven), 2)],
  [
    '$trunc',
    fixed(1, ([value, place]) => atPlace('$trunc', value, place, (digits, unit) => digits / unit), 2),
  ],
  [
    '$sqrt',
    onDouble('$sqrt', Math.sqrt, (x) => x >= 0, 28714, "$sqrt's argument must be greater than or equal to 0"),
  ],
  ['$exp', onDouble('$exp', Math.exp)],
  ['$ln', onDouble('$ln', Math.log, (x) => x > 0, 28766, "$ln's argument must be a positive number")],
  [
    '$log10',
    onDouble('$log10', Math.log10, (x) => x > 0, 28761, "$log10's argument must be a positive number"),
  ],
  ['$pow', fixed(2, ([a, b]) => power(a, b))],
];

/** Computes a sum, difference or product in an expression: integers too large for an int64 become doubles. */
function calculate(operation: 'add' | 'subtract' | 'multiply', a: NumberValue, b: NumberValue): NumberValue {
  try {
    return arithmetic(operation, a, b);
  } catch (error) {
    if (!(error instanceof IntegerOverflow)) throw error;
    return arithmetic(operation, new Double(toDouble(a)), new Double(toDouble(b)));
  }
}

function add(values: Maybe[]): Maybe {
  let total: NumberValue = new Int32(0);
  let date = false;
  if (values.some(isNullish)) return null;
  for (const value of values) {
    if (value instanceof UtcDate) {
      if (date) throw new CommandError(16612, 'only one date allowed in an $add expression');
      date = true;
      total = calculate('add', total, BigInt(value.millis));
    } else if (isNumber(value)) total = calculate('add', total, value);
    else throw wrongType('$add only supports numeric or date types', value);
  }
  return date ? asDate(total) : total;
}

function asDate(millis: NumberValue): UtcDate {
  const value = Math.round(toDouble(millis));
  if (!Number.isSafeInteger(value)) throw new CommandError(codes.Overflow, 'date overflow');
  return new UtcDate(value);
}

function subtract(a: Maybe, b: Maybe): Maybe {
  if (isNullish(a) || isNullish(b)) return null;
  if (a instanceof UtcDate && b instanceof UtcDate) return BigInt(a.millis - b.millis);
  if (a instanceof UtcDate && isNumber(b)) return asDate(calculate('subtract', BigInt(a.millis), b));
  if (isNumber(a) && isNumber(b)) return calculate('subtract', a, b);
  throw new CommandError(codes.TypeMismatch, `can't $subtract ${typeName(b)} from ${typeName(a)}`);
}

function multiply(values: Maybe[]): Maybe {
  let product: NumberValue = new Int32(1);
  if (values.some(isNullish)) return null;
  for (const value of values) {
    if (!isNumber(value)) throw wrongType('$multiply only supports numeric types', value);
    product = calculate('multiply', product, value);
  }
  return product;
}

function quotient(a: Maybe, b: Maybe): Maybe {
  if (isNullish(a) || isNullish(b)) return null;
  if (!isNumber(a) || !isNumber(b)) {
    throw new CommandError(
      codes.TypeMismatch,
      `$divide only supports numeric types, not ${typeName(a)} and ${typeName(b)}`,
    );
  }
  if (compareNumbers(b, new Int32(0)) === 0) throw new CommandError(codes.BadValue, "can't $divide by zero");
  return divide(a, b);
}

function remainder(a: Maybe, b: Maybe): Maybe {
  if (isNullish(a) || isNullish(b)) return null;
  if (!isNumber(a) || !isNumber(b)) {
    throw new CommandError(16611, `$mod only supports numeric types, not ${typeName(a)} and ${typeName(b)}`);
  }
  if (compareNumbers(b, new Int32(0)) === 0) throw new CommandError(16610, "can't $mod by zero");
  if (a instanceof Decimal128 || b instanceof Decimal128) {
    const [x, y] = [parseNumber(a), parseNumber(b)];
    if (typeof x === 'string' || typeof y === 'string') return Decimal128.fromString('NaN');
    const exponent = Math.min(x.exponent, y.exponent);
    return decimal({ digits: scaled(x, exponent) % scaled(y, exponent), exponent });
  }
  if (a instanceof Double || b instanceof Double) return new Double(toDouble(a) % toDouble(b));
  const result = wide(a) % wide(b);
  return a instanceof Int32 && b instanceof Int32 ? new Int32(Number(result)) : result;
}

function wide(value: Int32 | bigint): bigint {
  return value instanceof Int32 ? BigInt(value.value) : value;
}

function absolute(value: NumberValue): NumberValue {
  if (value instanceof Double) return new Double(Math.abs(value.value));
  if (value instanceof Decimal128) return Decimal128.fromString(value.toString().replace('-', ''));
  const digits = wide(value);
  const positive = digits < 0n ? -digits : digits;
  if (value instanceof Int32) return narrowest(positive);
  if (BigInt.asIntN(64, positive) !== positive)
    throw new CommandError(28680, "can't take $abs of long long min");
  return positive;
}

/** Divides digits by a power of ten, in the way a rounding rule wants. */
type Rounding = (digits: bigint, unit: bigint) => bigint;

const floor: Rounding = (digits, unit) => digits / unit - (digits % unit < 0n ? 1n : 0n);
const ceiling: Rounding = (digits, unit) => -floor(-digits, unit);
const halfEven: Rounding = (digits, unit) => {
  const low = floor(digits, unit);
  const twice = (digits - low * unit) * 2n;
  return twice > unit || (twice === unit && low % 2n !== 0n) ? low + 1n : low;
};

/** Rounds to `place` decimals (negative: tens, hundreds); the number keeps its type. */
function roundWith(value: NumberValue, place: number, rounding: Rounding): NumberValue {
  const parsed = parseNumber(value);
  if (typeof parsed === 'string' || parsed.exponent >= -place) return value;
  const digits = rounding(parsed.digits, 10n ** BigInt(-place - parsed.exponent));
  const result = { digits, exponent: -place };
  if (value instanceof Decimal128) return decimal(result);
  if (value instanceof Double) {
    const rounded = Number(`${digits}E${-place}`);
    return new Double(rounded === 0 && value.value < 0 ? -0 : rounded);
  }
  const whole = digits * 10n ** BigInt(-place);
  return value instanceof Int32 ? narrowest(whole) : whole;
}

function atPlace(name: string, value: Maybe, place: Maybe, rounding: Rounding): Maybe {
  if (isNullish(value) || place === null) return null;
  if (!isNumber(value))
    throw new CommandError(51081, `${name} only supports numeric types, not ${typeName(value)}`);
  const digits = place === undefined ? 0n : integer(place);
  if (digits === undefined)
    throw new CommandError(51082, `precision argument to  ${name} must be a integral value`);
  if (digits < -20n || digits > 100n) {
    throw new CommandError(
      51083,
      `cannot apply ${name} with precision value ${digits} value must be in [-20, 100]`,
    );
  }
  return roundWith(value, Number(digits), rounding);
}

function power(a: Maybe, b: Maybe): Maybe {
  if (isNullish(a) || isNullish(b)) return null;
  if (!isNumber(a)) throw new CommandError(28762, `$pow's base must be numeric, not ${typeName(a)}`);
  if (!isNumber(b)) throw new CommandError(28763, `$pow's exponent must be numeric, not ${typeName(b)}`);
  if (a instanceof Decimal128 || b instanceof Decimal128)
    throw notSupported('$pow of a decimal', codes.BadValue);
  if (toDouble(a) === 0 && toDouble(b) < 0) {
    throw new CommandError(28764, '$pow cannot take a base of 0 and a negative exponent');
  }
  if (a instanceof Double || b instanceof Double || toDouble(b) < 0)
    return new Double(toDouble(a) ** toDouble(b));
  const exponent = wide(b);
  const small = exponent <= 64n || [0n, 1n, -1n].includes(wide(a));
  const result = small ? wide(a) ** (exponent <= 64n ? exponent : 64n + (exponent % 2n)) : undefined;
  if (result === undefined || BigInt.asIntN(64, result) !== result)
    return new Double(toDouble(a) ** toDouble(b));
  return a instanceof Int32 && b instanceof Int32 ? narrowest(result) : result;
}

function onNumber(apply: (value: NumberValue) => NumberValue): BuildOperator {
  return fixed(1, ([value], name) => {
    if (isNullish(value)) return null;
    if (!isNumber(value))
      throw new CommandError(28765, `${name} only supports numeric types, not ${typeName(value)}`);
    return apply(value);
  });
}

function onDouble(
  name: string,
  apply: (x: number) => number,
  accepts: (x: number) => boolean = () => true,
  code = 28765,
  refusal = '',
): BuildOperator {
  return onNumber((value) => {
    if (value instanceof Decimal128) throw notSupported(`${name} of a decimal`, codes.BadValue);
    const x = toDouble(value);
    if (!Number.isNaN(x) && !accepts(x)) throw new CommandError(code, `${refusal}, but is ${x}`);
    return new Double(apply(x));
  });
}

function wrongType(reason: string, value: Value | undefined): CommandError {
  return new CommandError(codes.TypeMismatch, `${reason}, not ${typeName(value)}`);
}
