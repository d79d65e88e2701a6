import type { Clock } from '@voice/shared/clock/clock';
import {
  type IntegrationsEmulator,
  startIntegrationsEmulator,
} from '../../../loadtest/emulators/integrations/server.js';
import { startTestControlPlane, type TestAnswer, type TestControlPlane } from '../testing/control-plane.js';
import { startTestStore, type TestStore } from '../testing/store.js';

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

/** Two replicas and the emulated vendors, for tests of many tenants. */
export interface IntegrationsScene {
  readonly store: TestStore;
  readonly vendors: IntegrationsEmulator;
  readonly plane: TestControlPlane;
  readonly other: TestControlPlane;
  /** Ends the vendors' faults; returns the key of a new tenant. */
  newTenant(): Promise<string>;
  close(): Promise<void>;
}

export async function startIntegrationsScene(clock: Clock): Promise<IntegrationsScene> {
  const store = await startTestStore();
  const vendors = await startIntegrationsEmulator({ clock });
  const env = { ...vendors.env, EGRESS_ALLOW: '127.0.0.0/8', PUBLIC_URL: 'http://127.0.0.1:65000' };
  const plane = await startTestControlPlane(store.uri, { clock, env });
  const other = await startTestControlPlane(store.uri, { clock, env });
  return {
    store,
    vendors,
    plane,
    other,
    async newTenant() {
      Object.assign(vendors.faults, { failNext: 0, answerNext: undefined, before: async () => {} });
      return (await plane.newKey({ sandbox: false })).key;
    },
    async close() {
      await other.close();
      await plane.close();
      await vendors.close();
      await store.close();
    },
  };
}
