import { describe, expect, it } from 'vitest';
import { type CallingHours, callingHours } from '../agents/calling-hours.js';
import { callingWindow, hasHours } from './calling-window.js';

const EVERY_DAY = callingHours.parse({});
const hoursOf = (changes: Partial<CallingHours>) => ({ ...EVERY_DAY, ...changes });
const utc = (text: string) => Date.parse(text);
const iso = (at: number | null) => (at === null ? null : new Date(at).toISOString().replace('.000', ''));
const DAILY_NONE = Object.fromEntries(
  ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'].map((day) => [day, null]),
);

describe("calling hours in the callee's time zone", () => {
  it.each([
    ['2026-01-05T12:59:59Z', 'America/New_York', false],
    ['2026-01-05T13:00:00Z', 'America/New_York', true],
    ['2026-01-06T01:59:59Z', 'America/New_York', true],
    ['2026-01-06T02:00:00Z', 'America/New_York', false],
    ['2026-01-05T02:30:00Z', 'Asia/Kolkata', true],
    ['2026-01-05T02:29:00Z', 'Asia/Kolkata', false],
    ['2026-01-05T20:00:00Z', 'Pacific/Auckland', true],
  ])('at %s in %s: open %s', (now, zone, open) => {
    expect(callingWindow(EVERY_DAY, [zone], utc(now)).open).toBe(open);
  });

  it('counts the weekday there, not here', () => {
    const noSunday = hoursOf({ sunday: null });
    // Monday 01:00 in UTC is still Sunday evening in New York.
    expect(callingWindow(noSunday, ['America/New_York'], utc('2026-01-05T01:00:00Z')).open).toBe(false);
    expect(callingWindow(EVERY_DAY, ['America/New_York'], utc('2026-01-05T01:00:00Z')).open).toBe(true);
  });

  it('takes until 24:00 as the whole evening', () => {
    const late = hoursOf({ monday: { start: '08:00', end: '24:00' }, tuesday: null });
    expect(callingWindow(late, ['Etc/UTC'], utc('2026-01-05T23:59:59Z')).open).toBe(true);
    expect(callingWindow(late, ['Etc/UTC'], utc('2026-01-06T00:00:00Z')).open).toBe(false);
  });

  it('is judged by the zone that the agent names, whatever the callee', () => {
    const named = hoursOf({ timezone: 'Europe/Berlin' });
    const window = callingWindow(named, ['America/New_York'], utc('2026-01-05T08:00:00Z'));
    expect(window).toEqual({ open: true, nextOpenAt: null, judgedIn: ['Europe/Berlin'] });
    expect(callingWindow(named, [], utc('2026-01-05T08:00:00Z')).open).toBe(true);
  });
});

describe('where the zone is not known', () => {
  const coasts = ['America/New_York', 'America/Los_Angeles'];

  it.each([
    ['2026-01-05T15:59:00Z', false], // 10:59 in the east, 7:59 in the west
    ['2026-01-05T16:00:00Z', true],
    ['2026-01-06T01:59:00Z', true], // 20:59 and 17:59
    ['2026-01-06T02:00:00Z', false],
  ])('it must be open in every one of them, at %s', (now, open) => {
    expect(callingWindow(EVERY_DAY, coasts, utc(now)).open).toBe(open);
  });

  it('opens when the last of them does', () => {
    const { nextOpenAt } = callingWindow(EVERY_DAY, coasts, utc('2026-01-06T02:00:00Z'));
    expect(iso(nextOpenAt)).toBe('2026-01-06T16:00:00Z');
  });

  it('never opens where no hour is good everywhere, or nothing is known', () => {
    const antipodes = ['Pacific/Auckland', 'Europe/London'];
    const office = { start: '09:00', end: '17:00' };
    const officeHours = hoursOf({ ...DAILY_NONE, monday: office, tuesday: office });
    expect(callingWindow(officeHours, antipodes, utc('2026-01-05T12:00:00Z'))).toMatchObject({
      open: false,
      nextOpenAt: null,
    });
    expect(callingWindow(EVERY_DAY, [], utc('2026-01-05T12:00:00Z'))).toMatchObject({
      open: false,
      nextOpenAt: null,
    });
  });
});

