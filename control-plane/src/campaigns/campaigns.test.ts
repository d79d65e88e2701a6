import { newId } from '@voice/shared/ids/ids';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestControlPlane, type TestControlPlane } from '../testing/control-plane.js';
import { startTestStore, type TestStore } from '../testing/store.js';
import type { CampaignResponse } from './schemas.js';
import { CampaignsClient, TALKS } from './testing/campaigns-client.js';

let store: TestStore;
let plane: TestControlPlane;
let client: CampaignsClient;

beforeAll(async () => {
  store = await startTestStore();
  plane = await startTestControlPlane(store.uri);
});
beforeEach(async () => {
  client = await CampaignsClient.create(plane);
});
afterAll(async () => {
  await plane?.close();
  await store?.close();
});

describe('POST /api/v1/campaigns', () => {
  it('makes a draft with its contacts, and answers 201', async () => {
    const made = await client.create({
      contacts: [
        { phone: TALKS, first_name: 'Ann', contact_data: { company: 'Acme' } },
        { phone: '(415) 555-0100', last_name: 'Bo' },
      ],
    });
    expect(made).toMatchObject({ status: 'draft', total_contacts: 2, duplicate_count: 0 });
    expect(made.campaign_id).toBe(made.id);
    expect(await client.get(made.id)).toMatchObject({
      id: made.id,
      name: 'Spring',
      agent_id: client.agentId,
      status: 'draft',
      is_test: true,
      outcome_labels: [],
      success_criteria: null,
      extraction_schema: null,
      max_concurrent: 5,
      calls_per_minute: 10,
      retry_policy: { max_attempts: 3 },
      calling_hours: { monday: { start: '08:00', end: '21:00' } },
      total_contacts: 2,
      contact_counts: { pending: 2, completed: 0 },
    });
    expect(await client.contacts(made.id)).toMatchObject([
      { phone: TALKS, first_name: 'Ann', contact_data: { company: 'Acme' }, status: 'pending', attempts: 0 },
      { phone: '+14155550100', last_name: 'Bo', next_retry_at: null },
    ]);
  });

  it('refuses a foreign agent and a foreign caller ID with 404', async () => {
    const other = await CampaignsClient.create(plane);
    const contacts = [{ phone: TALKS }];
    const withAgent = await client.request('POST', '', { name: 'x', agent_id: other.agentId, contacts });
    expect(withAgent).toMatchObject({ status: 404, json: { code: 'agent_not_found' } });
    const withNumber = await client.request('POST', '', {
      name: 'x',
      agent_id: client.agentId,
      caller_id: newId(),
      contacts,
    });
    expect(withNumber).toMatchObject({ status: 404, json: { code: 'caller_id_not_found' } });
    expect((await client.request('GET', '?include_total=true')).json).toMatchObject({
      campaigns: [],
      total: 0,
    });
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['no contacts', { contacts: [] }, 'body.contacts'],
    [
      'a number that is none',
      { contacts: [{ phone: TALKS }, { phone: 'call me' }] },
      'body.contacts.1.phone',
    ],
    ['a name of 256 characters', { name: 'x'.repeat(256) }, 'body.name'],
    ['no lines at all', { max_concurrent: 0 }, 'body.max_concurrent'],
    ['labels that repeat', { outcome_labels: ['yes', 'yes'] }, 'body.outcome_labels'],
    ['an operator for a name', { name: { $gt: '' } }, 'body.name'],
    ['10,001 contacts', { contacts: Array(10_001).fill({ phone: TALKS }) }, 'body.contacts'],
  ])('refuses %s and makes nothing', async (_, changes, place) => {
    const answer = await client.request('POST', '', {
      name: 'x',
      agent_id: client.agentId,
      contacts: [{ phone: TALKS }],
      ...changes,
    });
    expect(answer.status).toBe(422);
    const { detail } = answer.json as { detail: { loc: unknown[] }[] };
    expect(detail.map(({ loc }) => loc.join('.'))).toContain(place);
    expect((await client.request('GET', '?include_total=true')).json).toMatchObject({ total: 0 });
  });

  it('leaves a number that occurs again out and lists it', async () => {
    const made = await client.create({
      contacts: [{ phone: '+14155550100' }, { phone: '415-555-0100' }, { phone: '+14155550101' }],
    });
    expect(made).toMatchObject({
      total_contacts: 2,
      duplicate_count: 1,
      duplicates: [{ line: 2, first_line: 1, phone: '+14155550100' }],
    });
  });

  it('runs once for one Idempotency-Key', async () => {
    const send = () =>
      plane.request('POST', '/api/v1/campaigns', {
        key: client.key,
        headers: { 'idempotency-key': 'once' },
        body: { name: 'x', agent_id: client.agentId, contacts: [{ phone: TALKS }] },
      });
    const [first, second] = [await send(), await send()];
    expect(second.text).toBe(first.text);
    expect(second.headers.get('x-idempotent-replay')).toBe('true');
    expect((await client.request('GET', '?include_total=true')).json).toMatchObject({ total: 1 });
  });
});

