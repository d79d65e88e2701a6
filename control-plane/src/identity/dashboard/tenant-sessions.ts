import {
  type CredentialRecall,
  type SessionPrincipal,
  type SessionRequest,
  sessionCookieName,
  type TenantSessions,
} from '../../platform/http/authentication.js';
import { apiError } from '../../platform/http/error-codes.js';
import { actorOf, type Member, type Members } from '../users/members.js';
import { type IdentityTokens, looksLikeJwt } from './identity-token.js';
import { cookieValue } from './session-cookie.js';
import type { Session, Sessions } from './sessions.js';

/**
 * Returns whether a browser sent the request from one of our own pages. Browsers say where a request comes from by
 * Sec-Fetch-Site, older ones by Origin; what says neither came from no page that could have forged it, but neither from
 * a browser that holds a session, and is refused with the rest.
 */
export function isSameOrigin(request: SessionRequest, publicUrl: string): boolean {
  const site = request.header('sec-fetch-site');
  return site === undefined ? namesOwnOrigin(request, publicUrl) : site === 'same-origin';
}

function namesOwnOrigin(request: SessionRequest, publicUrl: string): boolean {
  const origin = request.header('origin');
  return (
    origin !== undefined &&
    (origin === new URL(publicUrl).origin || hostOf(origin) === request.header('host'))
  );
}

/**
 * Returns whether the request does nothing that a page of another site could have a browser do: it reads (which such a
 * page cannot see), or comes from one of our own. A WebSocket is read by whatever page opens it, and every browser
 * names that page's origin.
 */
function isHarmless(request: SessionRequest, publicUrl: string): boolean {
  const opensSocket = request.header('upgrade')?.toLowerCase() === 'websocket';
  if (opensSocket) return namesOwnOrigin(request, publicUrl);
  return request.method === 'GET' || isSameOrigin(request, publicUrl);
}

function hostOf(origin: string): string | null {
  return URL.canParse(origin) ? new URL(origin).host : null;
}

/**
 * Returns the member of a session. One that names nobody is from before there were members: it is the owner's. Throws
 * 401 `session_expired` for who is no member any more.
 */
export async function memberOfSession(
  members: Members,
  { tenant, userId, role }: Pick<Session, 'tenant' | 'userId' | 'role'>,
): Promise<Member | null> {
  if (userId === null) return null;
  const member = await members.find(tenant, userId);
  if (member === null) throw apiError('session_expired', 'You are no member of this account any more.');
  return role === null ? member : { ...member, role };
}

/**
 * The dashboard names the tenant whose pages it shows. A browser has one session: a sign-in in another tab makes it
 * another tenant's, and a page of before must change nothing there.
 */
const SHOWN_TENANT_HEADER = 'x-tenant';

/** Throws 401 `session_expired` where the page shows another tenant than the one of the session. */
function requireShown(request: SessionRequest, tenant: string): void {
  const shown = request.header(SHOWN_TENANT_HEADER);
  if (shown === undefined || shown === tenant) return;
  throw apiError(
    'session_expired',
    'This page shows an account that is not signed in any more: another one is, since it was opened in another tab.',
  );
}

/** Finds the tenant behind a dashboard session: our own cookie, or the identity provider's token. */
export function tenantSessions(options: {
  readonly sessions: Sessions;
  readonly members: Members;
  /** Undefined: no identity provider is configured. */
  readonly identityTokens: IdentityTokens | undefined;
  readonly publicUrl: () => string;
}): TenantSessions {
  const { members } = options;
  const recall: CredentialRecall = async ({ tenant, keyId }) => {
    const [kind, id = ''] = keyId.split(/\/(.*)/s);
    if (kind === 'identity') {
      const person = await options.identityTokens?.recall(id);
      return person?.tenant === tenant ? { role: person.role } : null;
    }
    const session = await options.sessions.find(id);
    if (session?.tenant !== tenant) return null;
    if (session.userId === null) return { role: 'owner' };
    const member = await members.find(tenant, session.userId);
    return member && { role: session.role ?? member.role };
  };
  return {
    recall,
    async find(request: SessionRequest): Promise<SessionPrincipal | null> {
      const bearer = /^Bearer +(\S+)$/i.exec(request.header('authorization')?.trim() ?? '')?.[1];
      if (bearer !== undefined) {
        if (!options.identityTokens || !looksLikeJwt(bearer)) return null;
        const { person, namedRole: _, ...member } = await options.identityTokens.read(bearer);
        await members.noteSeen(member);
        const { tenant, userId, role } = member;
        return { tenant, keyId: `identity/${person}`, userId, role, actor: actorOf(member) };
      }
      if (request.header('authorization') !== undefined) return null;
      const cookie = cookieValue(request.header('cookie'), sessionCookieName(options.publicUrl()));
      if (cookie === undefined) return null;
      if (!isHarmless(request, options.publicUrl())) throw apiError('cross_site_request');
      const session = await options.sessions.read(cookie);
      requireShown(request, session.tenant);
      const member = await memberOfSession(members, session);
      if (member !== null) await members.noteSeen(member);
      const { id, tenant, userId } = session;
      const role = member?.role ?? 'owner';
      const actor = member === null ? null : actorOf(member);
      return { tenant, keyId: `dashboard/${id}`, userId, role, actor };
    },
  };
}