describe('the next opening', () => {
  it.each([
    ['today', {}, '2026-01-05T10:00:00Z', '2026-01-05T13:00:00Z'],
    ['tomorrow', {}, '2026-01-06T03:00:00Z', '2026-01-06T13:00:00Z'],
    [
      'after a free weekend',
      { saturday: null, sunday: null },
      '2026-01-10T03:00:00Z',
      '2026-01-12T13:00:00Z',
    ],
    [
      'once a week',
      { ...DAILY_NONE, tuesday: { start: '10:30', end: '11:00' } },
      '2026-01-06T16:00:00Z',
      '2026-01-13T15:30:00Z',
    ],
    [
      'at the hour of its own weekday',
      { monday: { start: '08:00', end: '09:00' }, tuesday: { start: '10:30', end: '11:00' } },
      '2026-01-05T20:00:00Z',
      '2026-01-06T15:30:00Z',
    ],
  ])('is %s', (_, changes, now, next) => {
    const window = callingWindow(hoursOf(changes), ['America/New_York'], utc(now));
    expect(window.open).toBe(false);
    expect(iso(window.nextOpenAt)).toBe(next);
  });

  it('is never for an agent without hours', () => {
    expect(
      callingWindow(hoursOf(DAILY_NONE), ['America/New_York'], utc('2026-01-05T15:00:00Z')).nextOpenAt,
    ).toBeNull();
  });
});

it('an agent has hours if it has any day with some', () => {
  expect([hasHours(EVERY_DAY), hasHours(hoursOf({ sunday: null })), hasHours(hoursOf(DAILY_NONE))]).toEqual([
    true,
    true,
    false,
  ]);
});

describe('on days on which the clocks change', () => {
  const NEW_YORK = ['America/New_York'];

  it.each([
    // In 2026 the clocks of New York go on at 2:00 on March 8, and back at 2:00 on November 1.
    ['the last morning of winter time', '2026-03-07T12:59:00Z', false],
    ['the last morning of winter time', '2026-03-07T13:00:00Z', true],
    ['the first morning of summer time', '2026-03-08T11:59:00Z', false],
    ['the first morning of summer time', '2026-03-08T12:00:00Z', true],
    ['the first evening of summer time', '2026-03-09T00:59:00Z', true],
    ['the first evening of summer time', '2026-03-09T01:00:00Z', false],
    ['the first morning of winter time', '2026-11-01T12:59:00Z', false],
    ['the first morning of winter time', '2026-11-01T13:00:00Z', true],
    ['the first evening of winter time', '2026-11-02T01:59:00Z', true],
    ['the first evening of winter time', '2026-11-02T02:00:00Z', false],
  ])('%s, at %s: open %s', (_, now, open) => {
    expect(callingWindow(EVERY_DAY, NEW_YORK, utc(now)).open).toBe(open);
  });

  it.each([
    ['2026-03-08T02:30:00Z', '2026-03-08T12:00:00Z'],
    ['2026-11-01T01:30:00Z', '2026-11-01T13:00:00Z'],
  ])('the evening before, at %s, the next opening is by the new time', (now, next) => {
    expect(iso(callingWindow(EVERY_DAY, NEW_YORK, utc(now)).nextOpenAt)).toBe(next);
  });

  it('an opening within the skipped hour is at its end', () => {
    const early = hoursOf({ sunday: { start: '02:00', end: '09:00' }, saturday: null });
    expect(iso(callingWindow(early, NEW_YORK, utc('2026-03-08T06:00:00Z')).nextOpenAt)).toBe(
      '2026-03-08T07:00:00Z',
    );
  });

  it('in the hour that comes twice, the clock on the wall counts both times', () => {
    const early = hoursOf({ sunday: { start: '01:30', end: '09:00' }, saturday: null });
    expect(callingWindow(early, NEW_YORK, utc('2026-11-01T05:45:00Z')).open).toBe(true);
    expect(callingWindow(early, NEW_YORK, utc('2026-11-01T06:10:00Z'))).toMatchObject({
      open: false,
      nextOpenAt: utc('2026-11-01T06:30:00Z'),
    });
  });

  it('in the southern hemisphere too', () => {
    // Sydney goes back at 3:00 on April 5, 2026.
    expect(callingWindow(EVERY_DAY, ['Australia/Sydney'], utc('2026-04-03T21:00:00Z')).open).toBe(true);
    expect(callingWindow(EVERY_DAY, ['Australia/Sydney'], utc('2026-04-05T21:00:00Z')).open).toBe(false);
    expect(callingWindow(EVERY_DAY, ['Australia/Sydney'], utc('2026-04-05T22:00:00Z')).open).toBe(true);
  });

  it('where there is no summer time, nothing changes', () => {
    expect(callingWindow(EVERY_DAY, ['America/Phoenix'], utc('2026-03-08T15:00:00Z')).open).toBe(true);
    expect(callingWindow(EVERY_DAY, ['America/Phoenix'], utc('2026-03-08T14:59:00Z')).open).toBe(false);
  });
});
