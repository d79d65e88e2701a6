import type { LoginLinks } from './login-links.js';
import type { OpenedSession, Session, Sessions } from './sessions.js';

export interface SignInOptions {
  readonly links: Pick<LoginLinks, 'find' | 'redeem'>;
  readonly sessions: Pick<Sessions, 'open' | 'end'>;
  /** Makes a member of who holds the token of an invitation; null for any other token. */
  readonly acceptInvitation: (
    token: string,
  ) => Promise<(Pick<Session, 'tenant'> & { userId: string }) | null>;
}

/**
 * Opens the session that a login link, or the link of an invitation, begins; null when it begins none. The session is
 * written before the login link is used up: cut short in between, the link still works, and of those who use it at the
 * same moment one alone gets a session.
 */
export async function signIn(
  { links, sessions, acceptInvitation }: SignInOptions,
  token: string,
): Promise<OpenedSession | null> {
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
