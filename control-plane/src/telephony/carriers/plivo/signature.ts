import { createHmac, timingSafeEqual } from 'node:crypto';
import { apiError } from '../../../platform/http/error-codes.js';
import type { CarrierCallback } from '../port.js';

/**
 * Returns what version 3 of Plivo's signature is over, of a POST: the address without its query, the decoded query
 * sorted by name, the form's names and values sorted by name, and the nonce (plivo's SDK for Node 4.79, `v3Security`).
 */
export function signedText(url: string, form: URLSearchParams, nonce: string): string {
  const { origin, pathname, searchParams } = new URL(url);
  const query = sorted(searchParams).map(([name, value]) => `${name}=${value}`);
  const fields = sorted(form).map(([name, value]) => name + value);
  const asked = query.length > 0 || fields.length > 0 ? `?${query.join('&')}` : '';
  const between = query.length > 0 && fields.length > 0 ? '.' : '';
  return `${origin}${pathname}${asked}${between}${fields.join('')}.${nonce}`;
}

function sorted(pairs: URLSearchParams): [string, string][] {
  const inOrder = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
  return [...pairs].sort(([a, x], [b, y]) => inOrder(a, b) || inOrder(x, y));
}

export function plivoSignature(authToken: string, text: string): string {
  return createHmac('sha256', authToken).update(text, 'utf8').digest('base64');
}

/** Verifies a callback and reads its form from the raw body. Throws 401 `invalid_signature`. */
export function verifiedForm(callback: CarrierCallback, authToken: string): URLSearchParams {
  const form = new URLSearchParams(callback.rawBody.toString('utf8'));
  const nonce = callback.header('x-plivo-signature-v3-nonce') ?? '';
  const given = (callback.header('x-plivo-signature-v3') ?? '').split(',');
  const expected = Buffer.from(plivoSignature(authToken, signedText(callback.url, form, nonce)));
  // Several while the account's token is being changed.
  const isGenuine = given.some((signature) => {
    const bytes = Buffer.from(signature.trim());
    return bytes.length === expected.length && timingSafeEqual(bytes, expected);
  });
  if (nonce === '' || !isGenuine) throw apiError('invalid_signature');
  return form;
}
