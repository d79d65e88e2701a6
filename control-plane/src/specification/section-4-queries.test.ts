import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../testing/eventually.js';
import { Ground } from './endpoints/ground.js';
import { CALLEE, SECOND_CALLEE } from './scene.js';

/** More than any list gives by default. */
const MANY = 60;

let ground: Ground;
/** Of everything that can be listed, many; the ids by the name in the path. */
let ids: Readonly<Record<string, string>>;
beforeAll(async () => {
  ground = await Ground.set();
  const { id: campaign_id } = await ground.campaign({ name: 'Many', outcome_labels: ['goal_reached'] });
  const contact = await ground.contactOf(campaign_id);
  const call = await ground.recordedCall();
  const { id: delivery, webhook_id } = await ground.delivery();
  await eventually(async () => (await ground.get(`/calls/${call}/detail`)).analysis);
  await eventually(
    () => ground.get<{ status: string }[]>(`/webhooks/${webhook_id}/deliveries`),
    ([row]) => row?.status === 'succeeded',
  );
  await Promise.all([
    ground.copies('agents', ground.tenant.agentId, MANY),
    ground.copies('campaigns', campaign_id, MANY),
    ground.copies('campaign_contacts', contact, MANY, (position) => ({ position })),
    ground.copies('calls', call, MANY),
    ground.copies('call_analyses', call, MANY, () => ({ campaign_id })),
    ground.copies('webhook_deliveries', delivery, MANY),
  ]);
  ids = { campaign_id, webhook_id, agent_id: ground.tenant.agentId };
});
afterAll(() => ground?.close());

const ask = (path: string, query: string) => {
  const at = path.replaceAll(/\{(\w+)\}/g, (_match, name: string) => ids[name]!);
  const key = path === '/phones/available' ? ground.tenant.live : ground.tenant.test;
  return ground.scene.ask(key, 'GET', `/api/v1${at}?${query}`);
};
/** What a list holds. */
async function listed(path: string, query = ''): Promise<Record<string, unknown>[]> {
  const { status, json, text } = await ask(path, query);
  expect(status, text).toBe(200);
  const rows = Array.isArray(json) ? json : Object.values(json as object).find(Array.isArray);
  return rows as Record<string, unknown>[];
}

/** The ids of what a list holds. (The rest of a call changes: its recording's address is signed anew.) */
async function idsIn(path: string, query: string): Promise<unknown[]> {
  return (await listed(path, query)).map(({ id, call_id }) => id ?? call_id);
}

