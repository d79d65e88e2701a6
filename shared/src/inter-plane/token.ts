import { createHmac, timingSafeEqual } from 'node:crypto';

/** How long an inter-plane token is good for, in ms: long enough for clock skew, short enough to be useless later. */
export const INTER_PLANE_TOKEN_LIFE_MS = 60_000;

interface InterPlaneRequest {
  readonly secret: string;
  readonly method: string;
  /** Path with query, as sent. */
  readonly path: string;
  /** Epoch ms. */
  readonly now: number;
}

function signature(secret: string, method: string, path: string, expiresAt: number): Buffer {
  return createHmac('sha256', secret).update(`${method.toUpperCase()}\n${path}\n${expiresAt}`).digest();
}

/** The `Authorization` header of a call between the planes: expires, and is bound to method and path. */
export function interPlaneAuthorization({ secret, method, path, now }: InterPlaneRequest): string {
  const expiresAt = now + INTER_PLANE_TOKEN_LIFE_MS;
  return `Bearer v1.${expiresAt}.${signature(secret, method, path, expiresAt).toString('hex')}`;
}

/** Whether the header was made with the secret for this very request and has not expired. Constant time. */
export function verifyInterPlaneAuthorization(
  header: string | undefined,
  { secret, method, path, now }: InterPlaneRequest,
): boolean {
  const match = /^Bearer v1\.(\d{10,16})\.([0-9a-f]{64})$/.exec(header ?? '');
  if (!match) return false;
  const expiresAt = Number(match[1]);
  if (expiresAt < now || expiresAt > now + 2 * INTER_PLANE_TOKEN_LIFE_MS) return false;
  return timingSafeEqual(Buffer.from(match[2]!, 'hex'), signature(secret, method, path, expiresAt));
}
