import { expect, it } from 'vitest';
import { zonedTime } from './zoned-time.js';

it.each([
  ['2030-07-01T09:00:00Z', 'Europe/Berlin', '2030-07-01T11:00:00+02:00'],
  ['2030-01-01T09:00:00Z', 'Europe/Berlin', '2030-01-01T10:00:00+01:00'],
  ['2030-01-01T03:00:00Z', 'America/New_York', '2029-12-31T22:00:00-05:00'],
  ['2030-01-01T03:00:00Z', 'Asia/Kolkata', '2030-01-01T08:30:00+05:30'],
  ['2030-07-01T03:00:00Z', 'America/St_Johns', '2030-07-01T00:30:00-02:30'],
  ['2030-01-01T03:00:00Z', 'UTC', '2030-01-01T03:00:00+00:00'],
])('%s is in %s %s', (utc, zone, local) => {
  expect(zonedTime(Date.parse(utc), zone)).toBe(local);
  expect(Date.parse(local)).toBe(Date.parse(utc));
});

it('a zone that there is not is said to be none', () => {
  expect(() => zonedTime(0, 'Mars/Olympus')).toThrow(/no time zone Mars\/Olympus/);
});
