import { expect, it } from 'vitest';
import { hoursLine } from './hours.js';

const open = { start: '08:00', end: '21:00' };
const closed = {
  timezone: null,
  monday: null,
  tuesday: null,
  wednesday: null,
  thursday: null,
  friday: null,
  saturday: null,
  sunday: null,
};

it('writes calling hours as a line, days with the same hours together', () => {
  const week = {
    ...closed,
    monday: open,
    tuesday: open,
    wednesday: { start: '09:00', end: '12:00' },
    sunday: open,
  };
  expect(hoursLine(week)).toBe('Mon–Tue 08:00–21:00, Wed 09:00–12:00, Sun 08:00–21:00');
  expect(hoursLine(closed)).toBe('never');
});
