import { expect, it } from 'vitest';
import { endWords, floatsOf } from './listener.js';

it('reads 16-bit little-endian samples, and no half of one', () => {
  const bytes = Uint8Array.from([0x00, 0x00, 0x00, 0x40, 0x00, 0x80, 0x7f]);
  expect([...floatsOf(bytes.buffer)]).toEqual([0, 0.5, -1]);
});

it('says why the sound ended, but for the end of the call', () => {
  expect(endWords(1000)).toBeNull();
  expect(endWords(1013)).toMatch('too slow');
  expect(endWords(1008)).toMatch('signed out');
  expect([endWords(1001), endWords(1006)]).toEqual([
    'The service goes on elsewhere. Listen again.',
    'The connection is lost. Listen again.',
  ]);
});
