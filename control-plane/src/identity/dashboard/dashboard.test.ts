import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  DEFAULT_RATE_LIMITS,
  startTestControlPlane,
  type TestAnswer,
  type TestControlPlane,
} from '../../testing/control-plane.js';
import { startTestStore, type TestStore } from '../../testing/store.js';

const ISSUER = 'https://identity.example';
const SAME_ORIGIN = { 'sec-fetch-site': 'same-origin' };

let store: TestStore;
let plane: TestControlPlane;
let replica: TestControlPlane;
let keyServer: Server;
type PrivateKey = Awaited<ReturnType<typeof generateKeyPair>>['privateKey'];

let identityKey: PrivateKey;
const clock = new ScriptedClock(Date.now());

beforeAll(async () => {
  const pair = await generateKeyPair('ES256');
  identityKey = pair.privateKey;
  const jwk = { ...(await exportJWK(pair.publicKey)), kid: 'one', alg: 'ES256' };
  keyServer = createServer((_request, response) =>
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ keys: [jwk] })),
  );
  await new Promise<void>((resolve) => keyServer.listen(0, '127.0.0.1', resolve));
  store = await startTestStore();
  const env = {
    IDENTITY_JWKS_URL: `http://127.0.0.1:${(keyServer.address() as AddressInfo).port}/jwks`,
    IDENTITY_ISSUER: ISSUER,
    IDENTITY_ROLE_CLAIM: 'voice_role',
    IDENTITY_SIGN_IN_URL: 'https://sign-in.example/?redirect_url={return_to}',
    ...DEFAULT_RATE_LIMITS,
  };
  plane = await startTestControlPlane(store.uri, { clock, env });
  replica = await startTestControlPlane(store.uri, { clock, env });
});
afterAll(async () => {
  await plane?.close();
  await replica?.close();
  await store?.close();
  keyServer?.close();
});

interface Link {
  readonly url: string;
  readonly token: string;
  readonly tenantId: string;
}

async function newLink(tenant = `tenant ${Math.random()}`): Promise<Link> {
  const { status, json } = await plane.internal('POST', '/internal/dashboard/login-links', { tenant });
  expect(status).toBe(201);
  const { url, tenant_id } = json as { url: string; tenant_id: string };
  return { url, tenantId: tenant_id, token: new URLSearchParams(new URL(url).hash.slice(1)).get('token')! };
}

const signIn = (token: string, on = plane, headers: Record<string, string> = SAME_ORIGIN) =>
  on.request('POST', '/dashboard/session', { body: { token }, headers });

const cookieOf = (headers: Headers) => headers.get('set-cookie')!.split(';')[0]!;

async function session(tenant?: string): Promise<{ cookie: string; tenantId: string }> {
  const { token, tenantId } = await newLink(tenant);
  return { cookie: cookieOf((await signIn(token)).headers), tenantId };
}

/** The user whom a new key speaks for. */
async function creatorOf(made: TestAnswer): Promise<unknown> {
  const keys = (await store.connect()).db!.collection<{ _id: string; created_by: unknown }>('api_keys');
  return (await keys.findOne({ _id: (made.json as { id: string }).id }))?.created_by;
}

