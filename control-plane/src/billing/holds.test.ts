import { describe, expect, it } from 'vitest';
import { admissionsWithoutCall, type HeldCall, holdOf } from './holds.js';

const START = Date.UTC(2026, 0, 5, 12);
/** What a minute is taken to cost, where none is noted with the call. */
const MINUTE = 1000;
const at = (seconds: number) => new Date(START + seconds * 1000);
const call = (fields: Partial<HeldCall>): HeldCall => ({
  status: 'IN_PROGRESS',
  carrier: 'twilio',
  direction: 'outbound',
  to_number: '+12025550123',
  created_at: at(0),
  started_at: at(0),
  duration_ms: null,
  post_call_due_at: null,
  post_call_done: [],
  ...fields,
});
const heldAt = (seconds: number, fields: Partial<HeldCall> = {}) =>
  holdOf(call(fields), START + seconds * 1000, () => MINUTE) / MINUTE;

describe('what is held for a call', () => {
  it('is the minute that was noted with it, by its agent and its line', () => {
    expect(heldAt(0, { hold_per_minute: 2 * MINUTE })).toBe(2);
    expect(heldAt(61, { hold_per_minute: 2 * MINUTE })).toBe(4);
  });

  it.each(['QUEUED', 'RINGING'] as const)('is one minute while it is %s', (status) => {
    expect(heldAt(50, { status, started_at: null })).toBe(1);
  });

  it.each([
    [0, 1],
    [59, 1],
    [61, 2],
    [3600, 60],
  ])('grows while it runs, by every started minute: after %i s', (seconds, minutes) => {
    expect(heldAt(seconds)).toBe(minutes);
  });

  it('is its whole time from its end until the ledger has what it cost', () => {
    const over = { status: 'COMPLETED', duration_ms: 90_000, post_call_due_at: at(90) } as const;
    expect(heldAt(600, over)).toBe(2);
    expect(heldAt(600, { ...over, post_call_done: ['transcript'] })).toBe(2);
    expect(heldAt(600, { ...over, post_call_done: ['transcript', 'cost'] })).toBe(0);
    expect(heldAt(600, { ...over, post_call_due_at: null })).toBe(0);
  });

  it('is nothing once it is over and nobody answered', () => {
    const busy = { status: 'BUSY', started_at: null, duration_ms: 0, post_call_due_at: at(20) } as const;
    expect(heldAt(21, busy)).toBe(0);
  });
});

describe('admissions of which no call has come', () => {
  it.each([
    ['none without admissions', [], [5], 0],
    ['all while no call is stored', [1, 2, 3], [], 3],
    ['none when each has its call', [1, 2, 3], [2, 3, 4], 0],
    ['calls from before the admissions count for nothing', [10, 11], [1, 2, 3], 2],
    ['a call stored at the very moment is its call', [7], [7], 0],
    ['one that came to nothing is left', [1, 2, 3], [2, 9], 1],
    ['a call never settles an admission after it', [1, 5], [2, 3], 1],
    ['admissions in any order', [5, 1], [2, 3], 1],
    ['calls in any order', [3, 5], [6, 2], 1],
  ])('%s', (_, admitted, created, left) => {
    expect(admissionsWithoutCall(admitted, created)).toBe(left);
  });
});
