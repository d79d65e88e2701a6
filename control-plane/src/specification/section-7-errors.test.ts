import { systemClock } from '@voice/shared/clock/clock';
import { newId } from '@voice/shared/ids/ids';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_RATE_LIMITS, startTestControlPlane } from '../testing/control-plane.js';
import { eventually } from '../testing/eventually.js';
import { ALWAYS_OPEN, CALLEE, REAL_CALLEE, Scene, SECOND_CALLEE, type Tenant } from './scene.js';

let scene: Scene;
let tenant: Tenant;
beforeAll(async () => {
  scene = await Scene.set();
  tenant = await scene.newTenant({ calling_hours: ALWAYS_OPEN });
});
afterAll(() => scene?.close());

const BODY = { detail: expect.any(String), code: expect.any(String), request_id: expect.any(String) };

describe('errors', () => {
  // @rule 7.1
  it('answer 401 to an invalid credential, with a stable code', async () => {
    const answer = await scene.ask('sk_test_unknown', 'GET', '/api/v1/agents');
    expect(answer).toMatchObject({ status: 401, json: { ...BODY, code: 'invalid_api_key' } });
  });

  // @rule 7.2
  it.each([
    ['agents', 'agent_not_found'],
    ['calls', 'call_not_found'],
    ['campaigns', 'campaign_not_found'],
    ['webhooks', 'webhook_not_found'],
  ])('answer 404 to a resource that is absent (%s)', async (plural, code) => {
    const answer = await scene.ask(tenant.test, 'GET', `/api/v1/${plural}/${newId()}`);
    expect(answer).toMatchObject({ status: 404, json: { ...BODY, code } });
  });

  // @rule 7.2
  it('answer 404 to a resource of another tenant', async () => {
    const other = await scene.newTenant();
    expect(await scene.refusal(other.test, 'GET', `/api/v1/agents/${tenant.agentId}`)).toEqual([
      404,
      'agent_not_found',
    ]);
  });

  // @rule 4.9, 7.3
  it('answer 404 where a call has no recording', async () => {
    const { id } = await scene.dialed(tenant);
    expect(await scene.refusal(tenant.test, 'GET', `/api/v1/calls/${id}/recording`)).toEqual([
      404,
      'recording_not_found',
    ]);
  });

  // @rule 4.55, 7.4
  it('answer 404 to a test session of another tenant', async () => {
    const other = await scene.newTenant();
    const path = `/api/v1/agents/${other.agentId}/test/websocket`;
    const { session_id } = await scene.json<{ session_id: string }>(other.test, 'POST', path, {});
    expect((await scene.ask(tenant.test, 'GET', `/api/v1/test-sessions/${session_id}/result`)).status).toBe(
      404,
    );
  });

  // @rule 4.30, 7.5
  it('answer 409 to the payment portal without a payment-provider customer', async () => {
    expect(await scene.refusal(tenant.live, 'POST', '/api/v1/billing/portal')).toEqual([
      409,
      'payment_customer_missing',
    ]);
  });

  // @rule 7.6
  it('answer 422 to an invalid request, with an HTTPValidationError', async () => {
    const answer = await scene.ask(tenant.test, 'POST', '/api/v1/calls', { agent_id: 7 });
    expect(answer.status).toBe(422);
    expect(answer.json).toMatchObject({
      code: 'validation_error',
      detail: expect.arrayContaining([
        { loc: ['body', 'agent_id'], msg: expect.any(String), type: expect.any(String) },
        { loc: ['body', 'from_number'], msg: expect.any(String), type: 'missing' },
      ]),
    });
  });

  // @rule 7.7
  it('answer 429 beyond the rate limit, with Retry-After in seconds', async () => {
    // All in one window of a minute, however long they take.
    const startedAt = Date.now();
    const clock = { ...systemClock, now: () => startedAt };
    const plane = await startTestControlPlane(scene.store.uri, { env: DEFAULT_RATE_LIMITS, clock });
    const { key } = await plane.newKey();
    const list = () => plane.request('GET', '/api/v1/agents', { key });
    let answer = await list();
    for (let n = 0; n < 60 && answer.status === 200; n++) answer = await list();
    await plane.close();
    expect(answer).toMatchObject({ status: 429, json: { ...BODY, code: 'rate_limited' } });
    const wait = Number(answer.headers.get('retry-after'));
    expect(wait).toBeGreaterThan(0);
    expect(wait).toBeLessThanOrEqual(60);
  });

  // @rule 4.54, 7.8
  it('answer 503 when all workers are at capacity', async () => {
    scene.worker.mode = 'full';
    const path = `/api/v1/agents/${tenant.agentId}/test/websocket`;
    const refusal = await scene.refusal(tenant.test, 'POST', path, {});
    scene.worker.mode = 'reserves';
    expect(refusal).toEqual([503, 'workers_at_capacity']);
  });

  // @rule 4.55, 7.9
  it('are none while a test session is analysed: 202 with Retry-After: 3', async () => {
    const path = `/api/v1/agents/${tenant.agentId}/test/websocket`;
    const { session_id } = await scene.json<{ session_id: string }>(tenant.test, 'POST', path, {});
    const answer = await scene.ask(tenant.test, 'GET', `/api/v1/test-sessions/${session_id}/result`);
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([202, '3']);
  });

  // @rule 7.10
  it('refuse a call that compliance denies', async () => {
    await scene.json(tenant.test, 'POST', '/api/v1/compliance/dnc', { phone_number: SECOND_CALLEE });
    const body = scene.outbound(tenant, { to_number: SECOND_CALLEE });
    const answer = await scene.ask(tenant.test, 'POST', '/api/v1/calls', body);
    expect(answer).toMatchObject({
      status: 403,
      json: { ...BODY, code: 'compliance_denied', reasons: ['do_not_call'], check_id: expect.any(String) },
    });
  });

  // @rule 5.12, 5.13, 7.11
  it.each([
    ['an unverified from_number', '+14155550171', { verified: false }, 'caller_id_unverified'],
    ['a B attested number', '+14155550172', { attestation: 'B' }, 'attestation_insufficient'],
    ['a C attested number', '+14155550173', { attestation: 'C' }, 'attestation_insufficient'],
  ] as const)('refuse to dial from %s', async (_what, from_number, state, code) => {
    await scene.number(tenant, from_number, state);
    const body = scene.outbound(tenant, { from_number, to_number: REAL_CALLEE });
    expect(await scene.refusal(tenant.live, 'POST', '/api/v1/calls', body)).toEqual([403, code]);
  });

  // @rule 7.12
  it('refuse a transfer while another is under way', async () => {
    const { id, line } = await scene.answered(tenant);
    await scene.carrier.report(line, 'in-progress');
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    scene.carrier.beforeRedirect = () => released;
    const path = `/api/v1/calls/${id}/transfer`;
    const first = scene.ask(tenant.test, 'POST', path, { destination: CALLEE });
    await eventually(async () => (await scene.call(tenant, id)).extra.transfer_in_progress);
    expect(await scene.refusal(tenant.test, 'POST', path, { destination: CALLEE })).toEqual([
      409,
      'transfer_in_progress',
    ]);
    release();
    expect((await first).status).toBe(200);
    expect(scene.carrier.redirected.filter(({ sid }) => sid === line.sid)).toHaveLength(1);
  });

  // @rule 7.13
  it('refuse a next_retry_at in the past', async () => {
    const id = await scene.made(tenant.test, '/api/v1/campaigns', {
      name: 'Spring',
      agent_id: tenant.agentId,
      contacts: [{ phone: CALLEE }],
    });
    const { contacts } = await scene.json<{ contacts: { id: string }[] }>(
      tenant.test,
      'GET',
      `/api/v1/campaigns/${id}/contacts`,
    );
    const path = `/api/v1/campaigns/${id}/contacts/${contacts[0]!.id}/reschedule`;
    const body = { next_retry_at: new Date(Date.now() - 1).toISOString() };
    expect(await scene.refusal(tenant.test, 'POST', path, body)).toEqual([422, 'next_retry_at_not_future']);
  });

  it('repeat the X-Request-Id that every answer has', async () => {
    const answer = await scene.ask(undefined, 'GET', '/api/v1/agents');
    expect((answer.json as { request_id: string }).request_id).toBe(answer.headers.get('x-request-id'));
  });
});
