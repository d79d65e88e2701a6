import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/**
 * AWS Signature Version 4 as the server checks it, in the header and in the query.
 * Source: AWS documentation, "Signature Version 4 signing process" and "Authenticating requests (S3)".
 */
export interface SignedRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

export interface SigningKey {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly region: string;
}

export type Verdict =
  | { readonly ok: true }
  | { readonly ok: false; readonly code: string; readonly message: string };

/** Clocks may differ by so much, in ms. */
const SKEW_MS = 15 * 60_000;
/** The longest life of a presigned URL, in s. */
const MAX_EXPIRES_SECONDS = 7 * 24 * 3600;

const sha256 = (data: Buffer | string) => createHash('sha256').update(data).digest('hex');
const hmac = (key: Buffer | string, data: string) => createHmac('sha256', key).update(data).digest();
const refuse = (code: string, message: string): Verdict => ({ ok: false, code, message });

/** Encodes by RFC 3986: everything but unreserved characters. */
const encode = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);

interface Claim {
  readonly credential: string;
  readonly signedHeaders: readonly string[];
  readonly signature: string;
  readonly date: string;
  readonly payloadHash: string;
  readonly expiresSeconds: number | undefined;
}

/**
 * Checks whether the request was signed with the key, for this very path, query, headers and body, and is not too
 * old.
 */
export function verify(request: SignedRequest, key: SigningKey, now: number): Verdict {
  const claim = request.url.searchParams.has('X-Amz-Signature') ? fromQuery(request) : fromHeader(request);
  if (!claim) return refuse('AccessDenied', 'Access Denied');
  const [accessKeyId, day, region, service, terminator] = claim.credential.split('/');
  if (accessKeyId !== key.accessKeyId) {
    return refuse('InvalidAccessKeyId', 'The AWS Access Key Id you provided does not exist in our records.');
  }
  if (
    region !== key.region ||
    service !== 's3' ||
    terminator !== 'aws4_request' ||
    day !== claim.date.slice(0, 8)
  ) {
    return refuse(
      'AuthorizationHeaderMalformed',
      `The authorization header is malformed; expecting '${key.region}'`,
    );
  }
  if (!claim.signedHeaders.includes('host')) return refuse('AccessDenied', 'host must be signed');
  const signedAt = parseDate(claim.date);
  if (claim.expiresSeconds === undefined) {
    if (Math.abs(now - signedAt) > SKEW_MS) {
      return refuse(
        'RequestTimeTooSkewed',
        'The difference between the request time and the current time is too large.',
      );
    }
    if (claim.payloadHash !== 'UNSIGNED-PAYLOAD' && claim.payloadHash !== sha256(request.body)) {
      return refuse(
        'XAmzContentSHA256Mismatch',
        "The provided 'x-amz-content-sha256' header does not match what was computed.",
      );
    }
  } else if (claim.expiresSeconds > MAX_EXPIRES_SECONDS || now > signedAt + claim.expiresSeconds * 1000) {
    return refuse('AccessDenied', 'Request has expired');
  }
  const expected = signatureOf(request, claim, key);
  const given = Buffer.from(claim.signature, 'utf8');
  const wanted = Buffer.from(expected, 'utf8');
  if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) {
    return refuse(
      'SignatureDoesNotMatch',
      'The request signature we calculated does not match the signature you provided.',
    );
  }
  return { ok: true };
}

function fromHeader({ headers }: SignedRequest): Claim | undefined {
  const match =
    /^AWS4-HMAC-SHA256 Credential=([^,]+),\s*SignedHeaders=([^,]+),\s*Signature=([0-9a-f]{64})$/.exec(
      String(headers.authorization ?? ''),
    );
  const date = String(headers['x-amz-date'] ?? '');
  const payloadHash = String(headers['x-amz-content-sha256'] ?? '');
  if (!match || !/^\d{8}T\d{6}Z$/.test(date) || payloadHash === '') return undefined;
  return {
    credential: match[1]!,
    signedHeaders: match[2]!.split(';'),
    signature: match[3]!,
    date,
    payloadHash,
    expiresSeconds: undefined,
  };
}

function fromQuery({ url }: SignedRequest): Claim | undefined {
  const get = (name: string) => url.searchParams.get(`X-Amz-${name}`) ?? '';
  const date = get('Date');
  const expires = Number(get('Expires'));
  if (get('Algorithm') !== 'AWS4-HMAC-SHA256' || !/^\d{8}T\d{6}Z$/.test(date) || !(expires > 0))
    return undefined;
  return {
    credential: get('Credential'),
    signedHeaders: get('SignedHeaders').split(';'),
    signature: get('Signature'),
    date,
    payloadHash: 'UNSIGNED-PAYLOAD',
    expiresSeconds: expires,
  };
}

function signatureOf({ method, url, headers }: SignedRequest, claim: Claim, key: SigningKey): string {
  const query = [...url.searchParams]
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort()
    .join('&');
  const signed = claim.signedHeaders.map((name) => {
    const value = headers[name];
    return `${name}:${String(Array.isArray(value) ? value.join(',') : (value ?? ''))
      .trim()
      .replace(/\s+/g, ' ')}\n`;
  });
  const path = url.pathname
    .split('/')
    .map((part) => encode(decodeURIComponent(part)))
    .join('/');
  const canonical = [
    method,
    path,
    query,
    signed.join(''),
    claim.signedHeaders.join(';'),
    claim.payloadHash,
  ].join('\n');
  const scope = claim.credential.split('/').slice(1).join('/');
  const text = ['AWS4-HMAC-SHA256', claim.date, scope, sha256(canonical)].join('\n');
  const [day = '', region = '', service = ''] = scope.split('/');
  const signing = hmac(hmac(hmac(hmac(`AWS4${key.secretAccessKey}`, day), region), service), 'aws4_request');
  return createHmac('sha256', signing).update(text).digest('hex');
}

function parseDate(date: string): number {
  return Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
}
