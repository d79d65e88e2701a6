import { expect, it } from 'vitest';
import { pagesPollMs } from './polling.js';

it('reads a list again the seldomer the more of it is loaded', () => {
  const loaded = (pages: number) => pagesPollMs(4000, { pages: Array(pages).fill({}) });
  expect([pagesPollMs(4000, undefined), loaded(1), loaded(20)]).toEqual([4000, 4000, 80_000]);
});
