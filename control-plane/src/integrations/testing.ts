import type { TestAnswer, TestControlPlane } from '../testing/control-plane.js';

/** A person's browser, as far as OAuth needs one: it keeps the cookie that `connect` may set. */
export interface Consented {
  readonly redirectUrl: URL;
  /** Empty where none was set. */
  readonly cookie: string;
  /** Path and query that the vendor sends the browser back to. */
  readonly back: string;
}

/** Begins to connect, by a production key or a session of the dashboard, and says yes at the vendor. */
export async function consent(
  plane: TestControlPlane,
  by: string | { readonly session: string },
  slug: string,
): Promise<Consented> {
  const path = `/api/v1/integrations/${slug}/connect`;
  const begun =
    typeof by === 'string'
      ? await plane.request('POST', path, { key: by })
      : await plane.request('POST', path, {
          headers: { cookie: by.session, 'sec-fetch-site': 'same-origin' },
        });
  if (begun.status !== 200) throw new Error(`connect: ${begun.status} ${begun.text}`);
  const redirectUrl = new URL((begun.json as { redirect_url: string }).redirect_url);
  const cookie = (begun.headers.get('set-cookie') ?? '').split(';')[0]!;
  const vendor = await fetch(redirectUrl, { redirect: 'manual' });
  const location = vendor.headers.get('location');
  if (location === null) throw new Error(`the vendor refused: ${vendor.status} ${await vendor.text()}`);
  const back = new URL(location);
  return { redirectUrl, cookie, back: back.pathname + back.search };
}

/** The cookie of somebody who is signed in to the tenant's dashboard. */
export async function dashboardSession(
  plane: TestControlPlane,
  tenant = `t ${Math.random()}`,
): Promise<string> {
  const link = await plane.internal('POST', '/internal/dashboard/login-links', { tenant });
  const token = new URLSearchParams(new URL((link.json as { url: string }).url).hash.slice(1)).get('token');
  const answer = await plane.request('POST', '/dashboard/session', {
    body: { token },
    headers: { 'sec-fetch-site': 'same-origin' },
  });
  return answer.headers.get('set-cookie')!.split(';')[0]!;
}

/** The browser comes back. */
export function comeBack(plane: TestControlPlane, { back, cookie }: Consented): Promise<TestAnswer> {
  return plane.request('GET', back, { headers: cookie === '' ? {} : { cookie } });
}

/** Connects by OAuth from beginning to end. */
export async function connectByOAuth(plane: TestControlPlane, key: string, slug: string): Promise<void> {
  const answer = await comeBack(plane, await consent(plane, key, slug));
  if (answer.status !== 200) throw new Error(`callback: ${answer.status} ${answer.text}`);
}
