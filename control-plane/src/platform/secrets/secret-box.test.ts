import { createCipheriv, hkdfSync, randomBytes } from 'node:crypto';
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
    const bytes = sealed.map((text) => Buffer.from(text.slice(text.lastIndexOf('.') + 1), 'base64url'));
    expect(Buffer.concat(bytes).toString()).not.toContain('secret');
  });

  it('does not open for another purpose or under another key', () => {
    const sealed = box.seal('tenants/1', 'text');
    expect(() => box.open('tenants/2', sealed)).toThrow();
    expect(() => new SecretBox('another key of thirty-two characters').open('tenants/1', sealed)).toThrow();
  });

  it('does not open when a single bit of it was changed', () => {
    const sealed = box.seal('p', 'text');
    const at = sealed.lastIndexOf('.') + 1;
    const bytes = Buffer.from(sealed.slice(at), 'base64url');
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const changed = Buffer.from(bytes);
      changed[bit >> 3]! ^= 1 << (bit & 7);
      expect(() => box.open('p', sealed.slice(0, at) + changed.toString('base64url'))).toThrow();
    }
  });

  it.each(['', 'v1', 'v1.', 'v1.AAAA', 'plain text', `v2.${'A'.repeat(60)}`])('is not %j', (text) => {
    expect(() => box.open('p', text)).toThrow('not a sealed secret');
  });
});

describe('a secret after the key was changed', () => {
  const [first, second] = [
    'the first key of thirty-two characters',
    'the second key of thirty-two characters',
  ];
  const before = new SecretBox(first);
  const after = new SecretBox([second, first]);

  it('names its key, and opens as long as that is among the old ones', () => {
    const old = before.seal('p', 'text');
    expect(old.split('.').slice(0, 2)).toEqual(['v2', before.keyId]);
    expect(after.open('p', old)).toBe('text');
    expect(after.seal('p', 'text').startsWith(after.currentPrefix)).toBe(true);
    expect(after.keyId).not.toBe(before.keyId);
  });

  it('says which key is missing where it is not', () => {
    const message = `sealed under the key ${before.keyId}, which is neither SECRETS_KEY nor in SECRETS_KEYS_OLD`;
    expect(() => new SecretBox(second).open('p', before.seal('p', 'text'))).toThrow(message);
  });

  it('opens also where it was sealed before keys had ids, under whichever of the keys', () => {
    // Sealed by the version that wrote `v1`.
    const old = withoutKeyId(first, 'p', 'text');
    expect(old).toMatch(/^v1\./);
    for (const box of [before, after]) expect(box.open('p', old)).toBe('text');
    expect(() => new SecretBox(second).open('p', old)).toThrow();
    expect(() => after.open('another purpose', old)).toThrow();
  });

  it('does not open under another key by claiming its id', () => {
    const old = before.seal('p', 'text');
    expect(() => after.open('p', old.replace(before.keyId, after.keyId))).toThrow();
  });
});

/** As it was done before keys had ids. */
function withoutKeyId(secretsKey: string, purpose: string, text: string): string {
  const key = Buffer.from(hkdfSync('sha256', secretsKey, '', 'secrets at rest', 32));
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(purpose));
  const sealed = Buffer.concat([nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()]);
  return `v1.${sealed.toString('base64url')}`;
}
