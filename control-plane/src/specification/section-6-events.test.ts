import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../testing/eventually.js';
import { signatureHolds } from '../testing/webhook-receiver.js';
import { Scene, type Tenant } from './scene.js';

/** The data fields that the catalog highlights, of each event; those of a group's first row count for all of it. */
const CALL = ['call_id', 'agent_id', 'direction', 'from', 'to'];
const CAMPAIGN = ['campaign_id', 'total_contacts'];
const CATALOG: Readonly<Record<string, readonly string[]>> = {
  'call.started': CALL,
  'call.completed': [...CALL, 'duration_ms', 'outcome', 'recording_url', 'summary', 'cost_usd'],
  'call.failed': [...CALL, 'error_code', 'error_message'],
  'call.hangup': [...CALL, 'end_reason'],
  'call.transferred': [...CALL, 'transfer_to', 'transfer_type'],
  'transcript.ready': [...CALL, 'turns_count', 'transcript_url'],
  'recording.ready': [...CALL, 'recording_url', 'duration_ms'],
  'analysis.ready': [...CALL, 'outcome', 'summary', 'scorecard', 'tool_executions'],
  'campaign.started': CAMPAIGN,
  'campaign.completed': [...CAMPAIGN, 'success_count', 'failure_count', 'no_answer_count'],
  'campaign.contact.completed': [...CAMPAIGN, 'contact_id', 'call_id', 'outcome'],
  'agent.activated': ['agent_id'],
  'agent.deactivated': ['agent_id'],
  'usage.credit_exhausted': ['tenant_id', 'last_call_id'],
  'usage.daily_cap_approaching': ['spent_usd', 'limit_usd'],
};

let scene: Scene;
let tenant: Tenant;
beforeAll(async () => {
  scene = await Scene.set();
});
afterAll(() => scene?.close());

const subscribe = (body: object = {}, key = tenant.test) =>
  scene.json<{ id: string; secret: string }>(key, 'POST', '/api/v1/webhooks', {
    url: scene.receiver.url(`/${tenant.id}`),
    ...body,
  });
const switchOff = async (key = tenant.test) => {
  const id = await scene.made(key, '/api/v1/agents', { name: 'Switch', system_prompt: 'p' });
  await scene.ask(key, 'DELETE', `/api/v1/agents/${id}`);
  return id;
};
const switchOn = (id: string) =>
  scene.json(tenant.test, 'PATCH', `/api/v1/agents/${id}`, { is_active: true });

describe('a subscription', () => {
  // @rule 6.1, 6.2, 6.3
  it('is one URL of one tenant, for all event types or those it names', async () => {
    tenant = await scene.newTenant();
    await subscribe({ url: scene.receiver.url(`/all/${tenant.id}`), event_types: ['*'] });
    await subscribe({ url: scene.receiver.url(`/some/${tenant.id}`), event_types: ['agent.activated'] });
    await switchOn(await switchOff());
    await scene.heard(tenant, 'agent.activated', 2);
    const heard = scene.receiver.received.filter(({ event }) => event.tenant_id === tenant.id);
    expect(heard.map(({ path, event }) => `${path.split('/')[1]} ${event.event_type}`).sort()).toEqual([
      'all agent.activated',
      'all agent.deactivated',
      'some agent.activated',
    ]);
    expect(
      await scene.refusal(tenant.test, 'POST', '/api/v1/webhooks', {
        url: scene.receiver.url(),
        event_types: ['call.dreamed'],
      }),
    ).toEqual([422, 'validation_error']);
  });

  // @rule 6.4
  it('receives events of its own mode only', async () => {
    tenant = await scene.newTenant();
    await subscribe({ url: scene.receiver.url('/live'), sandbox: false }, tenant.live);
    await subscribe({ url: scene.receiver.url('/test'), sandbox: true });
    await switchOff(tenant.test);
    await switchOff(tenant.live);
    const heard = await scene.heard(tenant, 'agent.deactivated', 2);
    expect(heard.map(({ path, event }) => [path, event.sandbox]).sort()).toEqual([
      ['/live', false],
      ['/test', true],
    ]);
  });

  // @rule 6.6
  it('has a refused or unreachable delivery retried with exponential backoff', async () => {
    tenant = await scene.newTenant();
    const { id } = await subscribe();
    scene.receiver.answer = (_received, response) => response.writeHead(500).end();
    await switchOff();
    const rows = await eventually(
      () =>
        scene.json<{ attempt: number; status: string }[]>(
          tenant.test,
          'GET',
          `/api/v1/webhooks/${id}/deliveries`,
        ),
      (found) => found.length === 2,
    );
    scene.receiver.answer = (_received, response) => response.writeHead(204).end();
    expect(rows).toMatchObject([
      { attempt: 2, status: 'pending', next_attempt_at: expect.any(String) },
      { attempt: 1, status: 'failed', response_status: 500, next_attempt_at: null },
    ]);
  });

  // @rule 6.8
  it('gets a signing secret of its own, shown on creation only', async () => {
    tenant = await scene.newTenant();
    const [first, second] = [await subscribe(), await subscribe({ url: scene.receiver.url('/second') })];
    expect(first.secret).not.toBe(second.secret);
    const listing = await scene.ask(tenant.test, 'GET', '/api/v1/webhooks');
    expect([listing.text.includes(first.secret), listing.text.includes(second.secret)]).toEqual([
      false,
      false,
    ]);
  });
});

