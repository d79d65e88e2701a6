import type { WorkerStatus } from '../installation/api-client.js';

/** Returns why a worker gets no new calls, in a word; empty where it gets some. */
function refusal({ draining, held_back, storage_full, free }: WorkerStatus): string {
  if (draining) return 'stopping';
  if (held_back) return 'drained';
  if (storage_full) return 'disk full';
  return free <= 0 ? 'full' : '';
}

/** Writes the workers as lines of a table. `now` is epoch ms. */
export function workerList(workers: readonly WorkerStatus[], now: number): string {
  if (workers.length === 0) return 'No worker has ever reported.\n';
  const rows = workers.map((worker) => [
    worker.id,
    String(worker.live),
    `${worker.free} of ${worker.capacity}`,
    `${Math.max(0, Math.round((now - Date.parse(worker.last_seen_at)) / 1000))} s ago`,
    refusal(worker),
  ]);
  const table = [['WORKER', 'LIVE', 'FREE', 'REPORTED', ''], ...rows];
  const widths = table[0]!.map((_cell, column) => Math.max(...table.map((row) => row[column]!.length)));
  return table
    .map(
      (row) =>
        `${row
          .map((cell, column) => cell.padEnd(widths[column]!))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}
