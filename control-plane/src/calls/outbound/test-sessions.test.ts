import { SANDBOX_CALLER_ID } from '@voice/shared/contracts/test-numbers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TestControlPlane } from '../../testing/control-plane.js';
import { eventually } from '../../testing/eventually.js';
import { createAgent, startTestInstallation } from '../../testing/installation.js';
import type { ScriptedCarrier } from '../../testing/scripted-carrier.js';
import type { ScriptedWorker } from '../../testing/scripted-worker.js';
import { WebhookReceiver } from '../../testing/webhook-receiver.js';
import { callModel } from '../record/model.js';
import { agentMessage, ended, mediaStarted } from '../testing/events.js';

let carrier: ScriptedCarrier;
let plane: TestControlPlane;
let worker: ScriptedWorker;
let receiver: WebhookReceiver;
let key: string;
let agentId: string;

beforeAll(async () => {
  receiver = await WebhookReceiver.start();
  const installation = await startTestInstallation({ env: { EGRESS_ALLOW: '127.0.0.0/8' }, capacity: 100 });
  ({ carrier, plane, worker } = installation);
  return installation.close;
});
afterAll(() => receiver?.close());
beforeEach(async () => {
  receiver.received.length = 0;
  ({ key } = await plane.newKey());
  agentId = await createAgent(plane, key);
  await plane.request('POST', '/api/v1/webhooks', { key, body: { url: receiver.url() } });
  await worker.heartbeat(plane);
});

const get = async <T>(path: string) => (await plane.request('GET', `/api/v1${path}`, { key })).json as T;
const post = async <T>(path: string, body: object) =>
  (await plane.request('POST', `/api/v1${path}`, { key, body })).json as T;

const OPT_OUT = 'Please stop calling me, take me off your list.';

/** A caller who says this, and hangs up. */
async function talkTo(id: string, carrierCallId: string, words: string): Promise<void> {
  const said = agentMessage(1, words);
  if (said.kind !== 'turn') throw new Error('no turn');
  await worker.send(
    plane,
    worker.number(id, [
      mediaStarted(carrierCallId),
      agentMessage(0, 'Hello!'),
      { kind: 'turn', turn: { ...said.turn, role: 'caller', confidence: 1 } },
      ended('caller_hangup', 2000),
    ]),
  );
  await eventually(
    async () => (await callModel(plane.platform.store).findById(id).orFail()).post_call_due_at,
    (due) => due === null,
  );
}

async function testSession(words = 'Tea, please.'): Promise<string> {
  const { session_id: id } = await post<{ session_id: string }>(`/agents/${agentId}/test/websocket`, {});
  await talkTo(id, `websocket-${id}`, words);
  return id;
}

async function call(words = 'Tea, please.'): Promise<string> {
  // Many of them take longer than a worker may be silent.
  await worker.heartbeat(plane);
  const body = { agent_id: agentId, from_number: SANDBOX_CALLER_ID, to_number: '+15005550006' };
  const { id } = await post<{ id: string }>('/calls', body);
  const line = (await eventually(() => carrier.callOf(id)))!;
  await talkTo(id, line.sid, words);
  return id;
}

interface Listed {
  readonly calls: { readonly id: string }[];
  readonly total?: number;
  readonly next_cursor: string | null;
}

