import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { SIGNATURE_SAMPLE } from './signature-sample.js';

type IsGenuine = (secret: string, header: string | undefined, body: string) => boolean;

describe('the code that verifies a signature', async () => {
  const address = `data:text/javascript,${encodeURIComponent(SIGNATURE_SAMPLE)}`;
  const { isGenuine } = (await import(/* @vite-ignore */ address)) as { readonly isGenuine: IsGenuine };
  const [secret, body] = ['whsec_a', '{"event_type":"call.completed"}'];
  const signed = (t: number, text = body) =>
    `t=${t},v1=${createHmac('sha256', secret).update(`${t}.${text}`).digest('hex')}`;
  const now = Math.floor(Date.now() / 1000);

  it('takes what is signed now', () => expect(isGenuine(secret, signed(now), body)).toBe(true));

  it.each([
    ['another body', signed(now, '{}')],
    ['an old signature', signed(now - 3600)],
    ['no signature', undefined],
    ['no signature by its form', 'v1=00'],
  ])('refuses %s', (_what, header) => expect(isGenuine(secret, header, body)).toBe(false));
});