describe('GET /api/v1/campaigns', () => {
  it('lists newest first, in pages by cursor or offset, by status', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 3; i++) ids.unshift((await client.create({ name: `c${i}` })).id);
    await client.move(ids[0]!, 'cancel');
    const page = async (query: string) =>
      (await client.request('GET', query)).json as {
        campaigns: CampaignResponse[];
        has_more: boolean;
        next_cursor: string | null;
        total?: number;
      };
    const first = await page('?limit=2&include_total=true');
    expect(first).toMatchObject({ total: 3, has_more: true });
    expect(first.campaigns.map(({ id }) => id)).toEqual(ids.slice(0, 2));
    await client.create({ name: 'in between' });
    const second = await page(`?limit=2&cursor=${first.next_cursor}`);
    expect(second.campaigns.map(({ id }) => id)).toEqual(ids.slice(2));
    expect(second).toMatchObject({ has_more: false, next_cursor: null });
    expect((await page('?offset=3&limit=2')).campaigns.map(({ id }) => id)).toEqual(ids.slice(2));
    expect((await page('?status=cancelled')).campaigns.map(({ id }) => id)).toEqual([ids[0]]);
    expect((await page('?status=unheard-of')).campaigns).toEqual([]);
  });

  it.each(['?limit=0', '?limit=101', '?offset=-1', '?cursor=forged'])('refuses %s', async (query) => {
    expect((await client.request('GET', query)).status).toBe(422);
  });

  it('never shows the campaigns and contacts of another tenant', async () => {
    const { id } = await client.create();
    const [contact] = await client.contacts(id);
    const other = await CampaignsClient.create(plane);
    const later = new Date(Date.now() + 60_000).toISOString();
    const tries: [string, string, unknown?][] = [
      ['GET', `/${id}`],
      ['PATCH', `/${id}`, { success_criteria: 'mine' }],
      ['POST', `/${id}/start`],
      ['POST', `/${id}/pause`],
      ['POST', `/${id}/cancel`],
      ['GET', `/${id}/contacts`],
      ['GET', `/${id}/analytics`],
      ['GET', `/${id}/insights`],
      ['GET', `/${id}/extracted-data`],
      ['GET', `/${id}/extracted-data/export`],
      ['POST', `/${id}/contacts/${contact!.id}/reschedule`, { next_retry_at: later }],
    ];
    for (const [method, path, body] of tries) {
      const answer = await other.request(method, path, body);
      expect([method, path, answer.status]).toEqual([method, path, 404]);
    }
    expect(await client.get(id)).toMatchObject({ status: 'draft', success_criteria: null });
    expect((await other.request('GET', '?include_total=true')).json).toMatchObject({
      campaigns: [],
      total: 0,
    });
  });
});

describe('PATCH /api/v1/campaigns/{campaign_id}', () => {
  it('changes the given criteria of a draft', async () => {
    const { id } = await client.create({ outcome_labels: ['sold', 'lost'] });
    const schema = { type: 'object', properties: { $budget: { type: 'number' } } };
    const answer = await client.request('PATCH', `/${id}`, {
      success_criteria: 'They buy.',
      extraction_schema: schema,
    });
    expect(answer).toMatchObject({
      status: 200,
      json: { outcome_labels: ['sold', 'lost'], success_criteria: 'They buy.', extraction_schema: schema },
    });
  });

  it('refuses an extraction schema that is not supported by the path of its keyword', async () => {
    const { id } = await client.create();
    const extraction_schema = { properties: { a: { anyOf: [{ items: [{ pattern: '^(a+)+$' }] }] } } };
    const answer = await client.request('PATCH', `/${id}`, { extraction_schema });
    expect(answer).toMatchObject({
      status: 422,
      json: { detail: [{ loc: ['body', 'extraction_schema', 'properties', 'a', 'anyOf', 0, 'items'] }] },
    });
  });

  // @rule 3.14
  it('refuses once the campaign was started, with 409 campaign_not_draft', async () => {
    const { id } = await client.create();
    await client.move(id, 'start');
    const answer = await client.request('PATCH', `/${id}`, { outcome_labels: ['late'] });
    expect(answer).toMatchObject({ status: 409, json: { code: 'campaign_not_draft' } });
    expect((await client.get(id)).outcome_labels).toEqual([]);
  });
});