describe('query parameters', () => {
  // @rule 8.9
  it.each([
    ['/agents', 1, 100, 50],
    ['/calls', 1, 500, 50],
    ['/campaigns', 1, 100, 50],
    ['/campaigns/{campaign_id}/contacts', 1, 100, 50],
    ['/campaigns/{campaign_id}/extracted-data', 1, 100, 25],
    ['/phones/available', 1, 20, 10],
    ['/webhooks/{webhook_id}/deliveries', 1, 500, 50],
  ])('GET %s takes a limit from %i to %i, by default %i', async (path, least, most, byDefault) => {
    const statuses = [least - 1, least, most, most + 1].map(
      async (limit) => (await ask(path, `limit=${limit}`)).status,
    );
    expect(await Promise.all(statuses)).toEqual([422, 200, 200, 422]);
    expect(await listed(path, `limit=${least}`)).toHaveLength(least);
    expect(await listed(path)).toHaveLength(byDefault);
  });

  // @rule 8.16
  it.each([
    '/agents',
    '/calls',
    '/campaigns',
    '/campaigns/{campaign_id}/contacts',
    '/campaigns/{campaign_id}/extracted-data',
  ])('GET %s takes an offset from 0, by default 0', async (path) => {
    expect((await ask(path, 'offset=-1')).status).toBe(422);
    const whole = await idsIn(path, 'limit=10');
    expect(await idsIn(path, 'limit=10&offset=0')).toEqual(whole);
    expect(await idsIn(path, 'limit=8&offset=2')).toEqual(whole.slice(2));
  });

  // @rule 4.3
  it('GET /agents shows active agents only, unless active_only is false', async () => {
    const id = await ground.agent();
    await ground.scene.ask(ground.tenant.test, 'DELETE', `/api/v1/agents/${id}`);
    const has = async (query: string) => (await listed('/agents', query)).some((agent) => agent.id === id);
    expect([await has(''), await has('active_only=true'), await has('active_only=false')]).toEqual([
      false,
      false,
      true,
    ]);
  });

  // @rule 4.27, 8.10
  it('GET /billing/usage takes 1 to 90 days, by default 30', async () => {
    const days = async (query: string) => {
      const { status, json } = await ask('/billing/usage', query);
      return status === 200 ? (json as { daily: object[] }).daily.length : status;
    };
    expect([
      await days('days=0'),
      await days('days=1'),
      await days('days=90'),
      await days('days=91'),
    ]).toEqual([422, 1, 90, 422]);
    expect(await days('')).toBe(30);
  });

  // @rule 4.21
  it('GET …/extracted-data sorts by started_at downward, or as asked, and filters by outcome', async () => {
    const path = '/campaigns/{campaign_id}/extracted-data';
    const newest = await listed(path);
    const times = newest.map(({ started_at }) => String(started_at));
    expect(times).toEqual([...times].sort().reverse());
    expect(new Set(times).size).toBeGreaterThan(1);
    expect(await listed(path, 'sort=started_at&order=desc')).toEqual(newest);
    const oldest = await listed(path, 'order=asc');
    expect(String(oldest[0]!.started_at) < times.at(-1)!).toBe(true);
    for (const sort of ['outcome_score', 'duration_seconds']) {
      expect((await ask(path, `sort=${sort}`)).status).toBe(200);
    }
    expect((await ask(path, 'sort=phone')).status).toBe(422);
    const [{ outcome }] = newest as [{ outcome: string }];
    expect((await listed(path, `outcome=${outcome}`)).length).toBe(newest.length);
    expect(await listed(path, 'outcome=another')).toEqual([]);
  });

  // @rule 4.8
  it('GET /calls pages by cursor and filters by status, direction and agent', async () => {
    const { scene, tenant } = ground;
    const agent_id = await ground.agent();
    const { id } = await scene.dialed(tenant, { agent_id });
    await scene.number(tenant, '+14155550191', { agentId: tenant.agentId, sandbox: true });
    await scene.carrier.callIn(`${scene.plane.url}/internal/carriers/simulated/inbound`, {
      CallSid: `CA${'4'.repeat(32)}`,
      From: CALLEE,
      To: '+14155550191',
      CallStatus: 'ringing',
      Direction: 'inbound',
    });
    const { calls, next_cursor } = (await ask('/calls', 'limit=3')).json as {
      calls: { id: string }[];
      next_cursor: string;
    };
    const rest = await idsIn('/calls', `limit=3&cursor=${encodeURIComponent(next_cursor)}`);
    expect([...calls.map((call) => call.id), ...rest]).toEqual(await idsIn('/calls', 'limit=6'));
    expect(await listed('/calls', `agent_id=${agent_id}`)).toMatchObject([{ id }]);
    expect(await listed('/calls', 'direction=inbound')).toMatchObject([{ to_number: '+14155550191' }]);
    expect(await listed('/calls', `status=QUEUED&agent_id=${agent_id}`)).toMatchObject([{ id }]);
    expect(await listed('/calls', `status=COMPLETED&agent_id=${agent_id}`)).toEqual([]);
    expect((await ask('/calls', 'status=DREAMING')).status).toBe(422);
  });

  // @rule 4.16
  it('GET /campaigns pages by cursor and filters by status; its contacts filter by status', async () => {
    const { next_cursor } = (await ask('/campaigns', 'limit=2')).json as { next_cursor: string };
    const second = await idsIn('/campaigns', `limit=2&cursor=${encodeURIComponent(next_cursor)}`);
    expect(second).toEqual((await idsIn('/campaigns', 'limit=4')).slice(2));
    const { id } = await ground.campaign({ contacts: [{ phone: CALLEE }, { phone: SECOND_CALLEE }] });
    await ground.post(`/campaigns/${id}/cancel`);
    expect(await listed('/campaigns', 'status=cancelled')).toMatchObject([{ id }]);
    const contacts = (status: string) => listed(`/campaigns/${id}/contacts`, `status=${status}`);
    expect([(await contacts('cancelled')).length, (await contacts('pending')).length]).toEqual([2, 0]);
  });

  // @rule 4.31
  it('GET /phones/available takes country (US), area_code and provider (the first carrier)', async () => {
    const found = await listed('/phones/available');
    expect(found.every(({ country, provider }) => country === 'US' && provider === 'twilio')).toBe(true);
    expect(await listed('/phones/available', 'country=US&provider=twilio')).toHaveLength(found.length);
    const inNewYork = await listed('/phones/available', 'area_code=212');
    expect(inNewYork.every(({ phone_number }) => String(phone_number).startsWith('+1212'))).toBe(true);
    for (const query of ['country=USA', 'area_code=123456', 'provider=acme']) {
      expect((await ask('/phones/available', query)).status, query).toBe(422);
    }
  });

  // @rule 4.23
  it('POST /campaigns/upload requires agent_id and a name of at most 255; caller_id is optional', async () => {
    const { scene, tenant } = ground;
    const upload = async (query: Readonly<Record<string, string>>) => {
      const form = new FormData();
      form.append('file', new Blob([`phone\n${CALLEE}\n`], { type: 'text/csv' }), 'c.csv');
      const answer = await fetch(`${scene.plane.url}/api/v1/campaigns/upload?${new URLSearchParams(query)}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${tenant.test}` },
        body: form,
      });
      return { status: answer.status, json: (await answer.json()) as Record<string, unknown> };
    };
    const [agent_id, campaign_name] = [tenant.agentId, 'Uploaded'];
    expect((await upload({ campaign_name })).status).toBe(422);
    expect((await upload({ agent_id })).status).toBe(422);
    expect((await upload({ agent_id, campaign_name: 'n'.repeat(256) })).status).toBe(422);
    expect((await upload({ agent_id, campaign_name: 'n'.repeat(255) })).status).toBe(201);
    const caller_id = await scene.number(tenant, '+14155550192', { sandbox: true });
    const made = await upload({ agent_id, campaign_name, caller_id });
    expect(made.status).toBe(201);
    expect(await ground.get(`/campaigns/${made.json.campaign_id}`)).toMatchObject({ caller_id });
    expect((await upload({ agent_id, campaign_name, caller_id: agent_id })).status).toBe(404);
  });
});
