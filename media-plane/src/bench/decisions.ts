import { decide, initialState } from '../call/turn-taking/decide.js';
import { ScriptedCall } from '../call/turn-taking/testing/scripted-call.js';

/**
 * What a decision costs, over a long conversation, beside a plain copy of an object of the state's size in
 * the same run: `node media-plane/dist/bench/decisions.js`.
 */
const ROUNDS = 200;
const RUNS = 20;

function conversation(): ScriptedCall {
  const call = new ScriptedCall({ options: { firstMessage: 'Hello, how can I help you today?' } })
    .start()
    .untilQuiet();
  for (let turn = 0; turn < 12; turn += 1) {
    call.callerSays('I would like to book a table for four people please');
    call.untilQuiet();
  }
  return call;
}

/** Returns the best of several runs, in µs for one of `count` steps: the step's cost, not the machine's other load. */
function bestUs(count: number, run: () => void): number {
  let best = Number.POSITIVE_INFINITY;
  for (let i = 0; i < RUNS; i += 1) {
    const from = performance.now();
    for (let round = 0; round < ROUNDS; round += 1) run();
    best = Math.min(best, ((performance.now() - from) * 1000) / (ROUNDS * count));
  }
  return best;
}

const call = conversation();
const decision = bestUs(call.log.length, () => {
  let state = initialState(call.options);
  for (const { event } of call.log) state = decide(state, event).state;
});
const sample = initialState(call.options);
let kept: object = sample;
const copy = bestUs(call.log.length, () => {
  for (let i = 0; i < call.log.length; i += 1) kept = { ...sample, at: i };
});

process.stdout.write(
  `decision ${decision.toFixed(2)} µs, ${(decision / copy).toFixed(1)} times a copy of the state ` +
    `(${copy.toFixed(2)} µs, ${Object.keys(kept).length} fields), over ${call.log.length} events\n`,
);