describe('start, pause and cancel', () => {
  it('move a campaign as the table says', async () => {
    const { id } = await client.create({ contacts: [{ phone: TALKS }] });
    const moves: ['start' | 'pause' | 'cancel', number, string][] = [
      ['pause', 409, 'draft'],
      ['start', 200, 'running'],
      ['start', 409, 'running'],
      ['pause', 200, 'paused'],
      ['pause', 409, 'paused'],
      ['start', 200, 'running'],
      ['cancel', 200, 'cancelled'],
      ['cancel', 409, 'cancelled'],
      ['start', 409, 'cancelled'],
      ['pause', 409, 'cancelled'],
    ];
    for (const [move, status, after] of moves) {
      const answer = await client.move(id, move);
      expect([move, answer.status]).toEqual([move, status]);
      if (status === 409) expect(answer.json).toMatchObject({ code: 'campaign_state_conflict' });
      else expect(answer.json).toMatchObject({ id, campaign_id: id, status: after });
      expect((await client.get(id)).status).toBe(after);
    }
  });

  it('start schedules a draft whose scheduled_start lies ahead', async () => {
    const at = new Date(Date.now() + 3_600_000).toISOString();
    const { id } = await client.create({ scheduled_start: at });
    expect((await client.move(id, 'start')).json).toMatchObject({
      status: 'scheduled',
      previous_status: 'draft',
    });
    expect(await client.get(id)).toMatchObject({ status: 'scheduled', scheduled_start: at });
    expect((await client.move(id, 'start')).json).toMatchObject({ status: 'running' });
  });

  it('start refuses an agent that is switched off', async () => {
    const { id } = await client.create();
    await plane.request('DELETE', `/api/v1/agents/${client.agentId}`, { key: client.key });
    expect(await client.move(id, 'start')).toMatchObject({ status: 409, json: { code: 'agent_inactive' } });
    expect((await client.get(id)).status).toBe('draft');
  });

  it('cancel cancels the contacts that were not called', async () => {
    const { id } = await client.create();
    await client.move(id, 'cancel');
    expect(await client.contacts(id)).toMatchObject([{ status: 'cancelled' }]);
  });
});

describe('POST …/contacts/{contact_id}/reschedule', () => {
  const at = (ms: number) => ({ next_retry_at: new Date(Date.now() + ms).toISOString() });

  it('sets next_retry_at and makes the contact pending', async () => {
    const { id } = await client.create();
    const [contact] = await client.contacts(id);
    const body = at(60_000);
    const answer = await client.request('POST', `/${id}/contacts/${contact!.id}/reschedule`, body);
    expect(answer).toMatchObject({ status: 200, json: { status: 'pending', ...body } });
    // What the engine's sweep goes by, where the campaign could not be woken.
    const { created_at, updated_at } = await client.get(id);
    expect(Date.parse(updated_at)).toBeGreaterThan(Date.parse(created_at));
  });

  // @rule 3.16
  it('refuses a time that is not strictly in the future', async () => {
    const { id } = await client.create();
    const [contact] = await client.contacts(id);
    for (const body of [at(0), at(-60_000)]) {
      const answer = await client.request('POST', `/${id}/contacts/${contact!.id}/reschedule`, body);
      expect(answer).toMatchObject({ status: 422, json: { code: 'next_retry_at_not_future' } });
    }
    expect(await client.contacts(id)).toMatchObject([{ next_retry_at: null }]);
  });

  it('takes any offset, and says so of a time without one', async () => {
    const { id } = await client.create();
    const [contact] = await client.contacts(id);
    const to = (next_retry_at: string) =>
      client.request('POST', `/${id}/contacts/${contact!.id}/reschedule`, { next_retry_at });
    expect(await to('2999-01-01T00:00:00+05:30')).toMatchObject({
      status: 200,
      json: { next_retry_at: '2998-12-31T18:30:00.000Z' },
    });
    expect(await to('2999-01-01T00:00:00')).toMatchObject({
      status: 422,
      json: { detail: [{ msg: expect.stringContaining('with its offset') }] },
    });
  });

  it('answers 404 for a contact of another campaign, 409 in a cancelled one', async () => {
    const [{ id }, other] = [await client.create(), await client.create()];
    const [contact] = await client.contacts(other.id);
    const foreign = await client.request('POST', `/${id}/contacts/${contact!.id}/reschedule`, at(60_000));
    expect(foreign).toMatchObject({ status: 404, json: { code: 'contact_not_found' } });
    await client.move(other.id, 'cancel');
    const late = await client.request('POST', `/${other.id}/contacts/${contact!.id}/reschedule`, at(60_000));
    expect(late).toMatchObject({ status: 409, json: { code: 'campaign_state_conflict' } });
  });
});

describe('GET …/contacts', () => {
  it('pages in the order of the list, by status', async () => {
    const phones = Array.from({ length: 5 }, (_, i) => `+1415555010${i}`);
    const { id } = await client.create({ contacts: phones.map((phone) => ({ phone })) });
    const page = await client.request('GET', `/${id}/contacts?limit=2&offset=2&include_total=true`);
    expect(page.json).toMatchObject({
      contacts: [{ phone: phones[2] }, { phone: phones[3] }],
      total: 5,
      has_more: true,
    });
    expect(await client.contacts(id, '?status=completed')).toEqual([]);
    for (const query of ['?limit=0', '?limit=101', '?offset=-1']) {
      expect((await client.request('GET', `/${id}/contacts${query}`)).status).toBe(422);
    }
  });
});
