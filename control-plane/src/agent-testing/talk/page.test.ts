import { demoAgent } from '@voice/shared/contracts/demo-agent';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestControlPlane, type TestControlPlane } from '../../testing/control-plane.js';
import { startTestStore, type TestStore } from '../../testing/store.js';

let store: TestStore;
let plane: TestControlPlane;
beforeAll(async () => {
  store = await startTestStore();
  plane = await startTestControlPlane(store.uri, {});
});
afterAll(async () => {
  await plane?.close();
  await store?.close();
});

describe('the page to talk on', () => {
  it('comes with everything it needs from this origin, under a policy that forbids the rest', async () => {
    const page = await plane.request('GET', '/talk');
    expect(page.status).toBe(200);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self'");
    expect(page.headers.get('permissions-policy')).toBe('microphone=(self), camera=()');
    expect(page.text).not.toMatch(/<script(?![^>]*src=)|<style|style="|onclick|https?:\/\//);
    const seen = new Set<string>();
    const waiting = [...page.text.matchAll(/(?:src|href)="(\/talk\/[^"]+)"/g)].map(([, path]) => path!);
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      if (seen.has(path)) continue;
      seen.add(path);
      const file = await plane.request('GET', path);
      expect([path, file.status]).toEqual([path, 200]);
      // Modules import each other.
      if (!path.endsWith('.js')) continue;
      waiting.push(...[...file.text.matchAll(/from '\.\/([^']+)'/g)].map(([, name]) => `/talk/${name}`));
    }
    expect(seen.size).toBeGreaterThanOrEqual(12);
  });

  it('knows the demo agent, which the API takes as it is', async () => {
    const { json } = await plane.request('GET', '/talk/demo-agent.json');
    expect(json).toEqual(demoAgent);
    const { key } = await plane.newKey();
    const made = await plane.request('POST', '/api/v1/agents', { key, body: json });
    expect([made.status, made.json]).toMatchObject([201, { is_active: true }]);
  });

  it('is where a login link leads on demand', async () => {
    const link = (body: object) => plane.internal('POST', '/internal/dashboard/login-links', body);
    const { json } = await link({ tenant: 'talker', page: 'talk' });
    const url = new URL((json as { url: string }).url);
    expect([url.pathname, url.search]).toEqual(['/talk', '']);
    const token = new URLSearchParams(url.hash.slice(1)).get('token');
    const headers = { 'sec-fetch-site': 'same-origin' };
    const signedIn = await plane.request('POST', '/dashboard/session', { body: { token }, headers });
    expect(signedIn.status).toBe(201);
    const cookie = signedIn.headers.get('set-cookie')!.split(';')[0]!;
    const agents = await plane.request('GET', '/api/v1/agents?limit=100', { headers: { cookie } });
    expect([agents.status, agents.json]).toMatchObject([200, { agents: [] }]);
    expect((await link({ page: 'elsewhere' })).status).toBe(422);
  });
});
