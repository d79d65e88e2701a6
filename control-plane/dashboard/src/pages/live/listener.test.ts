import { expect, it } from 'vitest';
import { floatsOf } from './listener.js';

it('reads 16-bit little-endian samples, and no half of one', () => {
  const bytes = Uint8Array.from([0x00, 0x00, 0x00, 0x40, 0x00, 0x80, 0x7f]);
  expect([...floatsOf(bytes.buffer)]).toEqual([0, 0.5, -1]);
});
