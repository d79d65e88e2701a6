import { expect, it } from 'vitest';
import { exportedMetrics } from '../testing/exported-metrics.js';

it('counts no place of a worker that drains, so that its successor is not taken for surplus', async () => {
  const places = async (draining: boolean) =>
    (await exportedMetrics({ draining }).metrics())
      .split('\n')
      .filter((line) => line.startsWith('worker_places'));
  expect(await places(false)).toEqual(['worker_places 2', 'worker_places_free 2']);
  expect(await places(true)).toEqual(['worker_places 0', 'worker_places_free 0']);
});
