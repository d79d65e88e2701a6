import { expect, it } from 'vitest';
import { extractedLine } from './parts/extracted-line.js';
import { progressOf } from './progress.js';
import { CONTACT_STATUSES } from './search.js';

it('counts contacts as done for which nothing is still to be done', () => {
  const none = Object.fromEntries(CONTACT_STATUSES.map((status) => [status, 0])) as Record<
    (typeof CONTACT_STATUSES)[number],
    number
  >;
  const contact_counts = { ...none, pending: 2, dialing: 1, in_progress: 1, completed: 3, no_answer: 1 };
  expect(progressOf({ total_contacts: 8, contact_counts })).toEqual({ done: 4, total: 8, share: 0.5 });
  expect(progressOf({ total_contacts: 0, contact_counts: none }).share).toBe(0);
});

it('writes extracted data as a line, without what is unknown', () => {
  expect(extractedLine({ day: 'Tuesday', guests: 2, note: null })).toBe('day: Tuesday, guests: 2');
  expect(extractedLine({ note: null })).toBe('–');
  expect(extractedLine(null)).toBe('–');
});
