import { showTenant } from './client.js';
import { ApiError, apiErrorOf } from './errors.js';
import type { Standing } from './roles.js';

/** Who is signed in, and what they may do. */
export interface Session extends Standing {
  readonly tenant_id: string;
  readonly tenant_name: string;
  readonly expires_at: string;
  /** Null for a session from before there were members. */
  readonly member: {
    readonly id: string;
    readonly name: string | null;
    readonly email: string | null;
  } | null;
}

/** How people sign in, beside by login links. */
export interface SignInWays {
  /** Null: no identity provider is configured. */
  readonly identity_provider: { readonly sign_in_url: string | null } | null;
}

const PATH = '/dashboard/session';
/** What the page is opened with by who comes back from the identity provider (`/dashboard/session/ways` names it). */
const FROM_PROVIDER = '#identity-provider';

async function ask(method: 'GET' | 'POST' | 'DELETE', body?: unknown, path = PATH): Promise<unknown> {
  let response: Response;
  try {
    response = await fetch(path, {
      method,
      ...(body === undefined
        ? {}
        : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    });
  } catch {
    throw new ApiError({ status: 0, code: 'unreachable', message: 'The service cannot be reached.' });
  }
  const json: unknown = await response.json().catch(() => undefined);
  if (!response.ok) throw apiErrorOf(response.status, json, (name) => response.headers.get(name));
  return json;
}

/** Takes a login link's token out of the address at once, so that no history keeps it. */
function takeToken(): string | null {
  const token = new URLSearchParams(location.hash.slice(1)).get('token');
  if (token !== null) history.replaceState(null, '', location.pathname + location.search);
  return token;
}

/** Says whether the page was opened by the way back from the identity provider, and takes that out of the address. */
function takeReturn(): boolean {
  if (location.hash !== FROM_PROVIDER) return false;
  history.replaceState(null, '', location.pathname + location.search);
  return true;
}

/** Of the link that the page was opened by: taken before the router looks at the address. */
let token = takeToken();
let hasReturned = takeReturn();

/**
 * Signs in by the login link that the page was opened by, or by the identity provider's session, else returns the
 * session that the browser holds.
 */
export async function enterSession(): Promise<Session> {
  const given = takeToken() ?? token;
  const returned = takeReturn() || hasReturned;
  token = null;
  hasReturned = false;
  if (given !== null) return entered(await ask('POST', { token: given }));
  return entered(returned ? await ask('POST', {}) : await ask('GET'));
}

/** The pages of this session's tenant are shown from here on. */
function entered(answer: unknown): Session {
  const session = answer as Session;
  showTenant(session.tenant_id);
  return session;
}

/** Signs in by the session of the identity provider that the browser holds. */
export const enterByProvider = async (): Promise<Session> => entered(await ask('POST', {}));

/** Asks how people sign in. */
export const askSignInWays = async (): Promise<SignInWays> =>
  (await ask('GET', undefined, `${PATH}/ways`)) as SignInWays;

/** Ends the session on every replica. */
export async function signOut(): Promise<void> {
  await ask('DELETE');
}