describe('a login link', () => {
  it('signs in to the tenant, by a cookie that no script and no other site can use', async () => {
    const { token, tenantId, url } = await newLink('a tenant with a name');
    expect(new URL(url).search).toBe('');
    const { status, json, headers } = await signIn(token);
    expect(status).toBe(201);
    expect(json).toMatchObject({ tenant_id: tenantId, tenant_name: 'a tenant with a name' });
    expect(headers.get('set-cookie')).toMatch(/; HttpOnly; SameSite=Strict$/);
    expect(headers.get('set-cookie')).toContain('Path=/; Max-Age=43200');
  });

  it('works once, also when two replicas are asked at the same moment', async () => {
    const { token, tenantId } = await newLink();
    const statuses = (await Promise.all([signIn(token), signIn(token, replica), signIn(token)])).map(
      (answer) => answer.status,
    );
    expect(statuses.sort()).toEqual([201, 401, 401]);
    expect((await signIn(token)).json).toMatchObject({ code: 'login_link_invalid' });
    const sessions = (await store.connect()).db!.collection('dashboard_sessions');
    expect(await sessions.countDocuments({ tenant_id: tenantId })).toBe(1);
  });

  it.each([
    ['before its session is written', 'DashboardSession', 'insertOne'],
    ['before it is used up', 'DashboardLoginLink', 'deleteOne'],
  ] as const)('still works once when signing in was cut short %s', async (_, model, write) => {
    const { token } = await newLink();
    const cut = vi.spyOn(plane.platform.store.model(model), write);
    cut.mockImplementationOnce(() => {
      throw new Error('killed');
    });
    expect((await signIn(token)).status).toBe(500);
    cut.mockRestore();
    const statuses = [(await signIn(token, replica)).status, (await signIn(token)).status];
    expect(statuses).toEqual([201, 401]);
  });

  it('says whether anybody of the tenant was signed in before', async () => {
    const made = async () =>
      (await plane.internal('POST', '/internal/dashboard/login-links', { tenant: 'fresh' })).json;
    const first = (await made()) as { url: string };
    expect([first, await made()]).toMatchObject([{ signed_in_before: false }, { signed_in_before: false }]);
    expect((await signIn(new URL(first.url).hash.slice('#token='.length))).status).toBe(201);
    expect(await made()).toMatchObject({ signed_in_before: true });
  });

  it('works for 15 minutes', async () => {
    const [early, late] = [await newLink(), await newLink()];
    clock.advance(15 * 60_000 - 1);
    expect((await signIn(early.token)).status).toBe(201);
    clock.advance(1);
    expect((await signIn(late.token)).status).toBe(401);
  });

  it('is stored as a hash only', async () => {
    const { token } = await newLink();
    const rows = await (await store.connect()).db!.collection('dashboard_login_links').find().toArray();
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toContain(token);
  });

  it('is made by the operator alone', async () => {
    const made = await plane.atInternal('POST', '/internal/dashboard/login-links', { body: { tenant: 'x' } });
    expect(made.status).toBe(401);
  });

  it('is not taken from another site, which could sign a visitor in to a tenant of its own', async () => {
    const { token } = await newLink();
    expect((await signIn(token, plane, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect((await signIn(token, plane, {})).json).toMatchObject({ code: 'cross_site_request' });
    expect((await signIn(token, plane, { origin: 'https://evil.example' })).status).toBe(403);
    expect((await signIn(token, plane, { origin: plane.url })).status).toBe(201);
  });
});

describe('a dashboard session', () => {
  it('counts within a budget that its tenant’s sessions share, and takes nothing of the keys’', async () => {
    const { cookie } = await session('a tenant with a page that refreshes itself');
    const other = await session('a tenant with a page that refreshes itself');
    const { key } = await plane.newKey({ tenant: 'a tenant with a page that refreshes itself' });
    const left = async (headers: Record<string, string>) => {
      const answer = await plane.request('GET', '/api/v1/agents', { headers });
      return ['limit', 'remaining'].map((name) => Number(answer.headers.get(`x-ratelimit-${name}`)));
    };
    expect(await left({ cookie })).toEqual([600, 599]);
    expect(await left({ cookie: other.cookie })).toEqual([600, 598]);
    expect(await left({ authorization: `Bearer ${key}` })).toEqual([60, 59]);
  });

  // @rule 2.4, 4.7
  it('creates the first key, lists and deletes keys, on every replica', async () => {
    const { cookie } = await session();
    // It may make keys of both modes, and sees those of the one that it is in.
    const headers = { cookie, ...SAME_ORIGIN };
    const inSandbox = { ...headers, 'x-sandbox': 'true' };
    const made = await plane.request('POST', '/api/v1/keys', {
      headers,
      body: { name: 'first', sandbox: true },
    });
    expect(made.status).toBe(201);
    const { id, key } = made.json as { id: string; key: string };
    expect((await plane.request('GET', '/api/v1/agents', { key })).status).toBe(200);
    const other = await replica.request('GET', '/api/v1/keys?include_total=true', { headers });
    expect(other.json).toMatchObject({ total: 0 });
    expect((await replica.request('DELETE', `/api/v1/keys/${id}`, { headers })).status).toBe(404);
    const listed = await replica.request('GET', '/api/v1/keys?include_total=true', { headers: inSandbox });
    expect(listed.json).toMatchObject({ total: 1, keys: [{ id, name: 'first' }] });
    expect(listed.text).not.toContain(key);
    const deleted = await replica.request('DELETE', `/api/v1/keys/${id}`, { headers: inSandbox });
    expect(deleted.status).toBe(204);
    expect((await plane.request('GET', '/api/v1/agents', { key })).status).toBe(401);
  });

  // @rule 4.35
  it("is the tenant's owner: a key that it creates speaks for them", async () => {
    const { cookie, tenantId } = await session();
    const made = await plane.request('POST', '/api/v1/keys', {
      headers: { cookie, ...SAME_ORIGIN },
      body: { name: 'mine' },
    });
    const users = (await store.connect()).db!.collection('users');
    const owner = await users.findOne({ tenant_id: tenantId });
    expect(owner).toMatchObject({ external_id: `local/${tenantId}` });
    expect(await creatorOf(made)).toBe(owner!._id);
  });

  it("does not reach another tenant's keys", async () => {
    const [mine, theirs] = [await session(), await plane.newKey()];
    const headers = { cookie: mine.cookie, ...SAME_ORIGIN };
    expect((await plane.request('DELETE', `/api/v1/keys/${theirs.id}`, { headers })).status).toBe(404);
    expect((await plane.request('GET', '/api/v1/agents', { key: theirs.key })).status).toBe(200);
  });

  it('is refused to a page that shows another tenant, which was signed in before in another tab', async () => {
    const [before, now] = [await session(), await session()];
    const ask = (method: string, shown: string) =>
      plane.request(method, '/api/v1/keys', {
        headers: { cookie: now.cookie, 'x-tenant': shown, ...SAME_ORIGIN },
        ...(method === 'POST' ? { body: { name: 'of another tenant' } } : {}),
      });
    for (const method of ['GET', 'POST']) {
      const answer = await ask(method, before.tenantId);
      expect(answer.status).toBe(401);
      expect(answer.json).toMatchObject({
        code: 'session_expired',
        detail: expect.stringContaining('shows an account'),
      });
    }
    expect((await ask('GET', now.tenantId)).json).toMatchObject({ keys: [] });
    expect((await ask('POST', now.tenantId)).status).toBe(201);
  });

  it('changes nothing for a request of another site (CSRF)', async () => {
    const { cookie } = await session();
    const origins: Record<string, string>[] = [
      {},
      { 'sec-fetch-site': 'same-site' },
      { origin: 'https://evil.example' },
    ];
    for (const origin of origins) {
      const answer = await plane.request('POST', '/api/v1/keys', {
        headers: { cookie, ...origin },
        body: { name: 'forged' },
      });
      expect(answer.status).toBe(403);
      expect(answer.json).toMatchObject({ code: 'cross_site_request' });
    }
    const keys = await plane.request('GET', '/api/v1/keys', { headers: { cookie } });
    expect(keys.json).toMatchObject({ keys: [], has_more: false });
  });

  it('is refused with 401 session_expired after 12 hours, and after signing out', async () => {
    const [left, kept] = [await session(), await session()];
    const out = await replica.request('DELETE', '/dashboard/session', {
      headers: { cookie: left.cookie, ...SAME_ORIGIN },
    });
    expect(out.status).toBe(204);
    expect(out.headers.get('set-cookie')).toContain('dashboard_session=; Path=/; Max-Age=0');
    const keys = (cookie: string) => plane.request('GET', '/api/v1/keys', { headers: { cookie } });
    expect((await keys(left.cookie)).json).toMatchObject({ code: 'session_expired' });
    clock.advance(12 * 60 * 60_000 - 1);
    expect((await keys(kept.cookie)).status).toBe(200);
    clock.advance(1);
    const over = await keys(kept.cookie);
    expect(over.status).toBe(401);
    expect(over.json).toMatchObject({ code: 'session_expired' });
  });

  it('is refused when it was tampered with', async () => {
    const { cookie } = await session();
    const longer = cookie.replace(/\.(\d+)\./, (_match, expiry: string) => `.${Number(expiry) + 1}.`);
    for (const forged of [longer, 'dashboard_session=x', `dashboard_session=${'.'.repeat(200)}`]) {
      const answer = await plane.request('GET', '/api/v1/keys', { headers: { cookie: forged } });
      expect(answer.status).toBe(401);
      expect(answer.json).toMatchObject({ code: 'invalid_session' });
    }
  });

  // @rule 5.15
  it('does not stand for a key where a key is asked for', async () => {
    const { cookie } = await session();
    const answer = await plane.request('POST', '/api/v1/calls', {
      headers: { cookie, ...SAME_ORIGIN },
      body: {},
    });
    expect(answer.json).toMatchObject({ code: 'missing_credentials' });
  });
});

describe('a session of the identity provider', () => {
  const token = (
    changes: {
      sub?: string;
      issuer?: string;
      expiresAt?: number;
      key?: PrivateKey;
      claims?: JWTPayload;
    } = {},
  ) =>
    new SignJWT(changes.claims ?? {})
      .setProtectedHeader({ alg: 'ES256', kid: 'one' })
      .setSubject(changes.sub ?? 'user_1')
      .setIssuer(changes.issuer ?? ISSUER)
      .setExpirationTime(Math.floor((changes.expiresAt ?? clock.now() + 60_000) / 1000))
      .sign(changes.key ?? identityKey);
  const keys = (key: string) => plane.request('GET', '/api/v1/keys', { key });

  // @rule 5.15
  it('stands for the tenant of the person', async () => {
    const tenant = await plane.newKey({ tenant: 'identity/user_1', sandbox: false });
    const users = (await store.connect()).db!.collection<{ _id: string }>('users');
    await users.insertOne({ _id: 'u1', tenant_id: tenant.tenantId, external_id: 'user_1' } as never);
    const answer = await keys(await token());
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({ keys: [{ id: tenant.id }] });
  });

  it('has the role that its claim names, else the one that is kept here', async () => {
    const { tenantId } = await plane.newKey({ tenant: 'identity/user_4' });
    const { db } = await store.connect();
    const user = { _id: 'u4', tenant_id: tenantId, external_id: 'user_4', role: 'operator' };
    await db!.collection<{ _id: string }>('users').insertOne(user as never);
    const refusal = async (voice_role?: string) => {
      const key = await token({
        sub: 'user_4',
        ...(voice_role === undefined ? {} : { claims: { voice_role } }),
      });
      const { json } = await plane.request('PATCH', '/api/v1/settings', { key, body: {} });
      return (json as { role?: string }).role;
    };
    expect(await refusal()).toBe('operator');
    expect(await refusal('viewer')).toBe('viewer');
    expect(await refusal('owner')).toBeUndefined();
    expect(await refusal('superuser')).toBe('operator');
  });

  // @rule 4.35
  it('is the person: a key that it creates speaks for them', async () => {
    const { tenantId } = await plane.newKey({ tenant: 'identity/user_2' });
    const { db } = await store.connect();
    const user = { _id: 'u2', tenant_id: tenantId, external_id: 'user_2' };
    await db!.collection<{ _id: string }>('users').insertOne(user as never);
    const jwt = await token({ sub: 'user_2' });
    const made = await plane.request('POST', '/api/v1/keys', { key: jwt, body: { name: 'hers' } });
    expect(await creatorOf(made)).toBe('u2');
  });

  it('is refused once the identity provider has deleted the person, though its token is still valid', async () => {
    const { tenantId } = await plane.newKey({ tenant: 'identity/user_3' });
    const users = (await store.connect()).db!.collection<{ _id: string }>('users');
    await users.insertOne({ _id: 'u3', tenant_id: tenantId, external_id: 'user_3' } as never);
    const jwt = await token({ sub: 'user_3' });
    expect((await keys(jwt)).status).toBe(200);
    await users.updateOne({ _id: 'u3' }, { $set: { deleted_at: new Date() } });
    expect((await keys(jwt)).json).toMatchObject({ code: 'invalid_session' });
  });

  /** A person at the identity provider who is a member here, as what. */
  async function person(id: string, role: string): Promise<string> {
    const { tenantId } = await plane.newKey({ tenant: `identity/${id}` });
    const user = { _id: id, tenant_id: tenantId, external_id: id, role };
    await (await store.connect()).db!.collection<{ _id: string }>('users').insertOne(user as never);
    return tenantId;
  }
  const settingsBy = (cookie: string) =>
    plane.request('PATCH', '/api/v1/settings', { body: {}, headers: { ...SAME_ORIGIN, cookie } });

  it('begins a session of the dashboard, from the address or from the provider’s own cookie', async () => {
    const tenantId = await person('user_5', 'owner');
    const jwt = await token({ sub: 'user_5' });
    const headers = { ...SAME_ORIGIN, cookie: `a=1; __session=${jwt}` };
    const byCookie = await plane.request('POST', '/dashboard/session', { body: {}, headers });
    for (const entered of [await signIn(jwt), byCookie]) {
      expect(entered.status).toBe(201);
      expect(entered.json).toMatchObject({ tenant_id: tenantId, role: 'owner', member: { id: 'user_5' } });
      expect((await settingsBy(cookieOf(entered.headers))).status).toBe(200);
    }
  });

  it('gives that session the role that its claim names; without one the role is that which is kept here', async () => {
    await person('user_6', 'owner');
    const named = await signIn(await token({ sub: 'user_6', claims: { voice_role: 'viewer' } }));
    expect(named.json).toMatchObject({ role: 'viewer' });
    expect((await settingsBy(cookieOf(named.headers))).json).toMatchObject({ role: 'viewer' });
    const kept = cookieOf((await signIn(await token({ sub: 'user_6' }))).headers);
    expect((await settingsBy(kept)).status).toBe(200);
    const users = (await store.connect()).db!.collection<{ _id: string }>('users');
    await users.updateOne({ _id: 'user_6' }, { $set: { role: 'operator' } });
    expect((await settingsBy(kept)).json).toMatchObject({ role: 'operator' });
  });

  it('begins none for who is over, unknown or on another site, or where the browser brings none', async () => {
    await person('user_7', 'owner');
    const over = await token({ sub: 'user_7', expiresAt: clock.now() - 60_000 });
    expect((await signIn(over)).json).toMatchObject({ code: 'session_expired' });
    const unknown = await signIn(await token({ sub: 'user_nobody' }));
    expect(unknown.json).toMatchObject({ code: 'invalid_session' });
    const cookie = `__session=${await token({ sub: 'user_7' })}`;
    const foreign = { cookie, 'sec-fetch-site': 'cross-site' };
    const forged = await plane.request('POST', '/dashboard/session', { body: {}, headers: foreign });
    expect(forged.json).toMatchObject({ code: 'cross_site_request' });
    const none = await plane.request('POST', '/dashboard/session', { body: {}, headers: SAME_ORIGIN });
    expect(none.json).toMatchObject({ code: 'missing_credentials' });
  });

  it('is offered by the page that asks people to sign in, with the way back', async () => {
    const { json } = await plane.request('GET', '/dashboard/session/ways');
    const back = encodeURIComponent(`${plane.url}/dashboard#identity-provider`);
    expect(json).toEqual({
      identity_provider: { sign_in_url: `https://sign-in.example/?redirect_url=${back}` },
    });
  });

  it('cannot name a local owner, for whom no identity provider speaks', async () => {
    const { tenantId } = await plane.newKey();
    expect((await keys(await token({ sub: `local/${tenantId}` }))).json).toMatchObject({
      code: 'invalid_session',
    });
  });

  it('is refused when it is over, signed by another, of another issuer, or of nobody we know', async () => {
    const other = await generateKeyPair('ES256');
    expect((await keys(await token({ expiresAt: clock.now() - 60_000 }))).json).toMatchObject({
      code: 'session_expired',
    });
    for (const bad of [
      await token({ key: other.privateKey }),
      await token({ issuer: 'https://evil.example' }),
      await token({ sub: 'stranger' }),
    ]) {
      const answer = await keys(bad);
      expect(answer.status).toBe(401);
      expect(answer.json).toMatchObject({ code: 'invalid_session' });
    }
  });

  it('is refused when it is not signed at all', async () => {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const claims = part({ sub: 'user_1', iss: ISSUER, exp: clock.now() / 1000 + 60 });
    const answer = await keys(`${part({ alg: 'none' })}.${claims}.x`);
    expect(answer.json).toMatchObject({ code: 'invalid_session' });
  });
});

describe('the page', () => {
  it('comes with everything it needs from this origin, under a policy that forbids the rest', async () => {
    const page = await plane.request('GET', '/dashboard');
    expect(page.status).toBe(200);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self'");
    expect(page.text).not.toMatch(/<script(?![^>]*src=)|<style|style="|onclick|https?:\/\//);
    const assets = [...page.text.matchAll(/(?:src|href)="(\/dashboard\/[^"]+)"/g)].map(([, path]) => path!);
    expect(assets.length).toBeGreaterThanOrEqual(3);
    for (const path of assets) expect((await plane.request('GET', path)).status).toBe(200);
  });

  it('is served at every address below, and / leads there', async () => {
    const [page, below] = [
      await plane.request('GET', '/dashboard'),
      await plane.request('GET', '/dashboard/calls/1?mode=live'),
    ];
    expect([below.status, below.text]).toEqual([200, page.text]);
    expect(below.headers.get('cache-control')).toBe('no-cache');
    const root = await fetch(plane.url, { redirect: 'manual' });
    expect([root.status, root.headers.get('location')]).toEqual([302, '/dashboard']);
  });

  it('has files that are kept for ever and come compressed, and errors that are not kept', async () => {
    const { text } = await plane.request('GET', '/dashboard');
    const script = /src="([^"]+\.js)"/.exec(text)?.[1];
    for (const coding of ['br', 'gzip']) {
      const answer = await fetch(`${plane.url}${script}`, { headers: { 'accept-encoding': coding } });
      expect(answer.headers.get('content-encoding')).toBe(coding);
      expect(answer.headers.get('content-type')).toContain('javascript');
      expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(await answer.text()).toContain('function');
    }
    const missing = await plane.request('GET', '/dashboard/assets/index-gone.js');
    expect([missing.status, missing.headers.get('cache-control')]).toEqual([404, null]);
    const outside = await plane.request('GET', '/dashboard/assets/..%2f..%2fpackage.json');
    expect([400, 403, 404]).toContain(outside.status);
  });

  it('has no sign of a session in the API description', async () => {
    const { text } = await plane.request('GET', '/v1/openapi.json');
    expect(text).not.toContain('/dashboard/session');
    expect(text).not.toContain('/internal/');
  });
});
