import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { IntegrationsEmulator } from '../../../loadtest/emulators/integrations/server.js';
import { startTestControlPlane, type TestControlPlane } from '../testing/control-plane.js';
import type { ConnectionHealth, IntegrationInfo } from './schemas.js';
import {
  comeBack,
  connectByOAuth,
  consent,
  dashboardSession,
  type IntegrationsScene,
  startIntegrationsScene,
} from './testing.js';

const OAUTH = ['slack', 'hubspot', 'salesforce', 'google-calendar', 'google-sheets'];
const BY_KEY = ['airtable', 'notion', 'cal-com', 'zapier', 'make'];
const base = '/api/v1/integrations';

const clock = new ScriptedClock(Date.UTC(2026, 5, 1, 9));
let scene: IntegrationsScene;
let vendors: IntegrationsEmulator;
let plane: TestControlPlane;
let other: TestControlPlane;
let key: string;

beforeAll(async () => {
  scene = await startIntegrationsScene(clock);
  ({ vendors, plane, other } = scene);
});
afterAll(() => scene?.close());
beforeEach(async () => {
  key = await scene.newTenant();
});

const code = (answer: { json: unknown }) => (answer.json as { code: string }).code;
const status = async (slug: string) =>
  (await plane.request('GET', `${base}/${slug}/status`, { key })).json as ConnectionHealth;
const connectByKey = (slug: string, body: object) =>
  plane.request('POST', `${base}/${slug}/api-key-connect`, { key, body });
const fieldsOf = (slug: string) => {
  if (slug === 'airtable') return { api_key: vendors.key, base_id: 'appX' };
  if (slug === 'notion') return { token: vendors.key };
  if (slug === 'cal-com') return { api_key: vendors.key };
  return { webhook_url: `${vendors.url}/hooks/catch/1-${slug}` };
};

describe('GET /integrations', () => {
  // @rule 2.22
  it("lists all available integrations with the tenant's connection status", async () => {
    await connectByKey('notion', fieldsOf('notion'));
    const answer = await plane.request('GET', base, { key });
    expect(answer.status).toBe(200);
    const list = answer.json as IntegrationInfo[];
    expect(list.map(({ slug }) => slug)).toEqual([...OAUTH, ...BY_KEY]);
    expect(list.filter(({ connected }) => connected)).toMatchObject([
      { slug: 'notion', status: 'connected', account: 'Acme bot' },
    ]);
    expect(list.every(({ actions }) => actions.length > 0)).toBe(true);
    const { key: foreign } = await plane.newKey({ sandbox: false });
    const theirs = (await plane.request('GET', base, { key: foreign })).json as IntegrationInfo[];
    expect(theirs.some(({ connected }) => connected)).toBe(false);
  });
});

