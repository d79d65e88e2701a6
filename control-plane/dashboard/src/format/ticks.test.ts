import { expect, it } from 'vitest';
import { countTicks, latencyTicks, moneyTicks } from './ticks.js';

it.each([
  [[0], ['$0']],
  [
    [0, 5, 10],
    ['$0', '$5', '$10'],
  ],
  [
    [0, 0.1, 0.2],
    ['$0.00', '$0.10', '$0.20'],
  ],
  [
    [0, 0.0025, 0.005],
    ['$0.0000', '$0.0025', '$0.0050'],
  ],
])('labels %j USD with the digits that the step needs', (ticks, labels) =>
  expect(moneyTicks(ticks)).toEqual(labels),
);

it('labels latencies in one unit', () => {
  expect(latencyTicks([0, 200, 400])).toEqual(['0 ms', '200 ms', '400 ms']);
  expect(latencyTicks([0, 500, 1000])).toEqual(['0.0 s', '0.5 s', '1.0 s']);
});

it('labels counts at whole numbers alone', () => {
  expect(countTicks([0, 0.5, 1])).toEqual(['0', '', '1']);
  expect(countTicks([0, 1000])).toEqual(['0', '1,000']);
});
