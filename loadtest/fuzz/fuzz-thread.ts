import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { parentPort, workerData } from 'node:worker_threads';
import { z } from 'zod';
import { BATCH, runBatchFast } from './batches.js';
import { TARGETS } from './targets.js';

/** What one thread is to do. */
const order = z.object({ target: z.string(), seed: z.number(), inputs: z.number(), dir: z.string() });

/** What it reports, after so many inputs; after `failed` and `done` it ends. */
export type FuzzReport =
  | { readonly kind: 'at'; readonly input: number }
  /** Between two batches, with what is in use on the heap then, in bytes. */
  | { readonly kind: 'batch'; readonly input: number; readonly heap: number }
  | { readonly kind: 'done'; readonly input: number; readonly heap: number }
  /** `seed` and `inputs` find it again. */
  | {
      readonly kind: 'failed';
      readonly input: number;
      readonly message: string;
      readonly seed: number;
      readonly inputs: number;
    };

/** How often a thread says where it is, in ms: a hang is found by the silence, however slow the machine is. */
const REPORT_EVERY_MS = 500;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

async function run(): Promise<void> {
  const { target: name, seed, inputs, dir } = order.parse(workerData);
  const report = (message: FuzzReport) => parentPort!.postMessage(message);
  const target = await TARGETS[name]!(dir);
  let reportedAt = performance.now();
  for (let from = 0; from < inputs; from += BATCH) {
    const failure = await runBatchFast(
      target,
      seed + from / BATCH,
      Math.min(BATCH, inputs - from),
      (read) => {
        if (performance.now() - reportedAt < REPORT_EVERY_MS) return;
        reportedAt = performance.now();
        report({ kind: 'at', input: from + read });
      },
    );
    if (failure) {
      const { error, at } = failure;
      const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
      report({ kind: 'failed', input: from + at, message, seed: failure.seed, inputs: at + 1 });
      return;
    }
    collect();
    const input = Math.min(inputs, from + BATCH);
    report({ kind: input < inputs ? 'batch' : 'done', input, heap: process.memoryUsage().heapUsed });
  }
}

await run();
// The store's files keep the thread alive.
process.exit(0);
