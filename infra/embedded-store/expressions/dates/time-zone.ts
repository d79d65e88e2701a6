import { CommandError } from '../../errors/errors.js';

const MINUTE = 60_000;
const DAY = 86_400_000;

/** A time zone: the offset from UTC in ms at an instant. */
export interface TimeZone {
  offsetAt(utcMillis: number): number;
  readonly fixed: boolean;
}

export const UTC: TimeZone = { offsetAt: () => 0, fixed: true };
const zones = new Map<string, TimeZone>();

/** Finds a zone by its Olson name ("Europe/Berlin") or offset ("+02:30", "-0530", "+03"). Throws 40485 if unknown. */
export function timeZone(name: string): TimeZone {
  const known = zones.get(name);
  if (known) return known;
  const zone = parseZone(name);
  zones.set(name, zone);
  return zone;
}

function parseZone(name: string): TimeZone {
  if (name === 'UTC' || name === 'GMT' || name === 'Z') return UTC;
  const offset = /^([+-])(\d{2})(?::?(\d{2}))?$/.exec(name);
  if (offset) {
    const minutes = Number(offset[2]) * 60 + Number(offset[3] ?? 0);
    const millis = (offset[1] === '-' ? -1 : 1) * minutes * MINUTE;
    return { offsetAt: () => millis, fixed: true };
  }
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      hourCycle: 'h23',
      era: 'short',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch {
    throw new CommandError(40485, `unrecognized time zone identifier: "${name}"`);
  }
  return {
    offsetAt: (utcMillis) => localMillis(format, utcMillis) - Math.floor(utcMillis / 1000) * 1000,
    fixed: false,
  };
}

function localMillis(format: Intl.DateTimeFormat, utcMillis: number): number {
  const parts = new Map(format.formatToParts(utcMillis).map(({ type, value }) => [type, value]));
  const number = (type: Intl.DateTimeFormatPartTypes) => Number(parts.get(type));
  const year = parts.get('era') === 'BC' ? 1 - number('year') : number('year');
  return utcOf(
    year,
    number('month') - 1,
    number('day'),
    number('hour') * 3600_000 + number('minute') * MINUTE + number('second') * 1000,
  );
}

/** Milliseconds of a calendar day, year as it is (Date.UTC reads years below 100 as 19xx). */
export function utcOf(year: number, month: number, day: number, millisOfDay: number): number {
  const date = new Date(0);
  date.setUTCFullYear(year, month, day);
  return date.getTime() + millisOfDay;
}

/** Converts an instant to local wall-clock time, in ms as if the zone were UTC. */
export function toLocal(utcMillis: number, zone: TimeZone): number {
  return utcMillis + zone.offsetAt(utcMillis);
}

/** Converts a local wall-clock time to an instant; of two the earlier, and a time that is skipped moves forward. */
export function toUtc(local: number, zone: TimeZone): number {
  const before = zone.offsetAt(local - DAY);
  const after = zone.offsetAt(local + DAY);
  const first = local - before;
  if (zone.offsetAt(first) === before) return first;
  const second = local - after;
  return zone.offsetAt(second) === after ? second : first;
}
