import { createHmac, randomBytes } from 'node:crypto';

/** Makes a new signing secret; the whole text, prefix included, is the key. */
export function newSigningSecret(): string {
  return `whsec_${randomBytes(32).toString('base64url')}`;
}

/**
 * Returns the signature header of a delivery: `t=<unix seconds>,v1=<hex>`, where v1 is HMAC-SHA256 under the secret
 * over `<t>.<raw body>` (specification, section 6: "Signature").
 */
export function signatureHeader(secret: string, body: string, now: number): string {
  const t = Math.floor(now / 1000);
  return `t=${t},v1=${createHmac('sha256', secret).update(`${t}.`).update(body).digest('hex')}`;
}
