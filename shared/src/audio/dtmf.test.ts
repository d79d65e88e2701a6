import { expect, it } from 'vitest';
import { DTMF_TONE_MS, dtmfTones } from './dtmf.js';
import { encodeMulaw, MULAW_SILENCE } from './g711.js';
import { heardKeys } from './testing/heard-keys.js';

it('every key is heard as itself, and one that is pressed twice as two', () => {
  for (const keys of ['0123456789*#ABCD', '1144', '#']) expect(heardKeys(dtmfTones(keys))).toBe(keys);
});

it('keys last as long as they should', () => {
  expect(dtmfTones('12').length).toBe(2 * 2 * DTMF_TONE_MS * 8);
});

it('what is no key is refused', () => {
  expect(() => dtmfTones('1x')).toThrow(/x is no key/);
});

it('a receiver hears no keys in silence, a single tone or noise', () => {
  expect(heardKeys(new Uint8Array(1600).fill(MULAW_SILENCE))).toBe('');
  const tone = Int16Array.from({ length: 1600 }, (_, n) => 8000 * Math.sin((2 * Math.PI * 697 * n) / 8000));
  expect(heardKeys(encodeMulaw(tone))).toBe('');
  let seed = 1;
  const noise = Int16Array.from({ length: 8000 }, () => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return (seed / 2147483648 - 0.5) * 20_000;
  });
  expect(heardKeys(encodeMulaw(noise))).toBe('');
});
