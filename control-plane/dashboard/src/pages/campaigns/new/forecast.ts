/** Forecasts when a campaign ends. Pure: `now` is given, points in time are epoch ms. */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'] as const;
/** Calls of a campaign last about so long, in minutes; only concurrency depends on it. */
export const TYPICAL_CALL_MINUTES = 2;
/** Further than this nobody forecasts. */
const MOST_STEPS = 5000;

type Hours = { readonly start: string; readonly end: string } | null;
export type WeeklyHours = Readonly<Record<(typeof DAYS)[number], Hours>>;

interface ForecastInput {
  readonly contacts: number;
  readonly callsPerMinute: number;
  readonly maxConcurrent: number;
  /** Calls per contact, the first included. */
  readonly maxAttempts: number;
  /** The longest wait before a retry, in seconds. */
  readonly retryDelaySeconds: number;
  readonly hours: WeeklyHours;
  /** Whose clock the hours are by, as an IANA name. */
  readonly timeZone: string;
  readonly startAt: number;
}

export interface Forecast {
  /** Calls begun a minute: the rate, or less where concurrency allows no more. */
  readonly callsPerMinute: number;
  readonly limitedBy: 'rate' | 'concurrency';
  /** When the last contact is called, where each is called once. */
  readonly earliest: number;
  /** The same where every contact takes all its attempts. */
  readonly latest: number;
}

/** Returns null where no hour of the week is open, or the end is further away than a forecast means anything. */
export function forecastEnd(input: ForecastInput): Forecast | null {
  const byConcurrency = input.maxConcurrent / TYPICAL_CALL_MINUTES;
  const callsPerMinute = Math.min(input.callsPerMinute, byConcurrency);
  const dialing = (calls: number) => (calls / callsPerMinute) * MINUTE;
  const after = (from: number, openMs: number) => afterOpenTime(from, openMs, input.hours, input.timeZone);
  const earliest = after(input.startAt, dialing(input.contacts));
  const allCalls = after(input.startAt, dialing(input.contacts * input.maxAttempts));
  if (earliest === null || allCalls === null) return null;
  // The last contact waits for each of its retries, however fast the others were called.
  let lastContact = earliest;
  for (let retry = 1; retry < input.maxAttempts; retry += 1) {
    const next = after(lastContact + input.retryDelaySeconds * 1000, 0);
    if (next === null) return null;
    lastContact = next;
  }
  return {
    callsPerMinute,
    limitedBy: byConcurrency < input.callsPerMinute ? 'concurrency' : 'rate',
    earliest,
    latest: Math.max(allCalls, lastContact),
  };
}

/** Returns when `openMs` of open hours have passed since `from`; with 0, when they are open next. */
function afterOpenTime(from: number, openMs: number, hours: WeeklyHours, timeZone: string): number | null {
  const localTime = localClock(timeZone);
  let at = from;
  let left = openMs;
  for (let step = 0; step < MOST_STEPS; step += 1) {
    const { day, msOfDay } = localTime(at);
    const today = hours[day];
    const [opens, closes] = today === null ? [0, 0] : [msOf(today.start), msOf(today.end)];
    if (msOfDay < opens) at += opens - msOfDay;
    else if (msOfDay >= closes) at += untilTomorrow(at, msOfDay, localTime);
    else if (left <= closes - msOfDay) return at + left;
    else {
      left -= closes - msOfDay;
      at += closes - msOfDay;
    }
  }
  return null;
}

/** A day on which the clock is changed has 23 or 25 hours: never past the next one's begin. */
function untilTomorrow(at: number, msOfDay: number, localTime: (at: number) => { msOfDay: number }): number {
  const rest = 24 * HOUR - msOfDay;
  const overshoot = localTime(at + rest).msOfDay;
  return overshoot > 0 && overshoot < 2 * HOUR ? rest - overshoot : rest;
}

function localClock(timeZone: string) {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    weekday: 'long',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
    hourCycle: 'h23',
  });
  return (at: number) => {
    const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
    const seconds = Number(parts.hour) * 3600 + Number(parts.minute) * 60 + Number(parts.second);
    return {
      day: (parts.weekday ?? '').toLowerCase() as (typeof DAYS)[number],
      msOfDay: seconds * 1000 + (at % 1000),
    };
  };
}

/** `24:00` is the end of the day. */
function msOf(clock: string): number {
  const [hours = 0, minutes = 0] = clock.split(':').map(Number);
  return hours * HOUR + minutes * MINUTE;
}
