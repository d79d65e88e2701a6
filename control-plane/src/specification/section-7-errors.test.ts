import { newId } from '@voice/shared/ids/ids';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answersIn, type DescribedAnswer } from '../conformance/operations.js';
import { Scene, type Tenant } from './scene.js';

let scene: Scene;
let tenant: Tenant;
beforeAll(async () => {
  scene = await Scene.set({ RATE_LIMIT_DEFAULT: '60' });
  tenant = await scene.newTenant();
});
afterAll(() => scene?.close());

const BODY = { detail: expect.any(String), code: expect.any(String), request_id: expect.any(String) };

describe('7. Errors', () => {
  it('401 invalid credential; carries a stable error code', async () => {
    const answer = await scene.ask('sk_test_unknown', 'GET', '/api/v1/agents');
    expect(answer).toMatchObject({ status: 401, json: { ...BODY, code: 'invalid_api_key' } });
  });

  it.each([
    ['agents', 'agent_not_found'],
    ['calls', 'call_not_found'],
    ['campaigns', 'campaign_not_found'],
    ['webhooks', 'webhook_not_found'],
  ])('404 resource absent (%s)', async (plural, code) => {
    const answer = await scene.ask(tenant.test, 'GET', `/api/v1/${plural}/${newId()}`);
    expect(answer).toMatchObject({ status: 404, json: { ...BODY, code } });
  });

  it('404 not owned by the tenant', async () => {
    const other = await scene.newTenant();
    expect(await scene.refusal(other.test, 'GET', `/api/v1/agents/${tenant.agentId}`)).toEqual([
      404,
      'agent_not_found',
    ]);
  });

  it('404 no recording for a call', async () => {
    const { id } = await scene.dialed(tenant);
    expect(await scene.refusal(tenant.test, 'GET', `/api/v1/calls/${id}/recording`)).toEqual([
      404,
      'recording_not_found',
    ]);
  });

  it("404 test session not the tenant's", async () => {
    const other = await scene.newTenant();
    const path = `/api/v1/agents/${other.agentId}/test/websocket`;
    const { session_id } = await scene.json<{ session_id: string }>(other.test, 'POST', path, {});
    expect((await scene.ask(tenant.test, 'GET', `/api/v1/test-sessions/${session_id}/result`)).status).toBe(
      404,
    );
  });

  it('409 payment portal requested for a tenant without a payment-provider customer', async () => {
    expect(await scene.refusal(tenant.live, 'POST', '/api/v1/billing/portal')).toEqual([
      409,
      'payment_customer_missing',
    ]);
  });

  it('422 request validation failure; body HTTPValidationError', async () => {
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

  it('429 rate limit exceeded; header Retry-After in seconds', async () => {
    const { key } = await scene.plane.newKey();
    let answer = await scene.ask(key, 'GET', '/api/v1/agents');
    for (let n = 0; n < 60 && answer.status === 200; n++)
      answer = await scene.ask(key, 'GET', '/api/v1/agents');
    expect(answer).toMatchObject({ status: 429, json: { ...BODY, code: 'rate_limited' } });
    const wait = Number(answer.headers.get('retry-after'));
    expect(wait).toBeGreaterThan(0);
    expect(wait).toBeLessThanOrEqual(60);
  });

  it('503 all test-session workers at capacity', async () => {
    scene.worker.mode = 'full';
    const path = `/api/v1/agents/${tenant.agentId}/test/websocket`;
    const refusal = await scene.refusal(tenant.test, 'POST', path, {});
    scene.worker.mode = 'reserves';
    expect(refusal).toEqual([503, 'workers_at_capacity']);
  });

  it('202 with Retry-After: 3 is not an error: the test session result is still being analyzed', async () => {
    const path = `/api/v1/agents/${tenant.agentId}/test/websocket`;
    const { session_id } = await scene.json<{ session_id: string }>(tenant.test, 'POST', path, {});
    const answer = await scene.ask(tenant.test, 'GET', `/api/v1/test-sessions/${session_id}/result`);
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([202, '3']);
  });

  it('Compliance denial, an unverified from_number, a B or C attested number, a concurrent transfer and a past next_retry_at are each refused: every refusal has a declared status and code', async () => {
    const description = await scene.json<{
      paths: Record<string, Record<string, { responses: Record<string, DescribedAnswer> }>>;
    }>(undefined, 'GET', '/v1/openapi.json');
    const declared = (path: string, status: number) =>
      answersIn(description, description.paths[path]!.post!.responses)[status]!['x-error-codes'];
    expect(declared('/api/v1/calls', 403)).toEqual(
      expect.arrayContaining(['compliance_denied', 'caller_id_unverified', 'attestation_insufficient']),
    );
    expect(declared('/api/v1/calls/{call_id}/transfer', 409)).toContain('transfer_in_progress');
    expect(declared('/api/v1/campaigns/{campaign_id}/contacts/{contact_id}/reschedule', 422)).toContain(
      'next_retry_at_not_future',
    );
  });

  it('every answer has an X-Request-Id, which its error body repeats', async () => {
    const answer = await scene.ask(undefined, 'GET', '/api/v1/agents');
    expect((answer.json as { request_id: string }).request_id).toBe(answer.headers.get('x-request-id'));
  });
});
