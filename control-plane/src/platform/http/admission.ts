import type { Clock } from '@voice/shared/clock/clock';
import type { Request, Response } from 'express';
import {
  authenticate,
  type CredentialLookup,
  type CredentialRecall,
  SANDBOX_HEADER,
  type SessionPrincipal,
  sandboxOf,
  type TenantSessions,
} from './authentication.js';
import { clientNetwork } from './client-network.js';
import { apiError } from './error-codes.js';
import { toServiceError } from './errors.js';
import { type RateLimiter, rateHeaders, rateLimited } from './rate-limits.js';
import { requireRole } from './roles.js';
import type { Principal, RateClass, Route } from './route.js';
import { choosesMode, credentialBehind, modeOf, takesSessions } from './route-traits.js';

export interface AdmissionOptions {
  readonly clock: Clock;
  readonly lookup: CredentialLookup;
  readonly sessions: TenantSessions;
  readonly recall: CredentialRecall;
  readonly limiter: RateLimiter;
}

/** Counts the request against its subject's limit and sets the X-RateLimit headers; throws 429. */
export async function countRequest(
  response: Response,
  options: Pick<AdmissionOptions, 'limiter' | 'clock'>,
  subject: string,
  rateClass: RateClass,
): Promise<void> {
  const verdict = await options.limiter.consume(subject, rateClass);
  response.set(rateHeaders(verdict));
  if (!verdict.allowed) throw rateLimited(verdict, options.clock);
}

/** Whose limit a request without a tenant counts against. */
export function addressSubject(request: Request): string {
  return `address/${clientNetwork(request.ip)}`;
}

/** Finds the tenant behind a key, or behind a session where the route takes one. */
async function principalOf(
  route: Pick<Route, 'auth' | 'linkPrincipal'>,
  request: Request,
  options: Pick<AdmissionOptions, 'sessions' | 'lookup' | 'recall'>,
): Promise<Principal | SessionPrincipal> {
  if (takesSessions(route)) {
    const linked = route.linkPrincipal?.(request);
    if (linked) {
      const maker = await recalled(linked, options);
      if (maker === null) throw apiError('live_link_invalid');
      return { ...linked, ...maker };
    }
    const { method } = request;
    const session = await options.sessions.find({ method, header: (name) => request.get(name) });
    if (session) return session;
  }
  return authenticate(request.get('authorization'), options.lookup);
}

/** Finds what the credential of a principal may do now, of a link the one that asked for it. */
function recalled(principal: Principal, { recall }: Pick<AdmissionOptions, 'recall'>) {
  const { tenant, sandbox, keyId } = principal;
  return recall({ tenant, sandbox, keyId: credentialBehind(keyId) });
}

/**
 * Returns whether who opened a stream would be let in now: their session or key still counts, and their role allows it.
 * Never rejects; true where the store does not say.
 */
export async function isStillAdmitted(
  route: Pick<Route, 'operationId'>,
  principal: Principal,
  options: Pick<AdmissionOptions, 'recall'>,
): Promise<boolean> {
  try {
    const now = await recalled(principal, options);
    if (now === null) return false;
    requireRole(route, now);
    return true;
  } catch (error) {
    return toServiceError(error).status >= 500;
  }
}

/** The mode of a key is its own; of a session, what it chooses where it matters. Throws 403 `live_mode_required`. */
function inMode(route: Route, request: Request, principal: Principal | SessionPrincipal): Principal {
  const named = request.get(SANDBOX_HEADER);
  // A key's prefix decides, but what is no mode is a mistake in any case.
  const asked = named === undefined ? false : sandboxOf(named);
  const sandbox = 'sandbox' in principal ? principal.sandbox : choosesMode(route) && asked;
  if (sandbox && route.auth === 'tenant_live') throw apiError('live_mode_required');
  return { ...principal, sandbox };
}

/** Returns what the handler gets of who asks: the mode only where its route differs by it. */
export function principalContext(route: Route, principal: Principal | undefined) {
  if (!principal || modeOf(route) !== 'own') return principal;
  return { ...principal, scope: { tenant: principal.tenant, sandbox: principal.sandbox } };
}

/**
 * What is asked by a session is a page that refreshes itself: it must not use up the budget of the tenant's programs,
 * nor they its. What dials costs the same, whichever of them asks.
 */
function classOf(principal: Principal | SessionPrincipal, rateClass: RateClass): RateClass {
  return rateClass === 'default' && !('sandbox' in principal) ? 'session' : rateClass;
}

/** Finds who asks, within which limit. Failed credentials count against the address. */
export async function admit(route: Route, request: Request, response: Response, options: AdmissionOptions) {
  const rateClass = route.rateClass ?? 'default';
  switch (route.auth) {
    case 'inter_plane':
      return undefined;
    case 'none':
      if (!request.originalUrl.startsWith('/internal/')) {
        await countRequest(response, options, addressSubject(request), rateClass);
      }
      return undefined;
    case 'tenant':
    case 'tenant_in_mode':
    case 'tenant_live':
    case 'api_key': {
      const principal = await principalOf(route, request, options).catch(async (error: unknown) => {
        const failure = toServiceError(error);
        if (failure.status < 500) await countRequest(response, options, addressSubject(request), 'default');
        throw failure;
      });
      await countRequest(response, options, `tenant/${principal.tenant}`, classOf(principal, rateClass));
      const admitted = inMode(route, request, principal);
      requireRole(route, admitted);
      return admitted;
    }
  }
}
