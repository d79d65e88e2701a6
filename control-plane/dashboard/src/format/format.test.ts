import { describe, expect, it } from 'vitest';
import { money } from './money.js';
import { clock, dateTime, latency, localInput, relativeTime } from './time.js';
import { counted, label } from './words.js';

describe('durations', () => {
  it.each([
    [0, '0 ms'],
    [639.6, '640 ms'],
    [999, '999 ms'],
    [1240, '1.24 s'],
  ])('shows a latency of %d ms as %s', (ms, text) => expect(latency(ms)).toBe(text));

  it.each([
    [0, '0:00'],
    [125_900, '2:05'],
    [3_607_000, '1:00:07'],
  ])('shows %d ms of a call as %s', (ms, text) => expect(clock(ms)).toBe(text));
});

describe('points in time', () => {
  it('writes a time as a field for a local time holds it, and reads back as the same', () => {
    const at = Date.UTC(2026, 10, 22, 20, 17);
    expect(localInput(at)).toMatch(/^2026-11-2[23]T\d\d:\d\d$/);
    expect(Date.parse(localInput(at))).toBe(at);
  });

  const now = Date.UTC(2026, 10, 22, 20, 0, 0);
  it.each([
    [-10_000, 'just now'],
    [-60_000, '1 min ago'],
    [-50 * 60_000, '1 h ago'],
    [-23 * 3_600_000, '1 day ago'],
    [-49 * 3_600_000, '2 days ago'],
    [3 * 3_600_000, 'in 3 h'],
  ])('says of %d ms from now: %s', (distance, text) => expect(relativeTime(now + distance, now)).toBe(text));

  it('shows date and time in the zone that it is given', () => {
    expect(dateTime(now, { timeZone: 'America/New_York' })).toMatch(/22.*2026.*(3|15):00:00/);
  });
});

describe('money', () => {
  it.each([
    [0, '$0.00'],
    [0.04312, '$0.0431'],
    [12.345, '$12.35'],
    [1204.5, '$1,204.50'],
  ])('shows %d USD as %s', (usd, text) => expect(money(usd)).toBe(text));
});

describe('words', () => {
  it('makes labels of values', () => {
    expect(['NO_ANSWER', 'caller_hangup', 'hr', 'lead_id'].map(label)).toEqual([
      'No answer',
      'Caller hangup',
      'HR',
      'Lead ID',
    ]);
  });

  it('counts in the singular and the plural', () => {
    expect([counted(1, 'call'), counted(1204, 'call'), counted(2, 'entry', 'entries')]).toEqual([
      '1 call',
      '1,204 calls',
      '2 entries',
    ]);
  });
});
