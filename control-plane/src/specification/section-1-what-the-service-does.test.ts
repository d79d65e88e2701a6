import { newId } from '@voice/shared/ids/ids';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agentMessage, ended } from '../calls/testing/events.js';
import { eventually } from '../testing/eventually.js';
import { signatureHolds } from '../testing/webhook-receiver.js';
import { ALWAYS_OPEN, CALLEE, PAID_USAGE, Scene, SECOND_CALLEE } from './scene.js';

const IN_NEW_YORK = '+12125550123';
const IN_CALIFORNIA = '+12135550123';
/** A number that its owner does not want to be called at. */
const LISTED = '+12125550199';

let scene: Scene;
beforeAll(async () => {
  scene = await Scene.set();
});
afterAll(() => scene?.close());

describe('what the service does', () => {
  // @rule 1.1
  it('shows a tenant its own resources only', async () => {
    const [mine, theirs] = [await scene.newTenant(), await scene.newTenant()];
    expect(await scene.refusal(mine.test, 'GET', `/api/v1/agents/${theirs.agentId}`)).toEqual([
      404,
      'agent_not_found',
    ]);
    const listed = await scene.json<{ agents: { id: string }[] }>(mine.test, 'GET', '/api/v1/agents');
    expect(listed.agents.map(({ id }) => id)).toEqual([mine.agentId]);
  });

  // @rule 1.2
  it('makes an agent of a name, a prompt and voices', async () => {
    const tenant = await scene.newTenant({ name: 'Grace', first_message: 'Hello!', language: 'en-US' });
    const { id } = await scene.dialed(tenant);
    const plan = scene.worker.plans.find(({ call_id }) => call_id === id)!;
    expect(plan.agent).toMatchObject({ name: 'Grace', first_message: 'Hello!', language: 'en-US' });
  });

  // @rule 1.3
  it('dispatches an outbound call to a voice worker asynchronously', async () => {
    const tenant = await scene.newTenant();
    scene.worker.mode = 'full';
    const answer = await scene.ask(tenant.test, 'POST', '/api/v1/calls', scene.outbound(tenant));
    expect(answer).toMatchObject({ status: 202, json: { status: 'queued' } });
    scene.worker.mode = 'reserves';
    const { id } = answer.json as { id: string };
    await eventually(() => scene.worker.plans.some(({ call_id }) => call_id === id));
  });

  // @rule 1.4
  it('makes a call of what the carrier reports, by a route that is not public', async () => {
    const tenant = await scene.newTenant();
    await scene.number(tenant, '+14155550131', { agentId: tenant.agentId, sandbox: true });
    const answer = await scene.carrier.callIn(`${scene.plane.url}/internal/carriers/simulated/inbound`, {
      CallSid: `CA${'1'.repeat(32)}`,
      From: CALLEE,
      To: '+14155550131',
      CallStatus: 'ringing',
      Direction: 'inbound',
    });
    expect(answer.twiml).toContain('<Stream');
    const { calls } = await scene.json<{ calls: object[] }>(tenant.test, 'GET', '/api/v1/calls');
    expect(calls).toMatchObject([{ direction: 'inbound', from_number: CALLEE, agent_id: tenant.agentId }]);
    const { paths } = await scene.json<{ paths: object }>(undefined, 'GET', '/v1/openapi.json');
    expect(Object.keys(paths).filter((path) => path.includes('internal'))).toEqual([]);
  });

  // @rule 1.5
  it('dials each contact of a campaign once, at its rate', async () => {
    const tenant = await scene.newTenant();
    const id = await scene.made(tenant.test, '/api/v1/campaigns', {
      name: 'Spring',
      agent_id: tenant.agentId,
      calls_per_minute: 600,
      contacts: [{ phone: CALLEE }, { phone: SECOND_CALLEE }],
    });
    await scene.json(tenant.test, 'POST', `/api/v1/campaigns/${id}/start`);
    const calls = await eventually(
      () => scene.json<{ calls: object[] }>(tenant.test, 'GET', '/api/v1/calls'),
      ({ calls }) => calls.length === 2,
    );
    expect(calls).toMatchObject({
      calls: [
        { campaign_id: id, agent_id: tenant.agentId },
        { campaign_id: id, agent_id: tenant.agentId },
      ],
    });
  });

  // @rule 1.7, 1.8, 1.9
  it('stores a compliance check with every part for each outbound call', async () => {
    const tenant = await scene.newTenant();
    const { id } = await scene.dialed(tenant);
    const { compliance_check_id: checkId } = await scene.call(tenant, id);
    expect(await scene.json(tenant.test, 'GET', `/api/v1/compliance/checks/${checkId}`)).toMatchObject({
      decision: 'allowed',
      checks: Object.fromEntries(
        ['dnc', 'calling_hours', 'recording_consent', 'capacity', 'disclosure'].map((name) => [
          name,
          { outcome: 'passed' },
        ]),
      ),
    });
  });

  // @rule 1.8
  it('reports each failed part with its reason, denies, and finds two-party consent by state', async () => {
    const check = async (settings: object, to_number: string) => {
      const tenant = await scene.newTenant({ calling_hours: ALWAYS_OPEN, ...settings });
      if (to_number === LISTED)
        await scene.json(tenant.test, 'POST', '/api/v1/compliance/dnc', { phone_number: LISTED });
      return scene.json<{ checks: Record<string, { outcome: string }> }>(
        tenant.test,
        'POST',
        '/api/v1/compliance/check',
        { to_number, agent_id: tenant.agentId },
      );
    };
    const never = Object.fromEntries(Object.keys(ALWAYS_OPEN).map((day) => [day, null]));
    for (const [name, settings, number, reason] of [
      ['dnc', {}, LISTED, 'do_not_call'],
      ['calling_hours', { calling_hours: never }, IN_NEW_YORK, 'no_calling_hours'],
      ['disclosure', { disclosure: { text: '' } }, IN_NEW_YORK, 'disclosure_missing'],
      ['disclosure', { disclosure: { text: 'Hi, this is Ann.' } }, IN_NEW_YORK, 'disclosure_names_no_ai'],
    ] as const) {
      const found = await check(settings, number);
      expect.soft(found, reason).toMatchObject({ decision: 'denied', reasons: [reason] });
      const failed = Object.entries(found.checks).filter(([, { outcome }]) => outcome !== 'passed');
      expect.soft(failed, reason).toEqual([[name, { outcome: 'failed', reason }]]);
    }
    const consent = { recording: { enabled: true, announce: false } };
    expect(await check(consent, IN_NEW_YORK)).toMatchObject({
      decision: 'allowed',
      state: 'NY',
      requires_two_party_consent: false,
      recording: 'unannounced',
    });
    expect(await check(consent, IN_CALIFORNIA)).toMatchObject({
      decision: 'allowed',
      state: 'CA',
      requires_two_party_consent: true,
      recording: 'off',
    });
  });

  // @rule 1.8
  it("refuses a further call at the tenant's most live calls", async () => {
    const tenant = await scene.newTenant();
    const check = (to_number: string) =>
      scene.json<{ inputs: { max_concurrent_calls: number } }>(
        tenant.test,
        'POST',
        '/api/v1/compliance/check',
        { to_number, agent_id: tenant.agentId },
      );
    const { inputs } = await check(CALLEE);
    // Calls that nobody looks for: as many as there may be.
    const calls = (await scene.store.connect()).db!.collection<{ _id: string }>('calls');
    const live = { tenant_id: tenant.id, sandbox: true, status: 'IN_PROGRESS' };
    const ids = Array.from({ length: inputs.max_concurrent_calls }, () => newId());
    await calls.insertMany(ids.map((_id) => ({ _id, ...live })));
    expect(await check(CALLEE)).toMatchObject({
      decision: 'denied',
      reasons: ['concurrent_calls_limit'],
      checks: { capacity: { outcome: 'failed', reason: 'concurrent_calls_limit' } },
    });
    expect(await scene.refusal(tenant.test, 'POST', '/api/v1/calls', scene.outbound(tenant))).toEqual([
      403,
      'compliance_denied',
    ]);
    await calls.deleteMany({ _id: { $in: ids } });
    expect(await check(CALLEE)).toMatchObject({ decision: 'allowed' });
  });

  // @rule 1.10
  it('refuses a call that references a denied check', async () => {
    const tenant = await scene.newTenant();
    await scene.json(tenant.test, 'POST', '/api/v1/compliance/dnc', { phone_number: SECOND_CALLEE });
    const numbers = scene.outbound(tenant, { to_number: SECOND_CALLEE });
    const check = await scene.json(tenant.test, 'POST', '/api/v1/compliance/check', numbers);
    expect(check).toMatchObject({ decision: 'denied' });
    expect(
      await scene.refusal(tenant.test, 'POST', '/api/v1/calls', {
        ...numbers,
        compliance_check_id: check.id,
      }),
    ).toEqual([403, 'compliance_denied']);
  });

  // @rule 1.11, 1.14
  it('produces transcript, recording, cost, outcome and analysis; a sandbox call costs zero', async () => {
    const tenant = await scene.newTenant({ analysis: { scorecard: [{ name: 'Greeting', weight: 1 }] } });
    const { id, line } = await scene.answered(tenant);
    await scene.report(id, agentMessage(0, 'Which day suits you?'));
    await scene.report(id, {
      ...ended('caller_hangup', 4000),
      usage: PAID_USAGE,
      has_recording: true,
    } as never);
    await scene.carrier.report(line, 'completed', { CallDuration: '4' });
    await scene.upload(id);
    const detail = await eventually(
      () => scene.detail(tenant, id),
      ({ analysis, cost }) => analysis !== null && cost !== null,
    );
    expect(detail).toMatchObject({
      status: 'COMPLETED',
      outcome: 'goal_reached',
      summary: 'Grace booked Tuesday.',
      transcript: [{ role: 'agent', text: 'Which day suits you?' }],
      analysis: { outcome: 'goal_reached', sentiment: 'positive' },
      cost: { stt: 0, llm: 0, tts: 0, carrier: 0, service: 0, total: 0, currency: 'usd' },
    });
    const recording = await fetch(detail.recording_url!);
    expect([recording.status, recording.headers.get('content-type')]).toEqual([200, 'audio/mpeg']);
  });

  // @rule 1.12
  it('signs the webhooks that it delivers to the tenant', async () => {
    const tenant = await scene.newTenant();
    const { secret } = await scene.json<{ secret: string }>(tenant.test, 'POST', '/api/v1/webhooks', {
      url: scene.receiver.url(),
      event_types: ['agent.deactivated'],
    });
    await scene.ask(tenant.test, 'DELETE', `/api/v1/agents/${tenant.agentId}`);
    const [received] = await scene.heard(tenant, 'agent.deactivated');
    expect(signatureHolds(received!, secret, Date.now())).toBe(true);
  });

  // @rule 1.15
  it('selects sandbox mode by the prefix of the key', async () => {
    const tenant = await scene.newTenant();
    expect([tenant.test.slice(0, 8), tenant.live.slice(0, 8)]).toEqual(['sk_test_', 'sk_live_']);
    const { id } = await scene.dialed(tenant);
    expect(await scene.call(tenant, id)).toMatchObject({ is_test_call: true });
    expect(await scene.refusal(tenant.live, 'POST', '/api/v1/calls', scene.outbound(tenant))).toEqual([
      403,
      'caller_id_unverified',
    ]);
  });

  // @rule 1.16
  it('keeps internal routes out of the public description', async () => {
    const tenant = await scene.newTenant();
    const internal = scene.plane.modules.flatMap(({ intakeRoutes = [], internalRoutes = [] }) => [
      ...intakeRoutes,
      ...internalRoutes,
    ]);
    const { paths } = await scene.json<{ paths: object }>(undefined, 'GET', '/v1/openapi.json');
    for (const kind of ['/carriers/', '/payments/', '/llm/', '/live', '/tenants', '/drain']) {
      const routes = internal.filter(({ path }) => path.includes(kind));
      expect.soft(routes.length, kind).toBeGreaterThan(0);
      expect.soft(routes.filter(({ path }) => path in paths)).toEqual([]);
    }
    for (const { method, path } of internal.filter(({ auth }) => auth === 'inter_plane')) {
      const concrete = path.replaceAll(/\{\w+\}/g, tenant.agentId);
      const { status } = await scene.plane.atInternal(method.toUpperCase(), concrete, { key: tenant.test });
      expect.soft([method, path, status]).toEqual([method, path, 401]);
    }
  });

  // @rule 1.17
  it('serves the description at /v1/openapi.json and a page to browse it at /docs', async () => {
    expect(await scene.json(undefined, 'GET', '/v1/openapi.json')).toMatchObject({ openapi: '3.1.0' });
    const docs = await scene.ask(undefined, 'GET', '/docs');
    expect([docs.status, docs.headers.get('content-type')]).toEqual([
      200,
      expect.stringContaining('text/html'),
    ]);
  });
});
