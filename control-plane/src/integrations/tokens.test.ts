import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { newId } from '@voice/shared/ids/ids';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { IntegrationsEmulator } from '../../../loadtest/emulators/integrations/server.js';
import type { TestControlPlane } from '../testing/control-plane.js';
import { eventually } from '../testing/eventually.js';
import { ScriptedWorker } from '../testing/scripted-worker.js';
import { connectionModel } from './model.js';
import type { ConnectionHealth } from './schemas.js';
import { connectByOAuth, type IntegrationsScene, startIntegrationsScene } from './testing.js';

const OAUTH = ['slack', 'hubspot', 'salesforce', 'google-calendar', 'google-sheets'];
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

/** The access token of the newest connection, as it is stored. */
async function accessTokenOf(slug: string): Promise<string> {
  const { store: connection, secrets } = plane.platform;
  const [row] = await connectionModel(connection).find({ slug }).sort({ connected_at: -1 }).limit(1).lean();
  const text = secrets.open(`tenants/${row!.tenant_id}/integrations/${slug}`, row!.credentials);
  return (JSON.parse(text) as { access_token: string }).access_token;
}
const status = async (slug: string) =>
  (await plane.request('GET', `${base}/${slug}/status`, { key })).json as ConnectionHealth;

describe('tokens', () => {
  it('are renewed before they expire, by one of the replicas', async () => {
    await connectByOAuth(plane, key, 'hubspot');
    const before = vendors.authorities.hubspot.refreshes;
    clock.advance(28.5 * 60_000);
    const asked = [plane, other, plane, other].map((at) =>
      at.request('GET', `${base}/hubspot/status`, { key }),
    );
    for (const { json } of await Promise.all(asked)) expect(json).toMatchObject({ health: 'healthy' });
    expect(vendors.authorities.hubspot.refreshes - before).toBe(1);
  });

  it('when expired, everybody waits for the one replica that renews them', async () => {
    await connectByOAuth(plane, key, 'google-calendar');
    const before = vendors.authorities.google.refreshes;
    clock.advance(2 * 3600_000);
    let over = false;
    const asked = Promise.all(
      [plane, other, plane, other].map((at) => at.request('GET', `${base}/google-calendar/status`, { key })),
    ).finally(() => {
      over = true;
    });
    while (!over) {
      // Slower than the machine's own clock: however busy it is, the lease of who renews does not lapse.
      await new Promise((resolve) => setTimeout(resolve, 20));
      clock.advance(15);
    }
    for (const { json } of await asked) expect(json).toMatchObject({ health: 'healthy' });
    expect(vendors.authorities.google.refreshes - before).toBe(1);
  });

  it('a replica that died while renewing holds nobody up for longer than its lease', async () => {
    await connectByOAuth(plane, key, 'hubspot');
    clock.advance(31 * 60_000);
    await plane.platform.store
      .collection('integration_connections')
      .updateMany({ slug: 'hubspot' }, { $set: { refreshing_until: new Date(clock.now() + 30_000) } });
    clock.advance(30_000);
    expect(await status('hubspot')).toMatchObject({ health: 'healthy' });
  });

  it.each(['hubspot', 'salesforce'] as const)(
    'of %s, refused before their time, are renewed and the request is made again',
    async (slug) => {
      await connectByOAuth(plane, key, slug);
      vendors.authorities[slug].expireAccess();
      expect(await status(slug)).toMatchObject({ health: 'healthy' });
    },
  );

  it('are revoked at the vendor also when the access token has expired meanwhile', async () => {
    await connectByOAuth(plane, key, 'hubspot');
    clock.advance(3600_000);
    const removed = await plane.request('DELETE', `${base}/hubspot`, { key });
    expect(removed.json).toMatchObject({ revocation: 'revoked' });
  });

  it.each(OAUTH.slice(0, 4))('%s, revoked at the vendor: unhealthy until connected again', async (slug) => {
    await connectByOAuth(plane, key, slug);
    vendors.authorities[slug === 'google-calendar' ? 'google' : (slug as 'slack')].revokeAll();
    expect(await status(slug)).toMatchObject({ connected: true, health: 'unhealthy' });
    await connectByOAuth(plane, key, slug);
    expect(await status(slug)).toMatchObject({ connected: true, health: 'healthy' });
  });

  describe('while the vendor refuses the client of this installation', () => {
    const registered = { hubspot: 'hubspot-secret', google: 'google-secret' };
    const refuseClients = (refuse: boolean) => {
      for (const name of ['hubspot', 'google'] as const) {
        vendors.authorities[name].clientSecret = refuse ? 'another secret' : registered[name];
      }
    };
    afterEach(() => refuseClients(false));

    it.each(['hubspot', 'google-calendar'])(
      'of %s stay connected, and are renewed afterwards',
      async (slug) => {
        await connectByOAuth(plane, key, slug);
        clock.advance(2 * 3600_000);
        refuseClients(true);
        expect(await status(slug)).toMatchObject({
          health: 'unhealthy',
          detail: expect.stringContaining('client credentials are wrong'),
        });
        refuseClients(false);
        expect(await status(slug)).toMatchObject({ connected: true, health: 'healthy' });
      },
    );

    it('are asked for every 30 seconds at most by tools, and at once by a check of the tenant', async () => {
      const worker = await ScriptedWorker.start({
        id: 'worker-1',
        secret: plane.platform.config.internalSecret,
        now: () => clock.now(),
      });
      await worker.heartbeat(plane);
      const tool = {
        type: 'integration',
        name: 'slots',
        integration: 'google-calendar',
        action: 'find_slots',
      };
      const agent = await plane.request('POST', '/api/v1/agents', {
        key,
        body: { name: 'Ann', system_prompt: 'You sell.', tools: [tool] },
      });
      const session = await plane.request(
        'POST',
        `/api/v1/agents/${(agent.json as { id: string }).id}/test/websocket`,
        { key, body: {} },
      );
      expect(session.status, session.text).toBe(201);
      const run = async () => {
        const { integration, action } = tool;
        const call_id = (session.json as { session_id: string }).session_id;
        const body = {
          call_id,
          tool_call_id: newId(),
          integration,
          action,
          arguments: { from: '2026-06-02T09:00:00Z', to: '2026-06-02T12:00:00Z' },
        };
        const answer = await plane.internal('POST', '/internal/tools/integration', body);
        expect(answer.status, answer.text).toBe(200);
        return answer.json as { ok: boolean; result: string };
      };
      let asked = 0;
      vendors.faults.before = async (path) => {
        if (path === '/token') asked += 1;
      };

      await connectByOAuth(plane, key, 'google-calendar');
      await worker.close();
      refuseClients(true);
      asked = 0;
      clock.advance(58.5 * 60_000);
      // Not renewed, and good for another 90 seconds.
      expect([await run(), await run()]).toMatchObject([{ ok: true }, { ok: true }]);
      expect(asked).toBe(1);

      clock.advance(3600_000);
      asked = 0;
      expect((await run()).result).toContain('client credentials are wrong');
      for (let n = 1; n < 10; n++) {
        expect(await run()).toEqual({
          ok: false,
          result: expect.stringContaining('no new tokens a moment ago'),
        });
      }
      expect(asked).toBe(1);
      clock.advance(30_000);
      await run();
      expect(asked).toBe(2);

      refuseClients(false);
      expect((await run()).ok).toBe(false);
      expect(asked).toBe(2);
      expect(await status('google-calendar')).toMatchObject({ health: 'healthy' });
      expect([await run(), asked]).toEqual([{ ok: true, result: expect.any(String) }, 3]);
    });

    it('are used as long as they are good', async () => {
      await connectByOAuth(plane, key, 'hubspot');
      clock.advance(28.5 * 60_000);
      refuseClients(true);
      expect(await status('hubspot')).toMatchObject({ health: 'healthy' });
    });
  });

  it.each([403, 404, 408])('stay connected when what is before the vendor answers %i', async (refusal) => {
    await connectByOAuth(plane, key, 'hubspot');
    clock.advance(3600_000);
    vendors.faults.answerNext = { status: refusal };
    expect(await status('hubspot')).toMatchObject({ health: 'unhealthy' });
    expect(await status('hubspot')).toMatchObject({ connected: true, health: 'healthy' });
  });

  it('stay connected when what is before the vendor refuses to say whose they are', async () => {
    await connectByOAuth(plane, key, 'hubspot');
    vendors.faults.before = async (path) => {
      if (path.startsWith('/oauth/v1/access-tokens/')) vendors.faults.answerNext = { status: 403 };
    };
    expect(await status('hubspot')).toMatchObject({ health: 'unhealthy' });
    vendors.faults.before = async () => {};
    expect(await status('hubspot')).toMatchObject({ connected: true, health: 'healthy' });
  });

  it.each(OAUTH)('of %s that the vendor does not know any more count as revoked', async (slug) => {
    await connectByOAuth(plane, key, slug);
    vendors.authorities[slug.startsWith('google') ? 'google' : (slug as 'slack')].revokeAll();
    const removed = await plane.request('DELETE', `${base}/${slug}`, { key });
    expect(removed.json).toEqual({ slug, connected: false, revocation: 'revoked' });
  });

  it.each([
    ['an error of Slack itself', 'slack', { status: 200, body: { ok: false, error: 'internal_error' } }],
    ['a page in the place of JSON', 'slack', { status: 200 }],
    ['a refusal that is not about the token', 'google-sheets', { status: 403 }],
  ] as const)('are still to be revoked after %s', async (_what, slug, answer) => {
    await connectByOAuth(plane, key, slug);
    const token = await accessTokenOf(slug);
    vendors.faults.answerNext = answer;
    const removed = await plane.request('DELETE', `${base}/${slug}`, { key });
    expect(removed.json).toEqual({ slug, connected: false, revocation: 'pending' });
    clock.advance(60_000);
    const authority = vendors.authorities[slug === 'slack' ? 'slack' : 'google'];
    await eventually(() => authority.scopesOf(token) === undefined);
  });

  // @rule 4.47
  it('whose vendor is away are not connected any more at once, and revoked as soon as it is back', async () => {
    await connectByOAuth(plane, key, 'google-sheets');
    const token = await accessTokenOf('google-sheets');
    vendors.faults.failNext = 1;
    const removed = await plane.request('DELETE', `${base}/google-sheets`, { key });
    expect(removed.json).toEqual({ slug: 'google-sheets', connected: false, revocation: 'pending' });
    expect(await status('google-sheets')).toMatchObject({ connected: false });
    expect(vendors.authorities.google.scopesOf(token)).toBeDefined();
    clock.advance(60_000);
    const isValid = () => vendors.authorities.google.scopesOf(token) !== undefined;
    await eventually(isValid, (valid) => !valid);
  });
});
