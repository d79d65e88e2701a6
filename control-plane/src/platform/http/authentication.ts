import { apiError } from './error-codes.js';
import type { Principal } from './route.js';
import { ValidationError } from './validation.js';

/** Finds who owns a credential; null when nobody does. */
export type CredentialLookup = (credential: string) => Promise<Principal | null>;

/**
 * Returns the cookie of the dashboard's session. Where the service is reached by https, its name begins with `__Host-`:
 * browsers then take it over https alone, and from this very host, not from a neighbour that shares its domain.
 */
export function sessionCookieName(publicUrl: string): string {
  return isHttps(publicUrl) ? '__Host-dashboard_session' : 'dashboard_session';
}

export function isHttps(publicUrl: string): boolean {
  return publicUrl.startsWith('https:');
}

/** By which a session, that has no mode of its own, chooses one; production without it. */
export const SANDBOX_HEADER = 'X-Sandbox';

/**
 * Finds what a credential may do that was shown before, without its being shown again; null when it does not count any
 * more. For streams, which outlive the request that opened them.
 */
export type CredentialRecall = (
  shown: Pick<Principal, 'tenant' | 'sandbox' | 'keyId'>,
) => Promise<Pick<Principal, 'role'> | null>;

/** What a session is looked for in. */
export interface SessionRequest {
  readonly method: string;
  header(name: string): string | undefined;
}

/** Who is signed in; each request chooses for itself in which mode it is. */
export type SessionPrincipal = Omit<Principal, 'sandbox'>;

/** The sessions that stand for a tenant beside API keys. */
export interface TenantSessions {
  /** Null when the request carries no session; throws 401 or 403 for one that does not count. */
  find(request: SessionRequest): Promise<SessionPrincipal | null>;
  /** Of sessions alone. */
  readonly recall: CredentialRecall;
}

const BEARER = /^Bearer +(\S+)$/i;

/**
 * Returns the mode that a request with a session chooses: production unless it says otherwise; 422 for anything else.
 */
export function sandboxOf(header: string | undefined): boolean {
  if (header === undefined || header === 'false') return false;
  if (header === 'true') return true;
  throw new ValidationError([
    { loc: ['header', SANDBOX_HEADER], msg: 'true or false', type: 'invalid_value' },
  ]);
}

/** Finds the principal behind an Authorization header; 401 otherwise. */
export async function authenticate(header: string | undefined, lookup: CredentialLookup): Promise<Principal> {
  if (header === undefined || header.trim() === '') {
    throw apiError('missing_credentials', 'Send your API key as "Authorization: Bearer <API_KEY>".');
  }
  const credential = BEARER.exec(header.trim())?.[1];
  const principal = credential === undefined ? null : await lookup(credential);
  if (principal === null) throw apiError('invalid_api_key');
  return principal;
}
