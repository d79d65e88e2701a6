import { describe, expect, it } from 'vitest';
import { SigningKeys } from './signing-keys.js';

const [first, second] = ['the first key of thirty-two characters', 'the second key of thirty-two characters'];

describe('a signature', () => {
  it('counts also after the key was changed, as long as that is among the old ones', () => {
    const mac = new SigningKeys(first, 'links').sign('text');
    expect(new SigningKeys([second, first], 'links').verify(mac, 'text')).toBe(true);
    expect(new SigningKeys(second, 'links').verify(mac, 'text')).toBe(false);
    expect(new SigningKeys([second, first], 'links').sign('text')).toEqual(
      new SigningKeys(second, 'links').sign('text'),
    );
  });

  it('counts for its text and its purpose alone', () => {
    const mac = new SigningKeys(first, 'links').sign('a', 'b');
    expect(new SigningKeys(first, 'links').verify(mac, 'ab')).toBe(true);
    expect(new SigningKeys(first, 'links').verify(mac, 'ac')).toBe(false);
    expect(new SigningKeys(first, 'cookies').verify(mac, 'ab')).toBe(false);
  });

  it('may be shortened, but not to nothing', () => {
    const keys = new SigningKeys(first, 'links');
    expect(keys.verify(keys.sign('a').subarray(0, 16), 'a')).toBe(true);
    expect(keys.verify(Buffer.alloc(0), 'a')).toBe(false);
    expect(keys.verify(Buffer.concat([keys.sign('a'), Buffer.alloc(1)]), 'a')).toBe(false);
  });
});
