/** What follows from how a route is declared: from its method, and from whose credential it takes. */
import type { Method, Principal, Route } from './route.js';

export function isMutating(method: Method): boolean {
  return method !== 'get';
}

/** Returns whether the route acts for a tenant whom its credential names. */
export function actsForTenant({ auth }: Pick<Route, 'auth'>): boolean {
  return auth === 'api_key' || takesSessions({ auth });
}

/** Returns whether a session stands for the tenant as well as a key does. */
export function takesSessions({ auth }: Pick<Route, 'auth'>): boolean {
  return auth === 'tenant' || auth === 'tenant_in_mode' || auth === 'tenant_live';
}

/** Returns whether a session chooses the mode by `X-Sandbox`: wherever sandbox and production differ. */
export function choosesMode({ auth }: Pick<Route, 'auth'>): boolean {
  return auth === 'tenant_in_mode' || auth === 'tenant_live';
}

/**
 * Returns what the route is to the two modes, as the OpenAPI description says it; undefined where nobody is asked who
 * they are.
 */
export function modeOf({ auth }: Pick<Route, 'auth'>): 'own' | 'shared' | 'live' | undefined {
  switch (auth) {
    case 'api_key':
    case 'tenant_in_mode':
      return 'own';
    case 'tenant':
      return 'shared';
    case 'tenant_live':
      return 'live';
    case 'inter_plane':
    case 'none':
      return undefined;
  }
}

/** Returns whether the principal is a browser that is signed in to the dashboard: it keeps cookies. */
export function isDashboardSession(keyId: Principal['keyId']): boolean {
  return keyId.startsWith('dashboard/');
}

/** Returns whether the principal is a person who is signed in: at the dashboard, or at the identity provider. */
export function isSession(keyId: Principal['keyId']): boolean {
  return isDashboardSession(keyId) || keyId.startsWith('identity/');
}

const LINK = 'link/';

/** Returns the principal that a signed link stands for: it counts as long as the credential that asked for it. */
export function linkOf(keyId: Principal['keyId']): Principal['keyId'] {
  return `${LINK}${keyId}`;
}

/** Returns the credential itself, of a link the one that asked for it. */
export function credentialBehind(keyId: Principal['keyId']): Principal['keyId'] {
  return keyId.startsWith(LINK) ? keyId.slice(LINK.length) : keyId;
}

/** Returns whether the route honours Idempotency-Key: all that mutate on behalf of a tenant. */
export function isIdempotent(declared: Pick<Route, 'method' | 'auth'>): boolean {
  return isMutating(declared.method) && actsForTenant(declared);
}
