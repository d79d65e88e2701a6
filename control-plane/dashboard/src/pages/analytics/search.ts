import { z } from 'zod';

const DAY_MS = 24 * 60 * 60 * 1000;

/** Days that are looked back, today counted, where no range of one's own is chosen. */
export const RANGES = [7, 14, 30, 90, 365] as const;
const DEFAULT_RANGE = 30;
export const BUCKETS = ['day', 'week', 'month'] as const;
export type Bucket = (typeof BUCKETS)[number];
/** More bars than this are no picture: they are summed up by week. */
const MOST_DAYS_BY_DAY = 92;

const date = z.iso.date().optional().catch(undefined);

/** What of the page the address holds. `from` and `to`, in UTC, count before `days`. */
export const analyticsSearch = z.object({
  days: z.literal(RANGES).optional().catch(undefined),
  from: date,
  to: date,
  by: z.enum(BUCKETS).optional().catch(undefined),
});
export type AnalyticsSearch = z.infer<typeof analyticsSearch>;

/** The first day and the last, as `2026-11-22`, and what they are summed up by. */
export interface Range {
  readonly from: string;
  readonly to: string;
  readonly bucket: Bucket;
}

/** Returns what the address asks for. `now`: epoch ms. */
export function rangeOf({ days = DEFAULT_RANGE, from, to, by }: AnalyticsSearch, now: number): Range {
  const date = (at: number) => new Date(at).toISOString().slice(0, 10);
  const last = to ?? date(now);
  const first = from ?? date(Date.parse(last) - (days - 1) * DAY_MS);
  const length = (Date.parse(last) - Date.parse(first)) / DAY_MS + 1;
  return { from: first, to: last, bucket: by ?? (length > MOST_DAYS_BY_DAY ? 'week' : 'day') };
}
