import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { SignatureError } from './errors.js';
import { verifyWebhook } from './webhooks.js';

const secret = 'whsec_1';
const now = Date.UTC(2026, 0, 5);
const body = '{"event_type":"call.started","event_id":"e-1","data":{"name":"Zoë"}}';
const signed = (text: string, at = now / 1000, by = secret) =>
  `t=${at},v1=${createHmac('sha256', by).update(`${at}.${text}`).digest('hex')}`;

describe('a delivery', () => {
  it('that was signed with the secret is its event, from text or bytes', () => {
    for (const given of [body, new TextEncoder().encode(body)]) {
      expect(verifyWebhook({ body: given, signature: signed(body), secret, now })).toMatchObject({
        event_type: 'call.started',
        data: { name: 'Zoë' },
      });
    }
  });

  it.each([
    ['without a signature', undefined],
    ['with one of another form', 'v1=abc'],
    ['with one of another body', signed('{}')],
    ['with one by another secret', signed(body, now / 1000, 'whsec_2')],
    ['with one of six minutes ago', signed(body, now / 1000 - 360)],
    ['with one of six minutes ahead', signed(body, now / 1000 + 360)],
  ])('%s is refused', (_, signature) => {
    expect(() => verifyWebhook({ body, signature, secret, now })).toThrow(SignatureError);
  });

  it.each(['', undefined])('is refused without a secret, by which anybody could sign: %j', (none) => {
    const signature = signed(body, now / 1000, '');
    expect(() => verifyWebhook({ body, signature, secret: none, now })).toThrow('There is no secret');
  });
});
