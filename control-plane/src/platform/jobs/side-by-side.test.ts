import { expect, it } from 'vitest';
import { sideBySide } from './side-by-side.js';

it('works on so many items at once, and gives the results in their order', async () => {
  const waiting: (() => void)[] = [];
  let most = 0;
  const all = sideBySide([1, 2, 3, 4, 5], 2, async (item) => {
    await new Promise<void>((resolve) => waiting.push(resolve));
    return item * 10;
  });
  for (let done = 0; done < 5; done++) {
    await Promise.resolve();
    most = Math.max(most, waiting.length);
    // The one that came last goes first.
    waiting.pop()!();
    for (let turn = 0; turn < 5; turn++) await Promise.resolve();
  }
  expect([most, await all]).toEqual([2, [10, 20, 30, 40, 50]]);
});

it('fails with the first that fails', async () => {
  await expect(sideBySide([1, 2], 5, (item) => Promise.reject(new Error(`${item}`)))).rejects.toThrow('1');
});
