import { expect, it } from 'vitest';
import { workerList } from './worker-list.js';

const now = Date.UTC(2026, 10, 22);
const worker = {
  id: 'media-worker-0',
  capacity: 40,
  free: 37,
  live: 3,
  draining: false,
  storage_full: false,
  held_back: false,
  last_seen_at: new Date(now - 1000).toISOString(),
};

it('shows each worker’s calls, and why it gets no more', () => {
  expect(
    workerList(
      [
        worker,
        { ...worker, id: 'w-1', held_back: true },
        { ...worker, id: 'w-2', draining: true, held_back: true },
        { ...worker, id: 'w-3', free: 0, live: 40 },
        { ...worker, id: 'w-4', storage_full: true },
      ],
      now,
    ),
  ).toBe(
    'WORKER          LIVE  FREE      REPORTED\n' +
      'media-worker-0  3     37 of 40  1 s ago\n' +
      'w-1             3     37 of 40  1 s ago   drained\n' +
      'w-2             3     37 of 40  1 s ago   stopping\n' +
      'w-3             40    0 of 40   1 s ago   full\n' +
      'w-4             3     37 of 40  1 s ago   disk full\n',
  );
  expect(workerList([], now)).toBe('No worker has ever reported.\n');
});
