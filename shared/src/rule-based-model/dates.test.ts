import { describe, expect, it } from 'vitest';
import { dateTimeIn, dayIn, isoDate } from './dates.js';

/** A Sunday. */
const NOW = Date.parse('2026-11-22T10:00:00Z');

describe('days and times in words', () => {
  it.each([
    ['tomorrow', '2026-11-23'],
    ['the day after tomorrow', '2026-11-24'],
    ['to-day, please', '2026-11-22'],
    ['on Monday, no, Friday', '2026-11-27'],
    ['next Sunday', '2026-11-29'],
    ['on 2026-12-24', '2026-12-24'],
  ])('%s', (words, day) => {
    expect(isoDate(dayIn(words, NOW)!)).toBe(day);
  });

  it.each([
    ['Tuesday at 3 pm', '2026-11-24T15:00:00.000Z'],
    ['Tuesday at 3:30 p.m.', '2026-11-24T15:30:00.000Z'],
    ['tomorrow at 12 am', '2026-11-23T00:00:00.000Z'],
    ['tomorrow at nine o’clock in the evening'.replace('’', "'"), '2026-11-23T09:00:00.000Z'],
    ['tomorrow afternoon', '2026-11-23T14:00:00.000Z'],
    ['Tuesday', '2026-11-24T09:00:00.000Z'],
    ['2026-11-24T09:30:00+01:00', '2026-11-24T09:30:00+01:00'],
  ])('%s', (words, time) => {
    expect(dateTimeIn(words, NOW)).toBe(time);
  });

  it('are none where none are named', () => {
    expect(dayIn('some day', NOW)).toBeUndefined();
    expect(dateTimeIn('at three', NOW)).toBeUndefined();
  });
});
