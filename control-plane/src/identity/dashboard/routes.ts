import { sessionCookieName } from '../../platform/http/authentication.js';
import { apiError } from '../../platform/http/error-codes.js';
import { LEAST_ROLES } from '../../platform/http/roles.js';
import { noContent, type Route, reply, route } from '../../platform/http/route.js';
import type { IdentityProviderAccess } from '../../platform/settings/identity-provider.js';
import type { TenantsService } from '../tenants/service.js';
import type { UsersService } from '../users/service.js';
import type { LoginLinks } from './login-links.js';
import { loginUrl } from './login-url.js';
import {
  loginLinkRequest,
  loginLinkResponse,
  sessionResponse,
  signInRequest,
  signInWaysResponse,
} from './schemas.js';
import { cookieValue } from './session-cookie.js';
import type { Session, Sessions } from './sessions.js';
import { type SignInOptions, signIn } from './sign-in.js';
import { isSameOrigin, memberOfSession } from './tenant-sessions.js';

const tag = 'Dashboard';
const path = '/dashboard/session';
/** What the page is opened with by who comes back from the identity provider. */
const PROVIDER_FRAGMENT = 'identity-provider';
/** Stands in IDENTITY_SIGN_IN_URL for where to come back to; `url` writes braces so. */
const RETURN_TO = /\{return_to\}|%7Breturn_to%7D/gi;

export interface DashboardRoutesOptions extends SignInOptions {
  readonly links: LoginLinks;
  readonly sessions: Sessions;
  readonly tenants: TenantsService;
  readonly users: UsersService;
  readonly publicUrl: () => string;
  /** Undefined: none is configured. */
  readonly identityProvider: IdentityProviderAccess | undefined;
}

/**
 * Declares the routes of the dashboard's own session: begun by a login link or a session of the identity provider,
 * shown, ended.
 */
export function sessionRoutes(options: DashboardRoutesOptions): Route[] {
  const { sessions, tenants, users, publicUrl, identityProvider } = options;
  const shown = async (session: Session) => {
    const { tenant, expiresAt } = session;
    const member = await memberOfSession(users.members, session);
    return {
      tenant_id: tenant,
      tenant_name: await tenants.nameOf(tenant),
      expires_at: expiresAt.toISOString(),
      member: member && { id: member.userId, name: member.name, email: member.email },
      role: member?.role ?? ('owner' as const),
      least_roles: Object.fromEntries(LEAST_ROLES),
    };
  };
  return [
    route({
      method: 'post',
      path,
      operationId: 'signIn',
      tag,
      summary: 'Sign in by a login link, an invitation, or the session of the identity provider',
      auth: 'none',
      listed: false,
      body: signInRequest,
      responses: { 201: { description: 'Signed in; the session is a cookie.', schema: sessionResponse } },
      errors: [
        'login_link_invalid',
        'cross_site_request',
        'missing_credentials',
        'invalid_session',
        'session_expired',
        'identity_provider_unavailable',
      ],
      handler: async ({ body, request }) => {
        const asked = { method: request.method, header: (name: string) => request.get(name) };
        if (!isSameOrigin(asked, publicUrl())) throw apiError('cross_site_request');
        const token = body.token ?? cookieValue(request.get('cookie'), identityProvider?.cookie ?? '');
        if (token === undefined) throw apiError('missing_credentials', 'The browser brings no session.');
        const opened = await signIn(options, token);
        if (opened === null) throw apiError('login_link_invalid');
        const { session, setCookie } = opened;
        const member = await memberOfSession(users.members, session);
        if (member !== null) await users.members.noteSeen(member);
        return reply(201, await shown(session), { 'Set-Cookie': setCookie, 'Cache-Control': 'no-store' });
      },
    }),
    route({
      method: 'get',
      path,
      operationId: 'getSession',
      tag,
      summary: 'Who is signed in',
      auth: 'none',
      listed: false,
      responses: { 200: { description: 'The session.', schema: sessionResponse } },
      errors: ['missing_credentials', 'invalid_session', 'session_expired'],
      handler: async ({ request }) => {
        const cookie = cookieValue(request.get('cookie'), sessionCookieName(publicUrl()));
        if (cookie === undefined) throw apiError('missing_credentials', 'Nobody is signed in.');
        return reply(200, await shown(await sessions.read(cookie)), { 'Cache-Control': 'no-store' });
      },
    }),
    route({
      method: 'get',
      path: `${path}/ways`,
      operationId: 'getSignInWays',
      tag,
      summary: 'How people sign in',
      auth: 'none',
      listed: false,
      responses: {
        200: { description: 'Beside login links, which work always.', schema: signInWaysResponse },
      },
      handler: async () => {
        const returnTo = encodeURIComponent(`${publicUrl()}/dashboard#${PROVIDER_FRAGMENT}`);
        const signInUrl = identityProvider?.signInUrl?.replaceAll(RETURN_TO, returnTo) ?? null;
        return reply(200, { identity_provider: identityProvider ? { sign_in_url: signInUrl } : null });
      },
    }),
    route({
      method: 'delete',
      path,
      operationId: 'signOut',
      tag,
      summary: 'Sign out',
      auth: 'none',
      listed: false,
      responses: { 204: { description: 'Nobody is signed in any more.' } },
      errors: ['cross_site_request'],
      handler: async ({ request }) => {
        const asked = { method: request.method, header: (name: string) => request.get(name) };
        if (!isSameOrigin(asked, publicUrl())) throw apiError('cross_site_request');
        const cookie = cookieValue(request.get('cookie'), sessionCookieName(publicUrl()));
        const setCookie = await sessions.close(cookie ?? '');
        return noContent({ 'Set-Cookie': setCookie });
      },
    }),
  ];
}

/** Declares the route by which the operator of the installation lets somebody in. */
export function loginLinkRoutes({ links, tenants, users, publicUrl }: DashboardRoutesOptions): Route[] {
  return [
    route({
      method: 'post',
      path: '/internal/dashboard/login-links',
      operationId: 'createLoginLink',
      tag,
      summary: 'Make a one-time link to the dashboard of a tenant, and the tenant if it is new',
      auth: 'inter_plane',
      body: loginLinkRequest,
      responses: { 201: { description: 'The link, shown once.', schema: loginLinkResponse } },
      handler: async ({ body }) => {
        const tenant = await tenants.ensure(body.tenant);
        const { token, expiresAt } = await links.create(tenant, await users.ownerOf(tenant));
        return reply(201, {
          url: loginUrl(publicUrl(), token, body.page),
          expires_at: expiresAt.toISOString(),
          tenant_id: tenant,
          signed_in_before: await users.members.someoneWasSeen(tenant),
        });
      },
    }),
  ];
}
