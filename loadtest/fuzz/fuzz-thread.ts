import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { parentPort, workerData } from 'node:worker_threads';
import { z } from 'zod';
import { randomOf } from '../system/seeded-random.js';
import { TARGETS } from './targets.js';

/** What one thread is to do. */
const order = z.object({ target: z.string(), seed: z.number(), inputs: z.number(), dir: z.string() });

/** What it reports; after `failed` and `done` it ends. */
export type FuzzReport =
  | { readonly kind: 'at'; readonly input: number; readonly heap: number }
  | { readonly kind: 'failed'; readonly input: number; readonly message: string }
  | { readonly kind: 'done'; readonly input: number; readonly heap: number };

/** How often a thread says where it is: a hang is found by the silence. */
const REPORT_EVERY = 1000;
/** So many inputs share one seed, so that a failure is found again without all that came before. */
const BATCH = 10_000;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

async function run(): Promise<void> {
  const { target: name, seed, inputs, dir } = order.parse(workerData);
  const report = (message: FuzzReport) => parentPort!.postMessage(message);
  const target = await TARGETS[name]!(dir);
  let random = randomOf(seed);
  const step = target.inputsARun ?? 1;
  for (let input = 0; input < inputs; input += step) {
    if (input % BATCH === 0) random = randomOf(seed + Math.floor(input / BATCH));
    try {
      await target.run(random);
    } catch (error) {
      const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
      report({ kind: 'failed', input, message });
      return;
    }
    if (input % REPORT_EVERY === 0) {
      if (input % BATCH === 0) collect();
      report({ kind: 'at', input, heap: process.memoryUsage().heapUsed });
    }
  }
  collect();
  report({ kind: 'done', input: inputs, heap: process.memoryUsage().heapUsed });
}

await run();
// The store's files keep the thread alive.
process.exit(0);
