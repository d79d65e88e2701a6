import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SimulatedCarrierProcess, startSimulatedCarrier } from '../testing/simulated-carrier.js';
import { ALWAYS_OPEN, CALLEE, Scene, type Tenant } from './scene.js';

const REAL_CALLEE = '+14155550177';

let scene: Scene;
let twilio: SimulatedCarrierProcess;
let tenant: Tenant;
beforeAll(async () => {
  twilio = await startSimulatedCarrier();
  scene = await Scene.set({ ...twilio.twilioEnv, VERIFICATION_FROM_NUMBER: '+14155550100' });
  tenant = await scene.newTenant({ calling_hours: ALWAYS_OPEN });
});
afterAll(async () => {
  await scene?.close();
  await twilio?.close();
});

const production = async (from_number: string) => {
  const agent_id = (await scene.json<{ agents: { id: string }[] }>(tenant.live, 'GET', '/api/v1/agents'))
    .agents[0]!.id;
  return { agent_id, from_number, to_number: REAL_CALLEE };
};

describe('5. Authentication', () => {
  it('1. Every endpoint except the ones named below takes the header Authorization: Bearer <API_KEY>.', async () => {
    expect((await scene.ask(tenant.test, 'GET', '/api/v1/agents')).status).toBe(200);
    expect(await scene.refusal(undefined, 'GET', '/api/v1/agents')).toEqual([401, 'missing_credentials']);
    const basic = { authorization: `Basic ${Buffer.from(tenant.test).toString('base64')}` };
    expect((await scene.ask(undefined, 'GET', '/api/v1/agents', undefined, basic)).status).toBe(401);
  });

  it('2. A key starting sk_live_ selects production mode. A key starting sk_test_ selects sandbox mode. The server derives the mode from the prefix on every request.', async () => {
    const forged = tenant.test.replace('sk_test_', 'sk_live_');
    expect(await scene.refusal(forged, 'GET', '/api/v1/agents')).toEqual([401, 'invalid_api_key']);
    const sandbox = await scene.json<{ sandbox: boolean }>(tenant.test, 'GET', '/api/v1/billing/usage');
    const real = await scene.json<{ sandbox: boolean }>(tenant.live, 'GET', '/api/v1/billing/usage');
    expect([sandbox.sandbox, real.sandbox]).toEqual([true, false]);
  });

  it('3. Sandbox mode: only carrier test numbers can be called; no billing and calls cost 0; calls carry is_test_call = true.', async () => {
    const { id } = await scene.dialed(tenant);
    expect(await scene.call(tenant, id)).toMatchObject({ is_test_call: true });
    const body = scene.outbound(tenant, { to_number: REAL_CALLEE });
    expect(await scene.refusal(tenant.test, 'POST', '/api/v1/calls', body)).toEqual([
      403,
      'sandbox_number_required',
    ]);
  });

  it('3. Sandbox mode: only webhook subscriptions with sandbox true receive the resulting events. 4. Production mode: production webhook delivery.', async () => {
    const path = (mode: string) => scene.receiver.url(`/${mode}/${tenant.id}`);
    await scene.json(tenant.test, 'POST', '/api/v1/webhooks', { url: path('test'), sandbox: true });
    await scene.json(tenant.live, 'POST', '/api/v1/webhooks', { url: path('live'), sandbox: false });
    const agent = { name: 'Switch', system_prompt: 'p' };
    for (const key of [tenant.test, tenant.live]) {
      const id = await scene.made(key, '/api/v1/agents', agent);
      await scene.ask(key, 'DELETE', `/api/v1/agents/${id}`);
    }
    const heard = await scene.heard(tenant, 'agent.deactivated', 2);
    expect(heard.map(({ path, event }) => [path.split('/')[1], event.sandbox]).sort()).toEqual([
      ['live', false],
      ['test', true],
    ]);
  });

  it('4. Production mode: real dials.', async () => {
    await scene.number(tenant, '+14155550141');
    const id = await scene.made(tenant.live, '/api/v1/calls', await production('+14155550141'));
    const call = await scene.json(tenant.live, 'GET', `/api/v1/calls/${id}`);
    expect(call).toMatchObject({ is_test_call: false, carrier: 'twilio', to_number: REAL_CALLEE });
  });

  it('5. The key plaintext is shown once at creation and cannot be retrieved again.', async () => {
    const { key } = await scene.json<{ key: string }>(tenant.test, 'POST', '/api/v1/keys', { name: 'once' });
    const listing = await scene.ask(tenant.test, 'GET', '/api/v1/keys');
    expect(listing.text).not.toContain(key.slice('sk_test_'.length + 8));
    const stored = await (await scene.store.connect()).db!.collection('api_keys').find().toArray();
    expect(JSON.stringify(stored)).not.toContain(key);
  });

  it('6. An invalid key gives 401 with a stable error code.', async () => {
    for (const key of ['nonsense', `sk_test_${'x'.repeat(32)}`, `sk_live_${'x'.repeat(32)}`, 'sk_test_']) {
      expect.soft(await scene.refusal(key, 'GET', '/api/v1/calls'), key).toEqual([401, 'invalid_api_key']);
    }
  });

  it('7. Exempt from the bearer credential: GET /api/v1/webhooks/event-types, GET /api/v1/integrations/{slug}/callback (uses the state parameter) and POST /api/v1/webhooks/clerk (uses signature headers).', async () => {
    expect((await scene.ask(undefined, 'GET', '/api/v1/webhooks/event-types')).status).toBe(200);
    const callback = await scene.ask(undefined, 'GET', '/api/v1/integrations/slack/callback?code=c&state=s');
    expect(callback.status).not.toBe(401);
    const clerk = await scene.ask(undefined, 'POST', '/api/v1/webhooks/clerk', {
      type: 'user.created',
      data: { id: 'user_1' },
    });
    expect(clerk).toMatchObject({ status: 422, json: { detail: [{ loc: ['header', 'svix-id'] }, {}, {}] } });
  });

  it('8. Outbound dispatch refuses a from_number until caller_id_verified_at is set on it.', async () => {
    await scene.number(tenant, '+14155550142', { verified: false });
    expect(
      await scene.refusal(tenant.live, 'POST', '/api/v1/calls', await production('+14155550142')),
    ).toEqual([403, 'caller_id_unverified']);
  });

  it.each(['B', 'C'] as const)(
    '8. It also refuses a number whose STIR/SHAKEN attestation is B or C (%s).',
    async (attestation) => {
      const number = attestation === 'B' ? '+14155550143' : '+14155550144';
      await scene.number(tenant, number, { attestation });
      expect(await scene.refusal(tenant.live, 'POST', '/api/v1/calls', await production(number))).toEqual([
        403,
        'attestation_insufficient',
      ]);
    },
  );

  it.each(['sms', 'voice'])(
    '9. Bring-your-own number flow: start a verification (code sent by SMS or voice: %s), then confirm with the code.',
    async (channel) => {
      const phone_number = channel === 'sms' ? '+14155550145' : CALLEE;
      const started = await scene.ask(tenant.live, 'POST', '/api/v1/verifications', {
        phone_number,
        channel,
      });
      expect(started.status).toBe(200);
      expect(started.text).not.toMatch(/\b\d{6}\b/);
      const wrong = await scene.ask(tenant.live, 'POST', '/api/v1/verifications/confirm', {
        phone_number,
        code: '000000',
      });
      expect(wrong.status).toBeGreaterThanOrEqual(400);
      if (channel === 'voice') return;
      const [message] = await twilio.messagesTo(phone_number);
      const code = /\d{6}/.exec(message!.body)![0];
      expect(
        await scene.ask(tenant.live, 'POST', '/api/v1/verifications/confirm', { phone_number, code }),
      ).toMatchObject({ status: 200 });
    },
  );

  it('11. Dashboard identity-provider sessions are also mentioned as a tenant credential for some endpoints: a local session, from a one-time link, manages the keys.', async () => {
    const made = await scene.plane.internal('POST', '/internal/dashboard/login-links', {
      tenant: `tenant of ${CALLEE}`,
    });
    const link = new URL((made.json as { url: string }).url);
    const signIn = await fetch(scene.plane.url + link.pathname + link.search, { redirect: 'manual' });
    expect(signIn.status).toBeLessThan(400);
    const again = await fetch(scene.plane.url + link.pathname + link.search, { redirect: 'manual' });
    expect(again.headers.getSetCookie()).toEqual([]);
  });
});
