import type { TestAnswer, TestControlPlane } from '../testing/control-plane.js';

/** A person's browser, as far as OAuth needs one: it keeps the cookie that `connect` sets. */
export interface Consented {
  readonly redirectUrl: URL;
  readonly cookie: string;
  /** Path and query that the vendor sends the browser back to. */
  readonly back: string;
}

/** Begins to connect, and says yes at the vendor. */
export async function consent(plane: TestControlPlane, key: string, slug: string): Promise<Consented> {
  const begun = await plane.request('POST', `/api/v1/integrations/${slug}/connect`, { key });
  if (begun.status !== 200) throw new Error(`connect: ${begun.status} ${begun.text}`);
  const redirectUrl = new URL((begun.json as { redirect_url: string }).redirect_url);
  const cookie = (begun.headers.get('set-cookie') ?? '').split(';')[0]!;
  const vendor = await fetch(redirectUrl, { redirect: 'manual' });
  const location = vendor.headers.get('location');
  if (location === null) throw new Error(`the vendor refused: ${vendor.status} ${await vendor.text()}`);
  const back = new URL(location);
  return { redirectUrl, cookie, back: back.pathname + back.search };
}

/** The browser comes back. */
export function comeBack(plane: TestControlPlane, { back, cookie }: Consented): Promise<TestAnswer> {
  return plane.request('GET', back, { headers: { cookie } });
}

/** Connects by OAuth from beginning to end. */
export async function connectByOAuth(plane: TestControlPlane, key: string, slug: string): Promise<void> {
  const answer = await comeBack(plane, await consent(plane, key, slug));
  if (answer.status !== 200) throw new Error(`callback: ${answer.status} ${answer.text}`);
}
