import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestControlPlane, type TestControlPlane } from '../../testing/control-plane.js';
import { startTestStore, type TestStore } from '../../testing/store.js';

const SAME_ORIGIN = { 'sec-fetch-site': 'same-origin' };

let store: TestStore;
let plain: TestControlPlane;
let secure: TestControlPlane;

beforeAll(async () => {
  store = await startTestStore();
  plain = await startTestControlPlane(store.uri);
  secure = await startTestControlPlane(store.uri, { env: { PUBLIC_URL: 'https://voice.example.com' } });
});
afterAll(async () => {
  await plain?.close();
  await secure?.close();
  await store?.close();
});

async function signIn(plane: TestControlPlane): Promise<string> {
  const made = await plane.internal('POST', '/internal/dashboard/login-links', { tenant: 'https' });
  const token = new URL((made.json as { url: string }).url).hash.slice('#token='.length);
  const answer = await plane.request('POST', '/dashboard/session', { body: { token }, headers: SAME_ORIGIN });
  expect(answer.status).toBe(201);
  return answer.headers.get('set-cookie')!;
}
const session = async (plane: TestControlPlane, cookie: string) =>
  (await plane.request('GET', '/dashboard/session', { headers: { cookie } })).status;

describe('a service whose PUBLIC_URL is https', () => {
  it.each(['/healthz', '/docs', '/dashboard', '/v1/openapi.json', '/api/v1/agents', '/nothing/here'])(
    'has browsers at %s use nothing but https',
    async (path) => {
      const answer = await secure.request('GET', path);
      expect(answer.headers.get('strict-transport-security')).toBe('max-age=31536000');
    },
  );

  it('signs in by a cookie that browsers take from this host over https alone', async () => {
    const setCookie = await signIn(secure);
    expect(setCookie).toMatch(/^__Host-dashboard_session=[^;]+; Path=\/; /);
    expect(setCookie).toMatch(/; HttpOnly; SameSite=Strict; Secure$/);
    expect(setCookie).not.toContain('Domain');
    expect(await session(secure, setCookie.split(';')[0]!)).toBe(200);
  });

  it('takes no session by the name that a neighbour or plain http could set', async () => {
    const cookie = (await signIn(secure)).split(';')[0]!;
    expect(await session(secure, cookie.replace('__Host-', ''))).toBe(401);
  });

  it('names that cookie in its description', async () => {
    const { json } = await secure.request('GET', '/v1/openapi.json');
    expect(json).toMatchObject({
      components: { securitySchemes: { dashboardSession: { name: '__Host-dashboard_session' } } },
    });
  });
});

describe('a service whose PUBLIC_URL is http', () => {
  it('sends no Strict-Transport-Security, and a cookie that works without https', async () => {
    const answer = await plain.request('GET', '/healthz');
    expect(answer.headers.get('strict-transport-security')).toBeNull();
    const setCookie = await signIn(plain);
    expect(setCookie).toMatch(/^dashboard_session=/);
    expect(setCookie).not.toContain('Secure');
  });
});
