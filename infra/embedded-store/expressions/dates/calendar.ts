import { CommandError, codes, notSupported } from '../../errors/errors.js';
import { type TimeZone, toLocal, toUtc, utcOf } from './time-zone.js';

export const DATE_UNITS = [
  'year',
  'quarter',
  'month',
  'week',
  'day',
  'hour',
  'minute',
  'second',
  'millisecond',
] as const;
export type DateUnit = (typeof DATE_UNITS)[number];
export const WEEK_DAYS = [
  'sunday',
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
] as const;

const DAY = 86_400_000;
const SPANS = { hour: 3_600_000, minute: 60_000, second: 1000, millisecond: 1 } as const;
/** Day from which bins of several units count, in ms: 2000-01-01. */
const REFERENCE = Date.UTC(2000, 0, 1);

/** Moves a date by units. Days and longer count on the zone's calendar, shorter ones are exact spans of time. */
export function addUnits(millis: number, unit: DateUnit, amount: number, zone: TimeZone): number {
  if (unit === 'hour' || unit === 'minute' || unit === 'second' || unit === 'millisecond') {
    return checked(millis + amount * SPANS[unit]);
  }
  const local = toLocal(millis, zone);
  if (unit === 'day' || unit === 'week')
    return checked(toUtc(local + amount * DAY * (unit === 'week' ? 7 : 1), zone));
  const months = amount * (unit === 'year' ? 12 : unit === 'quarter' ? 3 : 1);
  return checked(toUtc(addMonths(local, months), zone));
}

/** Months later on the same day, or on the month's last day if it is shorter. */
function addMonths(local: number, months: number): number {
  const date = new Date(local);
  const month = date.getUTCMonth() + months;
  const year = date.getUTCFullYear() + Math.floor(month / 12);
  const inYear = ((month % 12) + 12) % 12;
  const lastDay = new Date(utcOf(year, inYear + 1, 0, 0)).getUTCDate();
  return utcOf(year, inYear, Math.min(date.getUTCDate(), lastDay), modulo(local, DAY));
}

function checked(millis: number): number {
  if (!Number.isSafeInteger(millis)) throw new CommandError(codes.Overflow, 'date overflow');
  return millis;
}

/** Returns the start of the unit, or of the bin of several units, that a date lies in. */
export function truncateTo(
  millis: number,
  unit: DateUnit,
  size: number,
  zone: TimeZone,
  weekStart: number,
): number {
  const local = toLocal(millis, zone);
  if (unit === 'hour' || unit === 'minute' || unit === 'second' || unit === 'millisecond') {
    if (size > 1 && !zone.fixed)
      throw notSupported(
        'a binSize above 1 of hours or less in a zone with daylight saving time',
        codes.BadValue,
      );
    return millis - modulo(local - REFERENCE, SPANS[unit] * size);
  }
  if (unit === 'day') return toUtc(local - modulo(local - REFERENCE, DAY * size), zone);
  if (unit === 'week') {
    if (size > 1) throw notSupported('a binSize above 1 of weeks', codes.BadValue);
    return toUtc(startOfWeek(local, weekStart), zone);
  }
  const date = new Date(local);
  const months = (date.getUTCFullYear() - 2000) * 12 + date.getUTCMonth();
  const bin = size * (unit === 'year' ? 12 : unit === 'quarter' ? 3 : 1);
  return toUtc(addMonths(REFERENCE, months - modulo(months, bin)), zone);
}

/** Counts the boundaries of a unit between two dates. */
export function differenceIn(
  unit: DateUnit,
  start: number,
  end: number,
  zone: TimeZone,
  weekStart: number,
): number {
  const from = toLocal(start, zone);
  const to = toLocal(end, zone);
  const [a, b] = [new Date(from), new Date(to)];
  const years = b.getUTCFullYear() - a.getUTCFullYear();
  const months = years * 12 + b.getUTCMonth() - a.getUTCMonth();
  switch (unit) {
    case 'year':
      return years;
    case 'quarter':
      return years * 4 + Math.floor(b.getUTCMonth() / 3) - Math.floor(a.getUTCMonth() / 3);
    case 'month':
      return months;
    case 'week':
      return Math.round((startOfWeek(to, weekStart) - startOfWeek(from, weekStart)) / (7 * DAY));
    case 'day':
      return Math.floor(to / DAY) - Math.floor(from / DAY);
    case 'hour':
    case 'minute':
    case 'second':
    case 'millisecond': {
      const span = SPANS[unit];
      const shift = (at: number) => modulo(zone.offsetAt(at), span);
      return Math.floor((end + shift(end)) / span) - Math.floor((start + shift(start)) / span);
    }
  }
}

function startOfWeek(local: number, weekStart: number): number {
  const day = local - modulo(local, DAY);
  return day - modulo(new Date(day).getUTCDay() - weekStart, 7) * DAY;
}

function modulo(value: number, divisor: number): number {
  return ((value % divisor) + divisor) % divisor;
}
