/** Code that verifies a signature, for Node: the test beside it runs it. */
export const SIGNATURE_SAMPLE = `import { createHmac, timingSafeEqual } from 'node:crypto';

// header: X-Service-Signature; body: its raw bytes, not parsed
export function isGenuine(secret, header, body) {
  const form = /^t=(\\d+),v1=([0-9a-f]{64})$/;
  const [, t, v1] = form.exec(header ?? '') ?? [];
  // An old one may be recorded and sent again.
  if (!t || Math.abs(Date.now() / 1000 - t) > 300) return false;
  const hmac = createHmac('sha256', secret);
  const expected = hmac.update(t + '.').update(body).digest();
  return timingSafeEqual(expected, Buffer.from(v1, 'hex'));
}
`;