describe('connecting by OAuth', () => {
  // @rule 4.47
  it.each(OAUTH)('%s: consent, exchange, healthy, then revoked and removed', async (slug) => {
    const consented = await consent(plane, key, slug);
    const answer = await comeBack(plane, consented);
    expect([answer.status, answer.headers.get('refresh')]).toEqual([
      200,
      `0; url=http://127.0.0.1:65000/dashboard?integration=${slug}`,
    ]);
    expect(await status(slug)).toMatchObject({ connected: true, health: 'healthy' });

    const removed = await plane.request('DELETE', `${base}/${slug}`, { key });
    expect([removed.status, removed.json]).toEqual([200, { slug, connected: false, revocation: 'revoked' }]);
    expect(await status(slug)).toMatchObject({ connected: false, health: 'not_connected' });
    expect(code(await plane.request('DELETE', `${base}/${slug}`, { key }))).toBe('integration_not_connected');
  });

  // @rule 4.46
  it('by a server needs no cookie: the state is good once, for its integration and tenant, and for ten minutes', async () => {
    const begun = await consent(plane, key, 'slack');
    expect(begun.cookie).toBe('');
    expect(code(await comeBack(plane, { ...begun, back: begun.back.replace('slack', 'hubspot') }))).toBe(
      'oauth_state_invalid',
    );
    const forged = begun.back.replace(/state=[^&]+/, (state) => `${state.slice(0, -3)}AAA`);
    expect(code(await comeBack(plane, { ...begun, back: forged }))).toBe('oauth_state_invalid');
    expect(await status('slack')).toMatchObject({ connected: false });

    // Another replica takes it as well; then it is used up everywhere.
    expect((await comeBack(other, begun)).status).toBe(200);
    expect(code(await comeBack(plane, begun))).toBe('oauth_state_invalid');
    expect(await status('slack')).toMatchObject({ connected: true });
    const { key: foreign } = await plane.newKey({ sandbox: false });
    expect((await plane.request('GET', `${base}/slack/status`, { key: foreign })).json).toMatchObject({
      connected: false,
    });

    const late = await consent(plane, key, 'slack');
    clock.advance(10 * 60_000);
    expect(code(await comeBack(plane, late))).toBe('oauth_state_invalid');
  });

  it('by a server comes back in whatever browser, such as one with the cookie of another flow', async () => {
    const begun = await consent(plane, key, 'slack');
    const { cookie } = await consent(plane, { session: await dashboardSession(plane) }, 'slack');
    expect((await comeBack(plane, { ...begun, cookie })).status).toBe(200);
    expect(await status('slack')).toMatchObject({ connected: true });
  });

  it('from the dashboard in a second tab: its callback leads back there, and the first tab sees the status', async () => {
    const [session, stranger] = [await dashboardSession(plane), await dashboardSession(plane)];
    const shownTo = async (cookie: string, at = plane) => {
      const answer = await at.request('GET', base, { headers: { cookie } });
      const slack = (answer.json as IntegrationInfo[]).find(({ slug }) => slug === 'slack');
      return slack?.status;
    };
    expect(await shownTo(session)).toBe('not_connected');
    // The second tab: the vendor's page, and from there back, all in one browser.
    const consented = await consent(plane, { session }, 'slack');
    expect(consented.redirectUrl.href).toContain(vendors.url);
    expect(await shownTo(session)).toBe('not_connected');
    const back = await comeBack(other, { ...consented, cookie: `${session}; ${consented.cookie}` });
    expect([back.status, back.headers.get('refresh')]).toEqual([
      200,
      '0; url=http://127.0.0.1:65000/dashboard?integration=slack',
    ]);
    expect(back.text).toContain('Slack is connected.');
    const dropped = `integration_connect=; Path=${base}/slack/callback; Max-Age=0`;
    expect(back.headers.get('set-cookie')).toContain(dropped);
    // What the first tab asks when the second one says so; on each replica, and for nobody else.
    expect([await shownTo(session), await shownTo(session, other)]).toEqual(['connected', 'connected']);
    expect(await shownTo(stranger)).toBe('not_connected');
    const health = await plane.request('GET', `${base}/slack/status`, { headers: { cookie: session } });
    expect(health.json).toMatchObject({ connected: true, health: 'healthy' });
    // A second tab that was left open leads nowhere any more.
    expect(code(await comeBack(plane, consented))).toBe('oauth_state_invalid');
  });

  it('begun in the dashboard is good in that browser alone', async () => {
    const [mine, stranger] = [await dashboardSession(plane), await dashboardSession(plane)];
    const begun = await consent(plane, { session: mine }, 'slack');
    expect(begun.cookie).toMatch(/^integration_connect=[\w-]{43}$/);
    const { cookie } = await consent(plane, { session: stranger }, 'slack');
    for (const wrong of ['', cookie]) {
      const elsewhere = await comeBack(plane, { ...begun, cookie: wrong });
      expect([elsewhere.status, code(elsewhere)]).toEqual([400, 'oauth_state_invalid']);
    }
    expect((await comeBack(plane, begun)).status).toBe(200);
    const { json } = await plane.request('GET', `${base}/slack/status`, { headers: { cookie: mine } });
    expect(json).toMatchObject({ connected: true });
  });

  // @rule 8.8
  it('begun again with the Idempotency-Key is the same flow, for the credential that began it alone', async () => {
    const tenant = `two credentials ${Math.random()}`;
    const theirs = await plane.newKey({ tenant, sandbox: false });
    const mine = await dashboardSession(plane, tenant);
    const repeat = { 'idempotency-key': 'k' };
    const connect = (at = plane) =>
      at.request('POST', `${base}/slack/connect`, {
        headers: { ...repeat, cookie: mine, 'sec-fetch-site': 'same-origin' },
      });
    const first = await connect();
    const again = await connect(other);
    expect(again.headers.get('x-idempotent-replay')).toBe('true');
    expect([again.status, again.text]).toEqual([200, first.text]);
    expect(again.headers.get('set-cookie')).toBe(first.headers.get('set-cookie'));
    expect(first.headers.get('set-cookie')).toMatch(/^integration_connect=[\w-]{43};/);
    // The cookie is for one browser: a colleague does not get it.
    const colleague = await plane.request('POST', `${base}/slack/connect`, {
      key: theirs.key,
      headers: repeat,
    });
    expect([colleague.status, code(colleague)]).toEqual([422, 'idempotency_key_reused']);
    expect(colleague.headers.get('set-cookie')).toBeNull();
    const rows = await plane.platform.store.collection('idempotency_keys').find().toArray();
    expect(JSON.stringify(rows)).not.toContain(first.headers.get('set-cookie')!.slice(20, 63));
  });

  describe('without consent', () => {
    const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
    const stateOf = ({ back }: { back: string }) => new URLSearchParams(back.split('?')[1]).get('state')!;

    it('shows the person in words that they did not allow it, and uses the state up', async () => {
      const begun = await consent(plane, key, 'hubspot');
      const denied = `${base}/hubspot/callback?error=access_denied&state=${stateOf(begun)}`;
      const page = await plane.request('GET', denied, { headers: browser });
      expect([page.status, page.headers.get('content-type')]).toEqual([400, 'text/html; charset=utf-8']);
      expect(page.text).toContain('You did not allow the connection at HubSpot.');
      expect(page.text).toContain('href="http://127.0.0.1:65000/dashboard"');
      expect(code(await comeBack(plane, begun))).toBe('oauth_state_invalid');
      expect(await status('hubspot')).toMatchObject({ connected: false });
    });

    it.each([
      ['temporarily_unavailable', 'is not available at the moment (temporarily_unavailable)'],
      ['invalid_scope', 'gave the reason invalid_scope'],
      ['<b>Call +1 900 555 0100</b>', 'gave the reason unknown'],
    ])('says what the vendor said, and no words from a made-up address: %s', async (error, words) => {
      const query = new URLSearchParams({ error, error_description: 'Call +1 900 555 0100' });
      const page = await plane.request('GET', `${base}/slack/callback?${query}`, { headers: browser });
      expect(page.status).toBe(400);
      expect(page.text).toContain(words);
      expect(page.text).not.toContain('900');
      const { json } = await plane.request('GET', `${base}/slack/callback?${query}`);
      expect(json).toMatchObject({ code: 'oauth_denied' });
    });

    it.each([
      [`${base}/slack/callback`, 422, 'The address of this page is not complete.'],
      [`${base}/slack/callback?code=x&state=y`, 400, 'This page was opened too late'],
      [`${base}/fax/callback?code=x&state=y`, 404, 'There is no such integration.'],
    ])('shows a page for every other error, too: %s', async (path, expected, words) => {
      const page = await plane.request('GET', path, { headers: browser });
      expect([page.status, page.headers.get('content-type')]).toEqual([expected, 'text/html; charset=utf-8']);
      expect(page.text).toContain(words);
      expect(page.text).toContain(page.headers.get('x-request-id'));
    });

    it('shows a page where the vendor is away', async () => {
      const begun = await consent(plane, key, 'slack');
      vendors.faults.failNext = 1;
      const page = await plane.request('GET', begun.back, { headers: browser });
      expect(page.status).toBeGreaterThanOrEqual(500);
      expect(page.text).toContain('Please connect again in a few minutes.');
    });
  });

  // @rule 4.46
  it('both code and state are required', async () => {
    for (const query of ['', '?code=x', '?state=x']) {
      expect((await plane.request('GET', `${base}/slack/callback${query}`)).status).toBe(422);
    }
  });

  it('a code that the vendor refuses connects nothing', async () => {
    const begun = await consent(plane, key, 'salesforce');
    const answer = await comeBack(plane, { ...begun, back: begun.back.replace(/code=[^&]+/, 'code=guess') });
    expect([answer.status, code(answer)]).toEqual([400, 'oauth_code_invalid']);
    expect(await status('salesforce')).toMatchObject({ connected: false });
  });

  it('says what cannot be: no such integration, the other kind, no app at the vendor', async () => {
    const connect = (slug: string, at = plane) => at.request('POST', `${base}/${slug}/connect`, { key });
    expect([(await connect('fax')).status, code(await connect('fax'))]).toEqual([
      404,
      'integration_not_found',
    ]);
    expect(code(await connect('notion'))).toBe('integration_connects_otherwise');
    expect(code(await connectByKey('slack', { token: 'x' }))).toBe('integration_connects_otherwise');
    const bare = await startTestControlPlane(scene.store.uri, { clock });
    const refused = await connect('slack', bare);
    await bare.close();
    expect([refused.status, code(refused)]).toEqual([503, 'integration_not_configured']);
  });
});

