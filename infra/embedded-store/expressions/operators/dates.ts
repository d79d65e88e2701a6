import {
  Int32,
  isDoc,
  type Maybe,
  ObjectId,
  Timestamp,
  typeName,
  UtcDate,
  type Value,
} from '../../bson/values.js';
import { integer } from '../../bson-order/integers.js';
import { CommandError, codes, notSupported } from '../../errors/errors.js';
import {
  addUnits,
  DATE_UNITS,
  type DateUnit,
  differenceIn,
  truncateTo,
  WEEK_DAYS,
} from '../dates/calendar.js';
import { formatDate } from '../dates/date-format.js';
import { type TimeZone, timeZone, toLocal, UTC } from '../dates/time-zone.js';
import {
  type BuildOperator,
  type Expression,
  type ParseContext,
  parseExpression,
  type Scope,
} from '../expression.js';
import { parseIsoDate } from './conversion.js';
import { isNullish, namedArguments } from './operator.js';

export const dateOperators: readonly (readonly [string, BuildOperator])[] = [
  ['$dateToString', dateToString],
  ['$dateFromString', dateFromString],
  ['$dateTrunc', dateTrunc],
  ['$dateAdd', dateAdd(1)],
  ['$dateSubtract', dateAdd(-1)],
  ['$dateDiff', dateDiff],
  ['$year', part((local) => local.getUTCFullYear())],
  ['$month', part((local) => local.getUTCMonth() + 1)],
  ['$dayOfMonth', part((local) => local.getUTCDate())],
  ['$dayOfWeek', part((local) => local.getUTCDay() + 1)],
  ['$dayOfYear', part((local) => Number(formatDate('%j', local.getTime(), 0)))],
  ['$hour', part((local) => local.getUTCHours())],
  ['$minute', part((local) => local.getUTCMinutes())],
  ['$second', part((local) => local.getUTCSeconds())],
  ['$millisecond', part((local) => local.getUTCMilliseconds())],
  ['$isoWeek', part((local) => Number(formatDate('%V', local.getTime(), 0)))],
  ['$isoDayOfWeek', part((local) => local.getUTCDay() || 7)],
];

type Arguments = ReadonlyMap<string, Expression>;

/** Reads a date in ms, from a date, a timestamp or an ObjectId. */
function millisOf(value: Value, name: string): number {
  if (value instanceof UtcDate) return value.millis;
  if (value instanceof ObjectId) return value.bytes.readUInt32BE(0) * 1000;
  if (value instanceof Timestamp) return Number(value.value >> 32n) * 1000;
  throw new CommandError(16006, `can't convert from BSON type ${typeName(value)} to Date in ${name}`);
}

/** Returns the zone that the arguments name; undefined when it is null, which makes the result null. */
function zoneOf(args: Arguments, scope: Scope): TimeZone | undefined {
  const zone = args.get('timezone');
  if (zone === undefined) return UTC;
  const name = zone(scope);
  if (isNullish(name)) return undefined;
  if (typeof name !== 'string')
    throw new CommandError(40517, `timezone must evaluate to a string, found ${typeName(name)}`);
  return timeZone(name);
}

function part(read: (local: Date) => number): BuildOperator {
  return (argument, context, name) => {
    const named = isDoc(argument) && argument.has('date');
    const args: Arguments = named
      ? namedArguments(argument, context, name, ['date'], ['timezone'])
      : new Map([['date', single(argument, context)]]);
    return (scope) => {
      const date = args.get('date')?.(scope);
      const zone = zoneOf(args, scope);
      if (isNullish(date) || zone === undefined) return null;
      return new Int32(read(new Date(toLocal(millisOf(date, name), zone))));
    };
  };
}

function single(argument: Value, context: ParseContext): Expression {
  return parseExpression(
    Array.isArray(argument) && argument.length === 1 ? (argument[0] as Value) : argument,
    context,
  );
}

function dateToString(argument: Value, context: ParseContext, name: string): Expression {
  const args = namedArguments(argument, context, name, ['date'], ['format', 'timezone', 'onNull']);
  return (scope) => {
    const date = args.get('date')?.(scope);
    const zone = zoneOf(args, scope);
    const given = args.get('format');
    const format = given ? given(scope) : zone === UTC ? '%Y-%m-%dT%H:%M:%S.%LZ' : '%Y-%m-%dT%H:%M:%S.%L';
    if (isNullish(date)) return args.has('onNull') ? args.get('onNull')?.(scope) : null;
    if (zone === undefined || isNullish(format)) return null;
    if (typeof format !== 'string')
      throw new CommandError(18533, `$dateToString requires that 'format' be a string`);
    const millis = millisOf(date, name);
    return formatDate(format, toLocal(millis, zone), zone.offsetAt(millis));
  };
}

