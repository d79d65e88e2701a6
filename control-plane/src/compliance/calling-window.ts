import type { CallingHours } from '../agents/calling-hours.js';

/** Whether somebody may be called at a moment, and when next. */
export interface CallingWindow {
  readonly open: boolean;
  /** Epoch ms of the next opening while closed; null while open, and where it never opens. */
  readonly nextOpenAt: number | null;
  /** The zones in which the hours were judged; empty where there is none to judge by. */
  readonly judgedIn: readonly string[];
}

const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'] as const;
const MINUTE_MS = 60_000;
const DAY_MINUTES = 24 * 60;
const DAY_MS = DAY_MINUTES * MINUTE_MS;
/** A week, and a day for a change of the clocks in between. */
const LOOK_AHEAD_DAYS = 8;

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone);
  if (!format) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    formats.set(zone, format);
  }
  return format;
}

/** Returns what the clocks of a zone show, as the epoch ms at which a clock in UTC shows the same. */
function wallClock(zone: string, at: number): number {
  const [month, day, year, hour, minute, second] = formatOf(zone).format(at).match(/\d+/g)!.map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

function minutesOf(time: string): number {
  return Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
}

function hoursOn(hours: CallingHours, wall: number): { start: number; end: number } | null {
  const day = hours[WEEKDAYS[new Date(wall).getUTCDay()]!];
  return day && { start: minutesOf(day.start), end: minutesOf(day.end) };
}

/** Returns whether there is any day with hours. */
export function hasHours(hours: CallingHours): boolean {
  return WEEKDAYS.some((day) => hours[day] !== null);
}

function isOpen(hours: CallingHours, zone: string, at: number): boolean {
  const wall = wallClock(zone, at);
  const today = hoursOn(hours, wall);
  const minute = Math.floor((((wall % DAY_MS) + DAY_MS) % DAY_MS) / MINUTE_MS);
  return today !== null && minute >= today.start && minute < today.end;
}

/** Returns when the clocks of a zone show `wall`: once, twice when they go back, or after a gap when they go on. */
function instantsOf(zone: string, wall: number): readonly number[] {
  const offsets = [wall - DAY_MS, wall + DAY_MS].map((around) => wallClock(zone, around) - around);
  return [...new Set(offsets)].map((offset) => wall - offset);
}

/** Returns every moment of the next days at which the hours begin somewhere. */
function openings(hours: CallingHours, zones: readonly string[], now: number): number[] {
  const found = new Set<number>();
  for (const zone of zones) {
    const wall = wallClock(zone, now);
    const midnight = Math.floor(wall / DAY_MS) * DAY_MS;
    for (let day = 0; day <= LOOK_AHEAD_DAYS; day++) {
      const begins = hoursOn(hours, midnight + day * DAY_MS);
      if (!begins) continue;
      for (const at of instantsOf(zone, midnight + day * DAY_MS + begins.start * MINUTE_MS)) found.add(at);
    }
  }
  return [...found].filter((at) => at > now).sort((a, b) => a - b);
}

/**
 * Returns whether the hours are open at `now` (epoch ms) in every one of the callee's zones: where the zone is not
 * known, the strictest counts. An agent that names a zone is judged by its clock alone. Without any zone it is never
 * open: there is no hour of which it is known that it does not wake somebody.
 */
export function callingWindow(
  hours: CallingHours,
  calleeZones: readonly string[],
  now: number,
): CallingWindow {
  const judgedIn = hours.timezone === null ? calleeZones : [hours.timezone];
  const openAt = (at: number) => judgedIn.length > 0 && judgedIn.every((zone) => isOpen(hours, zone, at));
  if (openAt(now)) return { open: true, nextOpenAt: null, judgedIn };
  return { open: false, nextOpenAt: openings(hours, judgedIn, now).find(openAt) ?? null, judgedIn };
}
