import { newId } from '@voice/shared/ids/ids';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CallResponse } from '../calls/record/schemas.js';
import { ended } from '../calls/testing/events.js';
import { eventually } from '../testing/eventually.js';
import { ALWAYS_OPEN, PAID_USAGE, REAL_CALLEE, Scene, type Tenant } from './scene.js';

const CODES_FROM = '+14155550100';

let scene: Scene;
let tenant: Tenant;
beforeAll(async () => {
  scene = await Scene.set({ VERIFICATION_FROM_NUMBER: CODES_FROM });
  tenant = await scene.newTenant({ calling_hours: ALWAYS_OPEN });
});
afterAll(() => scene?.close());

const production = async (from_number: string) => {
  const agent_id = (await scene.json<{ agents: { id: string }[] }>(tenant.live, 'GET', '/api/v1/agents'))
    .agents[0]!.id;
  return { agent_id, from_number, to_number: REAL_CALLEE };
};

/** The code of the text message that went to a number. */
const smsCode = (number: string) => {
  const sent = scene.carrier.messages.filter(({ from, to }) => from === CODES_FROM && to === number);
  expect(sent).toHaveLength(1);
  return /\b\d{6}\b/.exec(sent[0]!.body)![0];
};
/** The code that a call to the number says, digit by digit. */
const spokenCode = (number: string) => {
  const rung = scene.carrier.dialed.filter(({ form }) => form.From === CODES_FROM && form.To === number);
  expect(rung).toHaveLength(1);
  return /\d(?:, \d){5}/.exec(rung[0]!.form.Twiml!)![0].replaceAll(', ', '');
};

