import { ValidationError } from '../platform/http/validation.js';
import type { TrendsQuery } from './schemas.js';

const DAY_MS = 24 * 60 * 60 * 1000;
const DEFAULT_DAYS = 30;
/** The longest range of one answer: a leap year. */
const MOST_DAYS = 366;

type Bucket = TrendsQuery['bucket'];

/** Some days in a row, in UTC, as `2026-11-22`; both inclusive. */
interface Days {
  readonly start: string;
  readonly end: string;
}

const dateOf = (at: number) => new Date(at).toISOString().slice(0, 10);

/** Returns the days that are asked for: the last 30 where nothing is. Throws `ValidationError`. Pure. */
export function rangeOf(asked: Pick<TrendsQuery, 'start' | 'end'>, now: number): Days {
  const end = asked.end ?? dateOf(now);
  const start = asked.start ?? dateOf(Date.parse(end) - (DEFAULT_DAYS - 1) * DAY_MS);
  const days = (Date.parse(end) - Date.parse(start)) / DAY_MS + 1;
  if (days >= 1 && days <= MOST_DAYS) return { start, end };
  const msg =
    days < 1
      ? `expected a day that is not after ${end}, got ${start}`
      : `expected at most ${MOST_DAYS} days up to ${end}, got ${days}`;
  throw new ValidationError([{ loc: ['query', 'start'], msg, type: 'value_error' }]);
}

/** Returns the first day of the bucket that a day is in: weeks begin on Mondays. Pure. */
export function bucketOf(day: string, bucket: Bucket): string {
  if (bucket === 'month') return `${day.slice(0, 7)}-01`;
  if (bucket === 'day') return day;
  const at = Date.parse(day);
  const sinceMonday = (new Date(at).getUTCDay() + 6) % 7;
  return dateOf(at - sinceMonday * DAY_MS);
}

/** Returns the buckets of a range, oldest first, each with its days in the range, by the first day of the bucket. Pure. */
export function bucketsOf({ start, end }: Days, bucket: Bucket): ReadonlyMap<string, Days> {
  const buckets = new Map<string, Days>();
  for (let at = Date.parse(start); at <= Date.parse(end); at += DAY_MS) {
    const day = dateOf(at);
    const key = bucketOf(day, bucket);
    buckets.set(key, { start: buckets.get(key)?.start ?? day, end: day });
  }
  return buckets;
}
