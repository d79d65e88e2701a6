import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** How far the clocks of the planes and the way between them may set a token's time off, in ms. */
export const INTER_PLANE_TOKEN_LIFE_MS = 60_000;

const NONCE_BYTES = 16;
const TOKEN = /^Bearer v2\.(\d{10,16})\.([\w-]{22})\.([0-9a-f]{64})\.([0-9a-f]{64})$/;

export interface InterPlaneRequest {
  readonly secret: string;
  readonly method: string;
  /** Path with query, as sent. */
  readonly path: string;
  /** Exactly the bytes that are sent; undefined for none. */
  readonly body?: string | Uint8Array | undefined;
  /** Hex SHA-256 of the body, where it is known already. */
  readonly bodyHash?: string | undefined;
  /** Epoch ms. */
  readonly now: number;
}

/** What a valid token says of its request; the body is still to be compared. */
export interface InterPlaneToken {
  /** Names the request: no second one has it. */
  readonly nonce: string;
  /** Epoch ms. */
  readonly issuedAt: number;
  /** Hex SHA-256 of the body. */
  readonly bodyHash: string;
}

/** Computes the hex SHA-256 of a body as tokens name it; an absent body is an empty one. */
export function bodyHashOf(body: string | Uint8Array | undefined): string {
  return createHash('sha256')
    .update(body ?? '')
    .digest('hex');
}

function signature(secret: string, method: string, path: string, token: InterPlaneToken): Buffer {
  const signed = [method.toUpperCase(), path, token.issuedAt, token.nonce, token.bodyHash].join('\n');
  return createHmac('sha256', secret).update(signed).digest();
}

/**
 * Creates the `Authorization` header of one request between the planes: signs method, path, body, time and a nonce.
 * Made anew for each attempt, since a nonce is taken once.
 */
export function interPlaneAuthorization(request: InterPlaneRequest): string {
  const { secret, method, path, body, bodyHash = bodyHashOf(body), now } = request;
  const nonce = randomBytes(NONCE_BYTES).toString('base64url');
  const token: InterPlaneToken = { nonce, issuedAt: now, bodyHash };
  const mac = signature(secret, method, path, token).toString('hex');
  return `Bearer v2.${now}.${nonce}.${token.bodyHash}.${mac}`;
}

/**
 * Reads the token of a header that was made with the secret for this method and path, within its life of now; undefined
 * for every other. Constant time. The caller must also compare the body and take the nonce.
 */
export function readInterPlaneToken(
  header: string | undefined,
  { secret, method, path, now }: Omit<InterPlaneRequest, 'body' | 'bodyHash'>,
): InterPlaneToken | undefined {
  const [, time, nonce, bodyHash, mac] = TOKEN.exec(header ?? '') ?? [];
  if (time === undefined || nonce === undefined || bodyHash === undefined || mac === undefined) {
    return undefined;
  }
  const token: InterPlaneToken = { nonce, issuedAt: Number(time), bodyHash };
  if (Math.abs(now - token.issuedAt) > INTER_PLANE_TOKEN_LIFE_MS) return undefined;
  return timingSafeEqual(Buffer.from(mac, 'hex'), signature(secret, method, path, token)) ? token : undefined;
}