describe('authentication', () => {
  // @rule 5.1
  it('takes the key as a bearer credential, and no other way', async () => {
    expect((await scene.ask(tenant.test, 'GET', '/api/v1/agents')).status).toBe(200);
    expect(await scene.refusal(undefined, 'GET', '/api/v1/agents')).toEqual([401, 'missing_credentials']);
    const basic = { authorization: `Basic ${Buffer.from(tenant.test).toString('base64')}` };
    expect((await scene.ask(undefined, 'GET', '/api/v1/agents', undefined, basic)).status).toBe(401);
  });

  // @rule 5.2, 5.3
  it("derives the mode from the key's prefix on every request", async () => {
    const forged = tenant.test.replace('sk_test_', 'sk_live_');
    expect(await scene.refusal(forged, 'GET', '/api/v1/agents')).toEqual([401, 'invalid_api_key']);
    const sandbox = await scene.json<{ sandbox: boolean }>(tenant.test, 'GET', '/api/v1/billing/usage');
    const real = await scene.json<{ sandbox: boolean }>(tenant.live, 'GET', '/api/v1/billing/usage');
    expect([sandbox.sandbox, real.sandbox]).toEqual([true, false]);
  });

  // @rule 5.4, 5.6
  it('lets a sandbox key call carrier test numbers only, and marks its calls as test calls', async () => {
    const { id } = await scene.dialed(tenant);
    expect(await scene.call(tenant, id)).toMatchObject({ is_test_call: true });
    const body = scene.outbound(tenant, { to_number: REAL_CALLEE });
    expect(await scene.refusal(tenant.test, 'POST', '/api/v1/calls', body)).toEqual([
      403,
      'sandbox_number_required',
    ]);
  });

  // @rule 1.13, 1.14, 5.5, 5.8
  it('bills production calls by meter events, and sandbox calls nothing', async () => {
    const payer = await scene.newTenant({ calling_hours: ALWAYS_OPEN });
    await scene.json(payer.live, 'POST', '/api/v1/billing/setup', {});
    const held = async (key: string, { id }: { id: string }) => {
      await scene.report(id, { ...ended('agent_hangup', 120_000), usage: PAID_USAGE } as never);
      const { cost } = await eventually(
        () => scene.json<CallResponse>(key, 'GET', `/api/v1/calls/${id}`),
        (call) => call.cost !== null,
        15_000,
      );
      return cost!;
    };
    const inSandbox = await scene.answered(payer);
    expect(await held(payer.test, inSandbox)).toEqual({
      ...{ stt: 0, llm: 0, tts: 0, carrier: 0, service: 0, total: 0 },
      currency: 'usd',
    });
    const inProduction = await scene.answeredLive(payer);
    const { currency: _usd, ...cost } = await held(payer.live, inProduction);
    expect(Object.entries(cost).filter(([, usd]) => !(usd > 0))).toEqual([]);
    // The sandbox's call was charged first: what it had cost would be here by now.
    const metered = await eventually(
      () => scene.stripe.account.meterEvents.map(({ identifier }) => identifier),
      (ids) => ids.includes(`call_${inProduction.id}`),
    );
    expect(metered).not.toContain(`call_${inSandbox.id}`);
    const account = await scene.plane.internal('GET', `/internal/billing/tenants/${payer.id}`);
    expect(account.json).toMatchObject({ spent_usd: cost.total });
    const ofMode = async (key: string) =>
      (await scene.json<{ totals: { cost: { total: number } } }>(key, 'GET', '/api/v1/billing/usage')).totals
        .cost.total;
    expect([await ofMode(payer.test), await ofMode(payer.live)]).toEqual([0, cost.total]);
  });

  // @rule 5.7, 5.8
  it('delivers sandbox events to sandbox subscriptions, production events to the others', async () => {
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

  // @rule 5.8
  it('dials real numbers for a production key', async () => {
    await scene.number(tenant, '+14155550141');
    const id = await scene.made(tenant.live, '/api/v1/calls', await production('+14155550141'));
    const line = (await eventually(() => scene.carrier.callOf(id)))!;
    expect(line.form).toMatchObject({
      From: '+14155550141',
      To: REAL_CALLEE,
      StatusCallback: expect.stringContaining('/internal/carriers/twilio/'),
    });
    const call = await eventually(
      () => scene.json<CallResponse>(tenant.live, 'GET', `/api/v1/calls/${id}`),
      ({ carrier_call_id }) => carrier_call_id !== null,
    );
    expect(call).toMatchObject({ is_test_call: false, carrier: 'twilio', carrier_call_id: line.sid });
  });

  // @rule 5.9
  it('shows a key in plain text once', async () => {
    const { key } = await scene.json<{ key: string }>(tenant.test, 'POST', '/api/v1/keys', { name: 'once' });
    const listing = await scene.ask(tenant.test, 'GET', '/api/v1/keys');
    expect(listing.text).not.toContain(key.slice('sk_test_'.length + 8));
    const stored = await (await scene.store.connect()).db!.collection('api_keys').find().toArray();
    expect(JSON.stringify(stored)).not.toContain(key);
  });

  // @rule 5.10
  it('refuses an invalid key with 401 and a stable code', async () => {
    for (const key of ['nonsense', `sk_test_${'x'.repeat(32)}`, `sk_live_${'x'.repeat(32)}`, 'sk_test_']) {
      expect.soft(await scene.refusal(key, 'GET', '/api/v1/calls'), key).toEqual([401, 'invalid_api_key']);
    }
  });

  // @rule 5.11
  it("exempts the event types, the OAuth callback and the identity provider's intake", async () => {
    expect((await scene.ask(undefined, 'GET', '/api/v1/webhooks/event-types')).status).toBe(200);
    const callback = await scene.ask(undefined, 'GET', '/api/v1/integrations/slack/callback?code=c&state=s');
    expect(callback.status).not.toBe(401);
    const clerk = await scene.ask(undefined, 'POST', '/api/v1/webhooks/clerk', {
      type: 'user.created',
      data: { id: 'user_1' },
    });
    expect(clerk).toMatchObject({ status: 422, json: { detail: [{ loc: ['header', 'svix-id'] }, {}, {}] } });
  });

  // @rule 5.12
  it('refuses to dial from a number that is not verified', async () => {
    await scene.number(tenant, '+14155550142', { verified: false });
    expect(
      await scene.refusal(tenant.live, 'POST', '/api/v1/calls', await production('+14155550142')),
    ).toEqual([403, 'caller_id_unverified']);
  });

  // @rule 5.13
  it.each(['B', 'C'] as const)('refuses to dial from a number with attestation %s', async (attestation) => {
    const number = attestation === 'B' ? '+14155550143' : '+14155550144';
    await scene.number(tenant, number, { attestation });
    expect(await scene.refusal(tenant.live, 'POST', '/api/v1/calls', await production(number))).toEqual([
      403,
      'attestation_insufficient',
    ]);
  });

  // @rule 1.6, 4.34, 5.14
  it.each([
    ['sms', '+14155550145', smsCode],
    ['voice', '+14155550146', spokenCode],
  ] as const)(
    "verifies a tenant's own number by a code, sent by %s",
    async (channel, phone_number, codeSentTo) => {
      const started = await scene.ask(tenant.live, 'POST', '/api/v1/verifications', {
        phone_number,
        channel,
      });
      expect(started.status).toBe(200);
      expect(started.text).not.toMatch(/\b\d{6}\b/);
      const confirm = (code: string) =>
        scene.ask(tenant.live, 'POST', '/api/v1/verifications/confirm', { phone_number, code });
      const code = codeSentTo(phone_number);
      const wrong = String((Number(code) + 1) % 1_000_000).padStart(6, '0');
      expect(await confirm(wrong)).toMatchObject({ status: 403, json: { code: 'verification_code_wrong' } });
      expect(await confirm(code)).toMatchObject({ status: 200, json: { status: 'approved' } });
    },
  );

  // @rule 4.7, 5.15
  it('lets a dashboard session from a one-time link manage the keys', async () => {
    const made = await scene.plane.internal('POST', '/internal/dashboard/login-links', {
      tenant: `tenant ${newId()}`,
    });
    const { hash } = new URL((made.json as { url: string }).url);
    const token = new URLSearchParams(hash.slice(1)).get('token');
    const samePage = { 'sec-fetch-site': 'same-origin' };
    const signIn = () => scene.ask(undefined, 'POST', '/dashboard/session', { token }, samePage);
    const signedIn = await signIn();
    expect(signedIn.status).toBe(201);
    const cookie = signedIn.headers.get('set-cookie')!.split(';')[0]!;
    const keys = (method: string, id = '', body?: object) =>
      scene.ask(undefined, method, `/api/v1/keys${id}`, body, { ...samePage, cookie, 'x-sandbox': 'true' });

    const created = await keys('POST', '', { name: 'first', sandbox: true });
    expect(created.status).toBe(201);
    const { id, key } = created.json as { id: string; key: string };
    expect((await scene.ask(key, 'GET', '/api/v1/agents')).status).toBe(200);
    expect(await keys('GET')).toMatchObject({ status: 200, json: { keys: [{ id, name: 'first' }] } });
    expect((await keys('DELETE', `/${id}`)).status).toBe(204);
    expect((await scene.ask(key, 'GET', '/api/v1/agents')).status).toBe(401);

    const again = await signIn();
    expect(again).toMatchObject({ status: 401, json: { code: 'login_link_invalid' } });
    expect(again.headers.getSetCookie()).toEqual([]);
  });
});