function dateFromString(argument: Value, context: ParseContext, name: string): Expression {
  if (isDoc(argument)) {
    for (const option of ['format', 'timezone']) {
      if (argument.has(option)) throw notSupported(`'${option}' of $dateFromString`, codes.BadValue);
    }
  }
  const args = namedArguments(argument, context, name, ['dateString'], ['onError', 'onNull']);
  return (scope) => {
    const text = args.get('dateString')?.(scope);
    if (isNullish(text)) return args.get('onNull')?.(scope) ?? null;
    const onError = args.get('onError');
    try {
      if (typeof text !== 'string')
        throw new CommandError(
          codes.ConversionFailure,
          `$dateFromString requires that 'dateString' be a string, found: ${typeName(text)}`,
        );
      return parseIsoDate(text);
    } catch (error) {
      if (onError && error instanceof CommandError && error.code === codes.ConversionFailure)
        return onError(scope);
      throw error;
    }
  };
}

function unitOf(value: Maybe, name: string): DateUnit {
  if (typeof value === 'string' && (DATE_UNITS as readonly string[]).includes(value))
    return value as DateUnit;
  throw new CommandError(
    codes.FailedToParse,
    `${name} parameter 'unit' value cannot be recognized as a time unit: ${String(value)}`,
  );
}

function weekStart(args: Arguments, scope: Scope, name: string): number {
  const value = args.get('startOfWeek')?.(scope);
  if (value === undefined) return 0;
  const day =
    typeof value === 'string'
      ? WEEK_DAYS.findIndex((one) => one === value.toLowerCase() || one.slice(0, 3) === value.toLowerCase())
      : -1;
  if (day < 0)
    throw new CommandError(
      codes.FailedToParse,
      `${name} parameter 'startOfWeek' value cannot be recognized as a day of a week: ${String(value)}`,
    );
  return day;
}

function dateTrunc(argument: Value, context: ParseContext, name: string): Expression {
  const args = namedArguments(
    argument,
    context,
    name,
    ['date', 'unit'],
    ['binSize', 'timezone', 'startOfWeek'],
  );
  return (scope) => {
    const date = args.get('date')?.(scope);
    const unit = args.get('unit')?.(scope);
    const zone = zoneOf(args, scope);
    const bin = args.get('binSize')?.(scope);
    if (isNullish(date) || isNullish(unit) || zone === undefined || bin === null) return null;
    const size = bin === undefined ? 1n : integer(bin);
    if (size === undefined || size <= 0n)
      throw new CommandError(5439018, `$dateTrunc requires 'binSize' to be greater than 0`);
    return new UtcDate(
      truncateTo(millisOf(date, name), unitOf(unit, name), Number(size), zone, weekStart(args, scope, name)),
    );
  };
}

function dateAdd(sign: 1 | -1): BuildOperator {
  return (argument, context, name) => {
    const args = namedArguments(argument, context, name, ['startDate', 'unit', 'amount'], ['timezone']);
    return (scope) => {
      const date = args.get('startDate')?.(scope);
      const unit = args.get('unit')?.(scope);
      const amount = args.get('amount')?.(scope);
      const zone = zoneOf(args, scope);
      if (isNullish(date) || isNullish(unit) || isNullish(amount) || zone === undefined) return null;
      const count = integer(amount);
      if (count === undefined)
        throw new CommandError(5166405, `${name} expects integer amount of time units`);
      return new UtcDate(addUnits(millisOf(date, name), unitOf(unit, name), sign * Number(count), zone));
    };
  };
}

function dateDiff(argument: Value, context: ParseContext, name: string): Expression {
  const args = namedArguments(
    argument,
    context,
    name,
    ['startDate', 'endDate', 'unit'],
    ['timezone', 'startOfWeek'],
  );
  return (scope) => {
    const start = args.get('startDate')?.(scope);
    const end = args.get('endDate')?.(scope);
    const unit = args.get('unit')?.(scope);
    const zone = zoneOf(args, scope);
    if (isNullish(start) || isNullish(end) || isNullish(unit) || zone === undefined) return null;
    const week = weekStart(args, scope, name);
    return BigInt(differenceIn(unitOf(unit, name), millisOf(start, name), millisOf(end, name), zone, week));
  };
}
