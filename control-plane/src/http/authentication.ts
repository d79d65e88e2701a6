import type { Clock } from '@voice/shared/clock/clock';
import { verifyInterPlaneAuthorization } from '@voice/shared/inter-plane/token';
import { apiError } from './error-codes.js';
import type { Principal } from './route.js';
import { ValidationError } from './validation.js';

/** Finds who owns a credential; null when nobody does. */
export type CredentialLookup = (credential: string) => Promise<Principal | null>;

export const SESSION_COOKIE = 'dashboard_session';
/** By which a session, that has no mode of its own, chooses one. */
export const SANDBOX_HEADER = 'X-Sandbox';

/** What a session is looked for in. */
export interface SessionRequest {
  readonly method: string;
  header(name: string): string | undefined;
}

/** Who is signed in; each request says for itself in which mode it is. */
export type SessionPrincipal = Omit<Principal, 'sandbox'>;

/** The sessions that stand for a tenant beside API keys. */
export interface TenantSessions {
  /** Null when the request carries no session; throws 401 or 403 for one that does not count. */
  find(request: SessionRequest): Promise<SessionPrincipal | null>;
}

const BEARER = /^Bearer +(\S+)$/i;

/** The mode that a request with a session names; 422 when it does not, for a guess could cost money. */
export function sandboxOf(header: string | undefined): boolean {
  if (header === 'true' || header === 'false') return header === 'true';
  const missing = header === undefined;
  throw new ValidationError([
    {
      loc: ['header', SANDBOX_HEADER],
      msg: missing ? 'Field required: a session must name the mode' : 'true or false',
      type: missing ? 'missing' : 'invalid_value',
    },
  ]);
}

/** The principal behind an Authorization header; 401 otherwise. */
export async function authenticate(header: string | undefined, lookup: CredentialLookup): Promise<Principal> {
  if (header === undefined || header.trim() === '') {
    throw apiError('missing_credentials', 'Send your API key as "Authorization: Bearer <API_KEY>".');
  }
  const credential = BEARER.exec(header.trim())?.[1];
  const principal = credential === undefined ? null : await lookup(credential);
  if (principal === null) throw apiError('invalid_api_key');
  return principal;
}

/** Refuses what the other plane did not sign for this very method and path. */
export function requireInterPlane(
  request: { readonly authorization: string | undefined; readonly method: string; readonly path: string },
  secret: string,
  clock: Clock,
): void {
  const { authorization, method, path } = request;
  if (authorization === undefined) throw apiError('missing_credentials');
  if (!verifyInterPlaneAuthorization(authorization, { secret, method, path, now: clock.now() })) {
    throw apiError('invalid_signature');
  }
}