describe('connecting by key', () => {
  // @rule 2.24
  it.each(BY_KEY)('%s: stored once the vendor takes it, shown never again', async (slug) => {
    const answer = await connectByKey(slug, fieldsOf(slug));
    expect(answer.status, answer.text).toBe(200);
    expect(answer.text).not.toContain(vendors.key);
    const health = BY_KEY.indexOf(slug) < 3 ? 'healthy' : 'unknown';
    expect(await status(slug)).toMatchObject({ connected: true, health });
    const removed = await plane.request('DELETE', `${base}/${slug}`, { key });
    expect(removed.json).toEqual({ slug, connected: false, revocation: 'not_offered' });
  });

  it('what the vendor does not take, or what is not its own, is refused', async () => {
    const wrong = await connectByKey('notion', { token: 'guess' });
    expect([wrong.status, code(wrong)]).toEqual([422, 'integration_credentials_refused']);
    expect(code(await connectByKey('zapier', { webhook_url: 'http://169.254.169.254/hooks' }))).toBe(
      'integration_credentials_refused',
    );
    const missing = await connectByKey('airtable', { api_key: vendors.key });
    expect(missing.json).toMatchObject({ detail: [{ loc: ['body', 'base_id'], type: 'missing' }] });
    expect((await connectByKey('cal-com', { api_key: 'x', token: 'y' })).status).toBe(422);
    vendors.faults.failNext = 1;
    expect(code(await connectByKey('notion', fieldsOf('notion')))).toBe('integration_vendor_error');
    expect(await status('notion')).toMatchObject({ connected: false });
  });
});

