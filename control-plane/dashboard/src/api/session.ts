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

const PATH = '/dashboard/session';

async function ask(method: 'GET' | 'POST' | 'DELETE', body?: unknown): Promise<unknown> {
  let response: Response;
  try {
    response = await fetch(PATH, {
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

/** Of the link that the page was opened by: taken before the router looks at the address. */
let token = takeToken();

/** Signs in by the login link that the page was opened by, else returns the session that the browser holds. */
export async function enterSession(): Promise<Session> {
  const given = takeToken() ?? token;
  token = null;
  return (given === null ? await ask('GET') : await ask('POST', { token: given })) as Session;
}

/** Ends the session on every replica. */
export async function signOut(): Promise<void> {
  await ask('DELETE');
}
