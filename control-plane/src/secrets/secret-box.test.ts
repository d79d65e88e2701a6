import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SecretBox } from './secret-box.js';

const box = new SecretBox('a key of at least thirty-two characters');

describe('a sealed secret', () => {
  it('opens to what it was, for its purpose', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (purpose, text) => {
        expect(box.open(purpose, box.seal(purpose, text))).toBe(text);
      }),
    );
  });

  it('does not show its text, and never looks the same twice', () => {
    const sealed = [box.seal('p', 'a very secret text'), box.seal('p', 'a very secret text')];
    expect(sealed[0]).not.toBe(sealed[1]);
    expect(Buffer.from(sealed.join(''), 'base64url').toString()).not.toContain('secret');
  });

  it('does not open for another purpose or under another key', () => {
    const sealed = box.seal('tenants/1', 'text');
    expect(() => box.open('tenants/2', sealed)).toThrow();
    expect(() => new SecretBox('another key of thirty-two characters').open('tenants/1', sealed)).toThrow();
  });

  it('does not open when a single bit of it was changed', () => {
    const [version, body] = box.seal('p', 'text').split('.');
    const bytes = Buffer.from(body!, 'base64url');
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const changed = Buffer.from(bytes);
      changed[bit >> 3]! ^= 1 << (bit & 7);
      expect(() => box.open('p', `${version}.${changed.toString('base64url')}`)).toThrow();
    }
  });

  it.each(['', 'v1', 'v1.', 'v1.AAAA', 'plain text', `v2.${'A'.repeat(60)}`])('is not %j', (text) => {
    expect(() => box.open('p', text)).toThrow('not a sealed secret');
  });
});