describe('secrets at rest', () => {
  it('no token, key or verifier is in the database in the clear', async () => {
    await connectByOAuth(plane, key, 'google-sheets');
    await connectByKey('airtable', fieldsOf('airtable'));
    const begun = await consent(plane, { session: await dashboardSession(plane) }, 'hubspot');
    const names = ['integration_connections', 'integration_oauth_states'];
    const rows = await Promise.all(
      names.map((name) => plane.platform.store.collection(name).find().toArray()),
    );
    const text = JSON.stringify(rows);
    expect(rows.every((found) => found.length > 0)).toBe(true);
    for (const secret of ['access-', 'refresh-', vendors.key, begun.cookie.split('=')[1]!]) {
      expect(text).not.toContain(secret);
    }
  });
});

describe('PATCH /integrations/{slug}/config', () => {
  const patch = (config: object, at = plane) =>
    at.request('PATCH', `${base}/notion/config`, { key, body: { config } });

  // @rule 2.23, 4.48
  it('keys are merged into the existing config, also at the same time and on reconnecting', async () => {
    await connectByKey('notion', fieldsOf('notion'));
    await patch({ database_id: 'd1', a: 1 });
    expect((await patch({ a: 2 })).json).toMatchObject({ config: { database_id: 'd1', a: 2 } });
    await Promise.all(['x', 'y', 'z'].map((name, i) => patch({ [name]: i }, i % 2 ? plane : other)));
    await connectByKey('notion', fieldsOf('notion'));
    const list = (await plane.request('GET', base, { key })).json as IntegrationInfo[];
    expect(list.find(({ slug }) => slug === 'notion')?.config).toEqual({
      database_id: 'd1',
      a: 2,
      x: 0,
      y: 1,
      z: 2,
    });
  });

  // @rule 4.48
  it('the integration must already be connected; the settings are not endless', async () => {
    const answer = await patch({ a: 1 });
    expect([answer.status, code(answer)]).toEqual([409, 'integration_not_connected']);
    await connectByKey('notion', fieldsOf('notion'));
    expect(code(await patch({ text: 'x'.repeat(17_000) }))).toBe('integration_config_too_large');
    expect((await patch({ $set: { 'a.b': { $gt: '' } } })).json).toMatchObject({
      config: { $set: { 'a.b': { $gt: '' } } },
    });
  });
});