describe('a request to a subscriber', () => {
  // @rule 6.9, 6.10
  it("has the event's headers and a body of six fields", async () => {
    tenant = await scene.newTenant();
    await subscribe();
    const agent_id = await switchOff();
    const [received] = await scene.heard(tenant, 'agent.deactivated');
    const { headers, event } = received!;
    expect(headers).toMatchObject({
      'content-type': expect.stringMatching(/^application\/json/),
      'x-service-event': 'agent.deactivated',
      'x-service-event-id': event.event_id,
      'x-service-signature': expect.stringMatching(/^t=\d{10},v1=[0-9a-f]{64}$/),
    });
    expect(event).toEqual({
      event_id: expect.any(String),
      event_type: 'agent.deactivated',
      tenant_id: tenant.id,
      sandbox: true,
      occurred_at: expect.any(Number),
      data: { agent_id },
    });
    expect(Number.isInteger(event.occurred_at)).toBe(true);
    expect(Math.abs(event.occurred_at - Date.now() / 1000)).toBeLessThan(60);
  });

  // @rule 6.11
  it('is signed by HMAC-SHA256 over time stamp and raw body', async () => {
    tenant = await scene.newTenant();
    const { secret } = await subscribe();
    await switchOff();
    const [received] = await scene.heard(tenant, 'agent.deactivated');
    const [, t, v1] = /^t=(\d+),v1=(.+)$/.exec(String(received!.headers['x-service-signature']))!;
    expect(v1).toBe(createHmac('sha256', secret).update(`${t}.${received!.body}`).digest('hex'));
  });

  // @rule 6.12
  it('is rejected by a receiver whose clock differs by over 300 seconds', async () => {
    tenant = await scene.newTenant();
    const { secret } = await subscribe();
    await switchOff();
    const [received] = await scene.heard(tenant, 'agent.deactivated');
    const holds = (offsetS: number) => signatureHolds(received!, secret, Date.now() + offsetS * 1000);
    expect([holds(0), holds(400), holds(-400)]).toEqual([true, false, false]);
  });
});

describe('the event catalog', () => {
  // @rule 4.38, 6.13
  it('has 15 types, each with a description, a schema and an example', async () => {
    const { event_types } = await scene.json<{
      event_types: { event_type: string; description: string; example: { data: object } }[];
    }>(undefined, 'GET', '/api/v1/webhooks/event-types');
    expect(event_types.map(({ event_type }) => event_type)).toEqual(Object.keys(CATALOG));
    for (const { event_type, description } of event_types) {
      expect.soft(description.length, event_type).toBeGreaterThan(10);
    }
  });

  // @rule 6.13
  it.each(Object.entries(CATALOG))('describes %s with the data fields %j', async (type, fields) => {
    const { event_types } = await scene.json<{
      event_types: {
        event_type: string;
        json_schema: { properties: { data: { properties: object; required: string[] } } };
        example: { data: object };
      }[];
    }>(undefined, 'GET', '/api/v1/webhooks/event-types');
    const { json_schema, example } = event_types.find(({ event_type }) => event_type === type)!;
    const { data } = json_schema.properties;
    expect(Object.keys(data.properties)).toEqual(expect.arrayContaining([...fields]));
    expect(data.required).toEqual(expect.arrayContaining([...fields]));
    expect(Object.keys(example.data)).toEqual(expect.arrayContaining([...fields]));
  });

  // @rule 4.42, 6.30
  it.each(Object.keys(CATALOG))('has %s fired as a test, which creates a delivery', async (type) => {
    tenant = await scene.newTenant();
    const { id } = await subscribe();
    const fired = await scene.ask(tenant.test, 'POST', `/api/v1/webhooks/${id}/test`, {
      event_type: type,
      payload: {},
    });
    expect(fired).toMatchObject({ status: 202, json: { event_type: type, webhook_id: id } });
    const [received] = await scene.heard(tenant, type);
    expect(received!.event.event_id).toBe((fired.json as { event_id: string }).event_id);
  });
});
