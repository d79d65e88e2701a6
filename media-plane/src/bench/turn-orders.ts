import { parseArgs } from 'node:util';
import fc from 'fast-check';
import { anyOrder, playToEnd } from '../call/turn-taking/testing/any-order.js';

/**
 * Looks for orders of events in which a call is stuck, in as many calls as is asked for (about 10,000 a second):
 * `node media-plane/dist/bench/turn-orders.js [--runs 300000] [--seed N]`. Prints the shortest one that it finds.
 */
const { values } = parseArgs({
  options: { runs: { type: 'string', default: '300000' }, seed: { type: 'string' } },
});

const found = fc.check(
  fc.property(anyOrder, (order) => playToEnd(order) === 1),
  { numRuns: Number(values.runs), ...(values.seed === undefined ? {} : { seed: Number(values.seed) }) },
);
const summary = `${found.numRuns} calls, seed ${found.seed}: `;
if (found.counterexample) {
  process.stdout.write(
    `${summary}stuck, or not ended once\n${JSON.stringify(found.counterexample)}\n${String(found.errorInstance)}\n`,
  );
  process.exitCode = 1;
} else process.stdout.write(`${summary}each ended, once\n`);
