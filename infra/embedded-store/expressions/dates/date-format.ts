import { CommandError } from '../../errors/errors.js';

const DAY = 86_400_000;

/**
 * Formats a local time (ms as if its zone were UTC) by `$dateToString`'s specifiers.
 * `offset` is the zone's distance from UTC in ms, for %z and %Z.
 */
export function formatDate(format: string, local: number, offset: number): string {
  const date = new Date(local);
  let result = '';
  for (let at = 0; at < format.length; at++) {
    const sign = format[at] as string;
    result += sign === '%' ? specifier(format[++at], date, offset) : sign;
  }
  return result;
}

function specifier(letter: string | undefined, date: Date, offset: number): string {
  switch (letter) {
    case '%':
      return '%';
    case 'Y':
      return year(date.getUTCFullYear());
    case 'm':
      return pad(date.getUTCMonth() + 1, 2);
    case 'd':
      return pad(date.getUTCDate(), 2);
    case 'H':
      return pad(date.getUTCHours(), 2);
    case 'M':
      return pad(date.getUTCMinutes(), 2);
    case 'S':
      return pad(date.getUTCSeconds(), 2);
    case 'L':
      return pad(date.getUTCMilliseconds(), 3);
    case 'j':
      return pad(dayOfYear(date), 3);
    case 'w':
      return String(date.getUTCDay() + 1);
    case 'u':
      return String(date.getUTCDay() || 7);
    case 'U':
      // Weeks start on Sunday; days before the year's first one are week 0.
      return pad(Math.floor((dayOfYear(date) + 6 - date.getUTCDay()) / 7), 2);
    case 'V':
      return pad(isoWeek(date).week, 2);
    case 'G':
      return year(isoWeek(date).year);
    case 'z': {
      const minutes = Math.abs(offset) / 60_000;
      return `${offset < 0 ? '-' : '+'}${pad(Math.floor(minutes / 60), 2)}${pad(Math.floor(minutes % 60), 2)}`;
    }
    case 'Z':
      return String(offset / 60_000);
    case undefined:
      throw new CommandError(18535, "Unmatched '%' at end of format string");
    default:
      throw new CommandError(18536, `Invalid format character '%${letter}' in format string`);
  }
}

function pad(value: number, width: number): string {
  return String(value).padStart(width, '0');
}

function year(value: number): string {
  if (value < 0 || value > 9999)
    throw new CommandError(
      18537,
      `Could not convert date to string: date component was outside the supported range of 0-9999: ${value}`,
    );
  return pad(value, 4);
}

function dayOfYear(date: Date): number {
  const start = new Date(0);
  start.setUTCFullYear(date.getUTCFullYear(), 0, 1);
  return Math.floor((date.getTime() - start.getTime()) / DAY) + 1;
}

/** Computes the ISO 8601 week: the year's first week is that of its first Thursday. */
function isoWeek(date: Date): { year: number; week: number } {
  const thursday = new Date(date.getTime() + (4 - (date.getUTCDay() || 7)) * DAY);
  return { year: thursday.getUTCFullYear(), week: Math.floor((dayOfYear(thursday) - 1) / 7) + 1 };
}
