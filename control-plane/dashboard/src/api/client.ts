import createClient, { type Client } from 'openapi-fetch';
import { ApiError, apiErrorOf } from './errors.js';
import type { paths } from './openapi.js';

/** Sandbox: simulated people, no cost. Live: real phones, real money. */
export type Mode = 'sandbox' | 'live';
export type Api = Client<paths>;

/** Of the tenant whose pages are shown; null before it is known. */
let shownTenant: string | null = null;

/**
 * Says whose pages are shown from here on: each request names it, and is refused once another tab has signed in to
 * another tenant, since the browser has one session.
 */
export function showTenant(id: string): void {
  shownTenant = id;
}

function naming(request: Request): Request {
  if (shownTenant !== null) request.headers.set('X-Tenant', shownTenant);
  return request;
}

/** Creates the client of one mode; the session is the browser's cookie. */
export function createApi(mode: Mode): Api {
  return createClient<paths>({
    baseUrl: location.origin,
    headers: { 'X-Sandbox': String(mode === 'sandbox') },
    fetch: (request) =>
      fetch(naming(request)).catch((error: unknown) => {
        if (error instanceof DOMException && error.name === 'AbortError') throw error;
        throw new ApiError({ status: 0, code: 'unreachable', message: 'The service cannot be reached.' });
      }),
  });
}

interface Answer<Data> {
  readonly data?: Data;
  readonly error?: unknown;
  readonly response: Response;
}

/** Returns the data of an answer; throws an `ApiError` for any other answer than a successful one. */
export async function dataOf<Data>(answer: Promise<Answer<Data>>): Promise<Data> {
  const { data, error, response } = await answer.catch((problem: unknown) => {
    // Of JSON: what stands between, as a network that wants a sign-in, answers with a page of its own.
    if (!(problem instanceof SyntaxError)) throw problem;
    throw new ApiError({ status: 0, code: 'no_json', message: 'Something else than the service answered.' });
  });
  if (response.ok) return data as Data;
  throw apiErrorOf(response.status, error, (name) => response.headers.get(name));
}
