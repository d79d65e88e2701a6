import { createHmac, randomUUID } from 'node:crypto';

/**
 * Returns the headers by which Plivo signs a POST (version 3): over the address with its query sorted, the fields
 * sorted, and a nonce. Written from the vendor's SDK, apart from the code that is tested with it.
 */
export function plivoHeaders(authToken: string, address: string, fields: Readonly<Record<string, string>>) {
  const nonce = randomUUID().replaceAll('-', '');
  const url = new URL(address);
  const query = [...url.searchParams.keys()]
    .sort()
    .map((name) => `${name}=${url.searchParams.get(name)}`)
    .join('&');
  const body = Object.keys(fields)
    .sort()
    .map((name) => name + fields[name])
    .join('');
  let text = url.origin + url.pathname;
  if (query !== '' || body !== '') text += `?${query}`;
  if (query !== '' && body !== '') text += '.';
  text += `${body}.${nonce}`;
  return {
    'content-type': 'application/x-www-form-urlencoded',
    'x-plivo-signature-v3-nonce': nonce,
    'x-plivo-signature-v3': createHmac('sha256', authToken).update(text).digest('base64'),
  };
}
