import { sessionCookieName } from '../../platform/http/authentication.js';
import { apiError } from '../../platform/http/error-codes.js';
import { LEAST_ROLES } from '../../platform/http/roles.js';
import { noContent, type Route, reply, route } from '../../platform/http/route.js';
import type { TenantsService } from '../tenants/service.js';
import type { UsersService } from '../users/service.js';
import type { LoginLinks } from './login-links.js';
import { loginUrl } from './login-url.js';
import { loginLinkRequest, loginLinkResponse, sessionResponse, signInRequest } from './schemas.js';
import { cookieValue } from './session-cookie.js';
import type { Session, Sessions } from './sessions.js';
import { type SignInOptions, signIn } from './sign-in.js';
import { isSameOrigin, memberOfSession } from './tenant-sessions.js';

const tag = 'Dashboard';
const path = '/dashboard/session';

export interface DashboardRoutesOptions extends SignInOptions {
  readonly links: LoginLinks;
  readonly sessions: Sessions;
  readonly tenants: TenantsService;
  readonly users: UsersService;
  readonly publicUrl: () => string;
}

/** Declares the routes of the dashboard's own session: begun by a login link, shown, ended. */
export function sessionRoutes(options: DashboardRoutesOptions): Route[] {
  const { sessions, tenants, users, publicUrl } = options;
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
      summary: 'Sign in by a login link, or by the link of an invitation',
      auth: 'none',
      listed: false,
      body: signInRequest,
      responses: { 201: { description: 'Signed in; the session is a cookie.', schema: sessionResponse } },
      errors: ['login_link_invalid', 'cross_site_request'],
      handler: async ({ body, request }) => {
        const asked = { method: request.method, header: (name: string) => request.get(name) };
        if (!isSameOrigin(asked, publicUrl())) throw apiError('cross_site_request');
        const opened = await signIn(options, body.token);
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
