import { type IdentityTokens, looksLikeJwt } from './identity-token.js';
import type { LoginLinks } from './login-links.js';
import type { OpenedSession, Session, Sessions } from './sessions.js';

export interface SignInOptions {
  readonly links: Pick<LoginLinks, 'find' | 'redeem'>;
  readonly sessions: Pick<Sessions, 'open' | 'end'>;
  /** Makes a member of who holds the token of an invitation; null for any other token. */
  readonly acceptInvitation: (
    token: string,
  ) => Promise<(Pick<Session, 'tenant'> & { userId: string }) | null>;
  /** Undefined: no identity provider is configured. */
  readonly identityTokens: IdentityTokens | undefined;
}

/**
 * Opens the session that a login link, the link of an invitation, or a session of the identity provider begins; null
 * when it begins none. The session is
 * written before the login link is used up: cut short in between, the link still works, and of those who use it at the
 * same moment one alone gets a session.
 */
export async function signIn(
  { links, sessions, acceptInvitation, identityTokens }: SignInOptions,
  token: string,
): Promise<OpenedSession | null> {
  if (identityTokens && looksLikeJwt(token)) {
    const { tenant, userId, namedRole } = await identityTokens.read(token);
    return sessions.open({ tenant, userId, role: namedRole });
  }
  const linked = await links.find(token);
  if (linked === null) {
    const accepted = await acceptInvitation(token);
    return accepted && sessions.open(accepted);
  }
  const opened = await sessions.open(linked);
  if (await links.redeem(token)) return opened;
  await sessions.end(opened.session.id);
  return null;
}