describe('a test session with a voice is no call of the tenant', () => {
  it('it is in no list and no total, whatever the filter', async () => {
    await testSession();
    const id = await call();
    await testSession();
    const filters = [
      '',
      'status=COMPLETED',
      `agent_id=${agentId}`,
      `agent_id=${agentId}&status=COMPLETED&direction=outbound`,
    ];
    for (const filter of filters) {
      const { calls, total } = await get<Listed>(`/calls?limit=50&include_total=true&${filter}`);
      expect([filter, calls.map((each) => each.id), total]).toEqual([filter, [id], 1]);
    }
    expect(await get<Listed>('/calls?direction=inbound&include_total=true')).toMatchObject({
      calls: [],
      total: 0,
    });
  });

  it('it leaves no gap in pages', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 3; i++) {
      ids.unshift(await call());
      await testSession();
    }
    const first = await get<Listed>('/calls?limit=2');
    const second = await get<Listed>(`/calls?limit=2&cursor=${first.next_cursor}`);
    expect([...first.calls, ...second.calls].map((each) => each.id)).toEqual(ids);
  });

  it('it counts neither in the overview nor in the usage', async () => {
    await call();
    const [overview, usage] = [await get('/analytics/overview'), await get('/billing/usage')];
    expect(overview).toMatchObject({ totals: { calls: 1, answered: 1 } });
    await testSession();
    expect(await get('/analytics/overview')).toEqual(overview);
    expect(await get('/billing/usage')).toEqual(usage);
  });

  it('publishes events for calls, and none for a test session', async () => {
    const session = await testSession();
    const id = await call();
    await eventually(
      () => receiver.received.filter(({ event }) => event.event_type === 'analysis.ready').length,
    );
    const published = receiver.received.map(({ event }) => event.data.call_id);
    expect(published).toContain(id);
    expect(published).not.toContain(session);
  });

  it('who says in it not to be called is not put on the do-not-call list', async () => {
    await testSession(OPT_OUT);
    expect(await get('/compliance/dnc?include_total=true')).toMatchObject({ total: 0 });
    await call(OPT_OUT);
    expect(await get('/compliance/dnc?include_total=true')).toMatchObject({ total: 1 });
  });

  it('its result and its record are found all the same', async () => {
    const id = await testSession();
    const { transcript, call_id } = await get<{ transcript: object[]; call_id: string }>(
      `/test-sessions/${id}/result`,
    );
    expect(call_id).toBe(id);
    expect(transcript).toHaveLength(2);
    expect(await get(`/calls/${id}`)).toMatchObject({ id, status: 'COMPLETED', carrier: 'websocket' });
  });
});

describe('a test session with a voice, of production', () => {
  interface Usage {
    readonly totals: { calls: number; answered_calls: number; minutes: number; cost: { total: number } };
    readonly daily_cap: { spent_usd: number };
  }
  const usage = () => get<Usage>('/billing/usage');

  it('is none of the sandbox, is charged as what it is, and counts as no call', async () => {
    const tenant = `sessions ${Math.random()}`;
    const { key: sandbox } = await plane.newKey({ tenant });
    ({ key } = await plane.newKey({ tenant, sandbox: false }));
    const body = { name: 'Ann', system_prompt: 'You answer.' };
    agentId = (await post<{ id: string }>('/agents', body)).id;
    await post('/webhooks', { url: receiver.url() });

    const id = await testSession();
    expect(await get(`/calls/${id}`)).toMatchObject({
      id,
      is_test_call: false,
      cost: { carrier: 0, total: expect.any(Number) },
    });
    const { totals, daily_cap } = await usage();
    expect(totals).toMatchObject({ calls: 0, answered_calls: 0 });
    expect(totals.minutes).toBeGreaterThan(0);
    expect(totals.cost.total).toBeGreaterThan(0);
    expect(daily_cap.spent_usd).toBeCloseTo(totals.cost.total, 6);
    expect(await get('/analytics/overview')).toMatchObject({ totals: { calls: 0 } });
    expect(receiver.received).toEqual([]);

    for (const path of [`/test-sessions/${id}/result`, `/calls/${id}`, `/calls/${id}/live`]) {
      expect((await plane.request('GET', `/api/v1${path}`, { key: sandbox })).status).toBe(404);
    }
    expect((await plane.request('GET', '/api/v1/billing/usage', { key: sandbox })).json).toMatchObject({
      totals: { minutes: 0, cost: { total: 0 } },
    });
  });

  it('is refused with 402 once the daily cap is reached; one in the sandbox is not', async () => {
    const tenant = `sessions ${Math.random()}`;
    const { key: sandbox } = await plane.newKey({ tenant });
    const made = await plane.newKey({ tenant, sandbox: false });
    ({ key } = made);
    const body = { name: 'Ann', system_prompt: 'You answer.' };
    agentId = (await post<{ id: string }>('/agents', body)).id;
    const cap = { limit_usd: 0 };
    await plane.internal('PUT', `/internal/billing/tenants/${made.tenantId}/daily-cap`, cap);
    for (const how of ['websocket', 'text']) {
      const request = how === 'websocket' ? { body: {} } : { body: { message: 'Hello.' } };
      const path = `/api/v1/agents/${agentId}/test/${how}`;
      expect(await plane.request('POST', path, { key, ...request })).toMatchObject({
        status: 402,
        json: { code: 'daily_cap_reached' },
      });
      expect((await plane.request('POST', path, { key: sandbox, ...request })).status).toBeLessThan(300);
    }
  });
});
