const DAY_MS = 86_400_000;
const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const HOURS: Readonly<Record<string, number>> = { morning: 9, noon: 12, afternoon: 14, evening: 18 };
const NUMBERS = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ');

/** Finds the day that words speak of, as its midnight in UTC (epoch ms): a date, a weekday to come, today, tomorrow. */
export function dayIn(text: string, now: number): number | undefined {
  const words = text.toLowerCase();
  const today = Math.floor(now / DAY_MS) * DAY_MS;
  const date = /\b(\d{4}-\d{2}-\d{2})\b/.exec(words)?.[1];
  if (date !== undefined && !Number.isNaN(Date.parse(date))) return Date.parse(date);
  if (/\bday after tomorrow\b/.test(words)) return today + 2 * DAY_MS;
  if (/\bto-?morrow\b/.test(words)) return today + DAY_MS;
  if (/\bto-?day\b/.test(words)) return today;
  // The weekday that was named last counts: people correct themselves.
  const named = [...words.matchAll(new RegExp(`\\b(${WEEKDAYS.join('|')})\\b`, 'g'))].at(-1)?.[1];
  if (named === undefined) return undefined;
  const ahead = (WEEKDAYS.indexOf(named) - new Date(today).getUTCDay() + 7) % 7;
  return today + (ahead === 0 ? 7 : ahead) * DAY_MS;
}

/** Finds the time that words speak of, ISO 8601 in UTC; undefined without a day. */
export function dateTimeIn(text: string, now: number): string | undefined {
  const exact = /\b\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})/i.exec(text)?.[0];
  if (exact !== undefined) return exact;
  const day = dayIn(text, now);
  return day === undefined ? undefined : new Date(day + minutesIn(text) * 60_000).toISOString();
}

export function isoDate(day: number): string {
  return new Date(day).toISOString().slice(0, 10);
}

/** Reads the minutes after midnight; nine o'clock where no time is named. */
function minutesIn(text: string): number {
  const words = text.toLowerCase();
  const clock = /\b(\d{1,2})(?::(\d{2}))?\s*([ap])\.?m\b/.exec(words) ?? /\b(\d{1,2}):(\d{2})\b/.exec(words);
  if (clock) return (hourOf(Number(clock[1]), clock[3]) * 60 + Number(clock[2] ?? 0)) % 1440;
  const spoken = new RegExp(`\\b(${NUMBERS.join('|')}) (?:o'clock|([ap])\\.?m\\b)`).exec(words);
  if (spoken) return hourOf(NUMBERS.indexOf(spoken[1]!), spoken[2]) * 60;
  const part = Object.keys(HOURS).find((name) => new RegExp(`\\b${name}\\b`).test(words));
  return HOURS[part ?? 'morning']! * 60;
}

function hourOf(hour: number, half: string | undefined): number {
  if (half === 'p') return (hour % 12) + 12;
  return half === 'a' ? hour % 12 : hour;
}
