import { expect, it } from 'vitest';
import { decide, initialState } from './decide.js';
import { ScriptedCall } from './testing/scripted-call.js';

/** A worker decides for hundreds of calls on one thread, dozens of times a second each. */
const BUDGET_US = 5;
const RUNS = 60;
const ROUNDS = 4;

it('a decision costs less than 5 µs on average, over a long conversation', () => {
  const call = new ScriptedCall({ options: { firstMessage: 'Hello, how can I help you today?' } })
    .start()
    .untilQuiet();
  for (let turn = 0; turn < 12; turn += 1) {
    call.callerSays('I would like to book a table for four people please');
    call.untilQuiet();
  }
  const decideAll = () => {
    let state = initialState(call.options);
    for (const { event } of call.log) state = decide(state, event).state;
  };
  for (let round = 0; round < 100; round += 1) decideAll();
  // The best of many short runs: what it costs, not what else the machine does meanwhile.
  let best = Number.POSITIVE_INFINITY;
  for (let run = 0; run < RUNS; run += 1) {
    const from = performance.now();
    for (let round = 0; round < ROUNDS; round += 1) decideAll();
    best = Math.min(best, ((performance.now() - from) * 1000) / (ROUNDS * call.log.length));
  }
  expect(best).toBeLessThan(BUDGET_US);
});
