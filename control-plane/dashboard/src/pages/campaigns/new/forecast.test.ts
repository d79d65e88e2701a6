import { describe, expect, it } from 'vitest';
import { forecastEnd, type WeeklyHours } from './forecast.js';

const OPEN = { start: '09:00', end: '17:00' };
const WEEKDAYS: WeeklyHours = {
  monday: OPEN,
  tuesday: OPEN,
  wednesday: OPEN,
  thursday: OPEN,
  friday: OPEN,
  saturday: null,
  sunday: null,
};
const CLOSED = Object.fromEntries(Object.keys(WEEKDAYS).map((day) => [day, null])) as unknown as WeeklyHours;
/** A Monday. */
const MONDAY_10 = Date.parse('2026-01-05T10:00:00Z');
const INPUT = {
  contacts: 600,
  callsPerMinute: 10,
  maxConcurrent: 100,
  maxAttempts: 1,
  retryDelaySeconds: 3600,
  hours: WEEKDAYS,
  timeZone: 'UTC',
  startAt: MONDAY_10,
};
const times = (forecast: ReturnType<typeof forecastEnd>) =>
  forecast && [forecast.earliest, forecast.latest].map((at) => new Date(at).toISOString().slice(0, 16));

describe('forecastEnd', () => {
  it('divides contacts by the rate', () => {
    const forecast = forecastEnd(INPUT);
    expect(forecast).toMatchObject({ callsPerMinute: 10, limitedBy: 'rate' });
    expect(times(forecast)).toEqual(['2026-01-05T11:00', '2026-01-05T11:00']);
  });

  it('is slower than the rate where too few calls go on at the same time', () => {
    const forecast = forecastEnd({ ...INPUT, maxConcurrent: 10 });
    expect(forecast).toMatchObject({ callsPerMinute: 5, limitedBy: 'concurrency' });
    expect(times(forecast)?.[0]).toBe('2026-01-05T12:00');
  });

  it('goes on next morning, and after the weekend', () => {
    // 8 hours of a day, 480 calls at 1 a minute.
    const slow = { ...INPUT, callsPerMinute: 1 };
    expect(times(forecastEnd({ ...slow, contacts: 480 }))?.[0]).toBe('2026-01-06T10:00');
    expect(times(forecastEnd({ ...slow, contacts: 5 * 480 }))?.[0]).toBe('2026-01-12T10:00');
  });

  it('begins when the hours open', () => {
    const early = { ...INPUT, contacts: 10, startAt: Date.parse('2026-01-03T23:30:00Z') };
    expect(times(forecastEnd(early))?.[0]).toBe('2026-01-05T09:01');
  });

  it('reads the hours by their own clock, also on the day on which it changes', () => {
    // The clocks of New York go forward on Sunday, 8 March 2026: 09:00 is 14:00 UTC before and 13:00 UTC after.
    const input = { ...INPUT, contacts: 10, timeZone: 'America/New_York' };
    const startAt = (at: string) => times(forecastEnd({ ...input, startAt: Date.parse(at) }))?.[0];
    expect(startAt('2026-03-06T12:00:00Z')).toBe('2026-03-06T14:01');
    expect(startAt('2026-03-07T12:00:00Z')).toBe('2026-03-09T13:01');
    const sundays = { ...input, hours: { ...CLOSED, sunday: { start: '00:00', end: '24:00' } } };
    expect(times(forecastEnd({ ...sundays, startAt: Date.parse('2026-11-01T12:00:00Z') }))?.[0]).toBe(
      '2026-11-01T12:01',
    );
    // 25 hours long: the next Sunday begins a week later, by the other clock.
    const late = { ...sundays, contacts: 20, startAt: Date.parse('2026-11-02T04:59:00Z') };
    expect(times(forecastEnd(late))?.[0]).toBe('2026-11-08T05:01');
  });

  it('says how late it becomes where everybody takes all attempts, with the waits between them', () => {
    expect(times(forecastEnd({ ...INPUT, maxAttempts: 3 }))).toEqual([
      '2026-01-05T11:00',
      '2026-01-05T13:00',
    ]);
    // One contact: the rate does not matter, the waits do; the second ends after closing time.
    const waits = { ...INPUT, contacts: 1, maxAttempts: 3, retryDelaySeconds: 4 * 3600 };
    expect(times(forecastEnd(waits))).toEqual(['2026-01-05T10:00', '2026-01-06T09:00']);
  });

  it('has no end where no hour is open', () => {
    expect(forecastEnd({ ...INPUT, hours: CLOSED })).toBeNull();
  });
});
