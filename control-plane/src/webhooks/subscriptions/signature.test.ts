import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { newSigningSecret, signatureHeader } from './signature.js';

describe('a signing secret', () => {
  it('has 32 random bytes, and a prefix that says what it is', () => {
    const [first, second] = [newSigningSecret(), newSigningSecret()];
    expect(first).toMatch(/^whsec_[A-Za-z0-9_-]{43}$/);
    expect(second).not.toBe(first);
  });
});

describe('the signature of a delivery', () => {
  it('is the HMAC-SHA256 of the whole second, a dot and the body', () => {
    const now = 1_767_625_200_999;
    const expected = createHmac('sha256', 'whsec_x').update('1767625200.{"a":1}').digest('hex');
    expect(signatureHeader('whsec_x', '{"a":1}', now)).toBe(`t=1767625200,v1=${expected}`);
  });
});
