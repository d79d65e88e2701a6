import { SANDBOX_CALLER_ID, TEST_NUMBERS } from '@voice/shared/contracts/test-numbers';
import { newId } from '@voice/shared/ids/ids';
import { interPlaneAuthorization } from '@voice/shared/inter-plane/token';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestControlPlane, type TestControlPlane } from '../testing/control-plane.js';
import { startTestStore, type TestStore } from '../testing/store.js';

let store: TestStore;
let plane: TestControlPlane;

beforeAll(async () => {
  store = await startTestStore();
  plane = await startTestControlPlane(store.uri, {
    env: {
      // Nobody listens there: calls stay queued.
      SIMULATED_CARRIER_URL: 'http://127.0.0.1:1',
      SIMULATED_CARRIER_ACCOUNT_SID: `AC${'0'.repeat(32)}`,
      SIMULATED_CARRIER_AUTH_TOKEN: 'a token',
    },
  });
});
afterAll(async () => {
  await plane?.close();
  await store?.close();
});

async function queuedCall() {
  const { key, tenantId } = await plane.newKey();
  const agent = await plane.request('POST', '/api/v1/agents', {
    key,
    body: { name: 'n', system_prompt: 'p' },
  });
  const call = await plane.request('POST', '/api/v1/calls', {
    key,
    body: {
      agent_id: (agent.json as { id: string }).id,
      from_number: SANDBOX_CALLER_ID,
      to_number: TEST_NUMBERS[0]!.number,
    },
  });
  expect(call.status, call.text).toBe(202);
  return { key, tenantId, callId: (call.json as { id: string }).id };
}

const beat = (workerId: string) =>
  plane.internal('POST', '/internal/workers/heartbeat', {
    worker_id: workerId,
    control_url: 'http://127.0.0.1:1',
    media_url: 'ws://127.0.0.1:1',
    capacity: 10,
    live: 0,
    reserved: 0,
    draining: false,
    calls: [],
  });

describe('the operator', () => {
  it('sees all tenants, and what each has', async () => {
    const { tenantId } = await queuedCall();
    const listed = await plane.internal('GET', '/internal/tenants');
    expect(listed.json).toMatchObject({
      tenants: expect.arrayContaining([expect.objectContaining({ id: tenantId })]),
    });
    const { json } = await plane.internal('GET', `/internal/tenants/${tenantId}`);
    expect(json).toMatchObject({ id: tenantId, api_keys: 1, agents: 1, calls: 1, live_calls: 1 });
    expect((await plane.internal('GET', `/internal/tenants/${newId()}`)).status).toBe(404);
  });

  it('states where a tenant’s calls are placed first, and takes it back', async () => {
    const { tenantId } = await plane.newKey();
    const state = (region: unknown) =>
      plane.internal('PUT', `/internal/tenants/${tenantId}/region`, { region });
    expect((await state('eu-west')).json).toMatchObject({ id: tenantId, region: 'eu-west' });
    expect((await state('not a label')).status).toBe(422);
    expect((await state(null)).json).toMatchObject({ region: null });
    expect(
      (await plane.internal('PUT', `/internal/tenants/${newId()}/region`, { region: 'eu' })).status,
    ).toBe(404);
  });

  it('holds a worker back from new calls, over its heartbeats, and gives it calls again', async () => {
    await beat('w1');
    const drain = (draining: boolean) => plane.internal('POST', '/internal/workers/w1/drain', { draining });
    expect((await drain(true)).json).toMatchObject({ id: 'w1', held_back: true, draining: false });
    await beat('w1');
    const workers = async () => (await plane.internal('GET', '/internal/workers')).json;
    expect(await workers()).toMatchObject({ workers: [{ id: 'w1', held_back: true, free: 10 }] });
    expect((await drain(false)).json).toMatchObject({ held_back: false });
    expect((await plane.internal('POST', '/internal/workers/nobody/drain', {})).status).toBe(404);
  });

  it('ends a call of any tenant, with a row in its audit log', async () => {
    const { key, callId } = await queuedCall();
    const path = `/internal/calls/${callId}/hangup`;
    expect((await plane.internal('POST', path, { reason: 'abuse' })).json).toEqual({
      call_id: callId,
      status: 'hanging_up',
    });
    expect((await plane.internal('POST', path)).json).toMatchObject({ status: 'already_ended' });
    const audit = await plane.request('GET', `/api/v1/calls/${callId}/operator-actions`, { key });
    expect(audit.text).toContain('abuse');
    expect((await plane.internal('POST', `/internal/calls/${newId()}/hangup`)).status).toBe(404);
  });

  it('follows a call as it happens, until it is over', async () => {
    const { callId } = await queuedCall();
    const path = `/internal/calls/${callId}/live`;
    const secret = 'an internal secret for tests';
    const authorization = interPlaneAuthorization({ secret, method: 'GET', path, now: Date.now() });
    const stream = await fetch(plane.internalUrl + path, { headers: { authorization } });
    expect(stream.headers.get('content-type')).toContain('text/event-stream');
    await plane.internal('POST', `/internal/calls/${callId}/hangup`);
    const text = await stream.text();
    const states = [...text.matchAll(/event: status\ndata: (.*)\n\n/g)].map(
      ([, data]) => (JSON.parse(data!) as { status: string }).status,
    );
    expect(states.at(-1)).toBe('FAILED');
  });

  it('is asked for by the inter-plane token alone', async () => {
    const { key, callId } = await queuedCall();
    for (const path of ['/internal/tenants', '/internal/workers', `/internal/calls/${callId}/live`]) {
      expect((await plane.atInternal('GET', path, { key })).status).toBe(401);
      expect((await plane.atInternal('GET', path)).status).toBe(401);
    }
  });
});
