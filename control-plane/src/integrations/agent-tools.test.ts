import { newId } from '@voice/shared/ids/ids';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type IntegrationsEmulator,
  startIntegrationsEmulator,
} from '../../../loadtest/emulators/integrations/server.js';
import { startTestControlPlane, type TestControlPlane } from '../testing/control-plane.js';
import { ScriptedWorker } from '../testing/scripted-worker.js';
import { startTestStore, type TestStore } from '../testing/store.js';
import { adapters } from './catalog.js';
import { connectByOAuth } from './testing.js';

let store: TestStore;
let vendors: IntegrationsEmulator;
let plane: TestControlPlane;
let other: TestControlPlane;
let worker: ScriptedWorker;
let key: string;
let callId: string;

const everyAction = adapters.flatMap(({ slug, actions }) =>
  actions.map(({ name }) => ({
    type: 'integration',
    name: `${slug.replaceAll('-', '_')}_${name}`,
    integration: slug,
    action: name,
  })),
);

async function newAgent(tools: readonly object[], credential = key) {
  return plane.request('POST', '/api/v1/agents', {
    key: credential,
    body: { name: 'Ann', system_prompt: 'You sell.', tools },
  });
}

/** A call of the mode of the key: a test session, which needs no carrier. */
async function newCall(by = key): Promise<string> {
  const agent = (await newAgent(everyAction, by)).json as { id: string };
  const made = await plane.request('POST', `/api/v1/agents/${agent.id}/test/websocket`, {
    key: by,
    body: {},
  });
  expect(made.status, made.text).toBe(201);
  return (made.json as { session_id: string }).session_id;
}

beforeAll(async () => {
  store = await startTestStore();
  vendors = await startIntegrationsEmulator();
  const env = {
    ...vendors.env,
    EGRESS_ALLOW: '127.0.0.0/8',
    DATA_DIR: `/tmp/integration-tools-test-${process.pid}`,
  };
  plane = await startTestControlPlane(store.uri, { env });
  other = await startTestControlPlane(store.uri, { env });
  worker = await ScriptedWorker.start({ id: 'worker-1', secret: plane.platform.config.internalSecret });
});
afterAll(async () => {
  await other?.close();
  await plane?.close();
  await worker?.close();
  await vendors?.close();
  await store?.close();
});
beforeEach(async () => {
  vendors.faults.failNext = 0;
  vendors.faults.before = async () => {};
  ({ key } = await plane.newKey({ sandbox: false }));
  worker.held.clear();
  await worker.heartbeat(plane);
  callId = await newCall();
});

const request = (integration: string, action: string, args: object, toolCall = `t-${newId()}`) => ({
  call_id: callId,
  tool_call_id: toolCall,
  integration,
  action,
  arguments: args,
});
async function run(asked: object, at = plane) {
  const answer = await at.internal('POST', '/internal/tools/integration', asked);
  expect(answer.status, answer.text).toBe(200);
  const { ok, result } = answer.json as { ok: boolean; result: string };
  return { ok, result: ok ? (JSON.parse(result) as unknown) : result };
}
const doneOf = (what: string) => vendors.done.filter((done) => done.what === what);
const connectByKey = (slug: string, body: object) =>
  plane.request('POST', `/api/v1/integrations/${slug}/api-key-connect`, { key, body });
const configure = (slug: string, config: object) =>
  plane.request('PATCH', `/api/v1/integrations/${slug}/config`, { key, body: { config } });

describe('the tools of an agent', () => {
  // @rule 2.7
  it('may be any action of any integration; what there is not, is refused', async () => {
    expect((await newAgent(everyAction)).status).toBe(201);
    for (const [tool, field] of [
      [{ type: 'integration', name: 'a', integration: 'fax', action: 'send' }, 'action'],
      [{ type: 'integration', name: 'a', integration: 'slack', action: 'send' }, 'action'],
    ] as const) {
      const answer = await newAgent([tool]);
      expect(answer.status).toBe(422);
      expect(answer.json).toMatchObject({ detail: [{ loc: ['body', 'tools', 0, field] }] });
    }
  });

  it('reach the worker with the description and parameters of their action', async () => {
    const plan = worker.plans.find(({ call_id }) => call_id === callId)!;
    const tool = plan.agent.tools.find(({ name }) => name === 'slack_post_message');
    expect(tool).toMatchObject({
      description: 'Posts a message to a Slack channel.',
      parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
      side_effects: true,
    });
    expect(plan.agent.tools.find(({ name }) => name === 'cal_com_list_slots')).toMatchObject({
      side_effects: false,
    });
  });

  it('are not run in the sandbox: accounts that a tenant has connected are real', async () => {
    const tenant = `both modes ${newId()}`;
    ({ key } = await plane.newKey({ tenant, sandbox: false }));
    await connectByOAuth(plane, key, 'slack');
    const { key: sandbox } = await plane.newKey({ tenant });
    const before = doneOf('slack message').length;
    const asked = request('slack', 'post_message', { channel: '#sales', text: 'hi' });
    callId = await newCall(sandbox);
    const refused = await run({ ...asked, call_id: callId });
    expect(refused).toEqual({
      ok: false,
      result: expect.stringContaining('not used in the sandbox: nothing was done'),
    });
    expect(doneOf('slack message')).toHaveLength(before);
    const done = await run({ ...asked, call_id: await newCall() });
    expect(done.ok).toBe(true);
    expect(doneOf('slack message')).toHaveLength(before + 1);
  });

  it('give the model the time, where they take times', async () => {
    const { tools } = worker.plans.find(({ call_id }) => call_id === callId)!.agent;
    const timed = tools.filter(({ description }) =>
      / Now it is \w+day, \d{4}-\d\d-\d\dT\d\d:\d\dZ\.$/.test(description),
    );
    expect(timed.map(({ name }) => name)).toEqual([
      'google_calendar_find_slots',
      'google_calendar_create_event',
      'cal_com_list_slots',
      'cal_com_book',
    ]);
  });
});

describe('POST /internal/tools/integration', () => {
  it('is for the other plane only', async () => {
    const body = request('slack', 'post_message', { text: 'hi' });
    expect((await plane.atInternal('POST', '/internal/tools/integration', { key, body })).status).toBe(401);
  });

  it('slack: posts a message, by default to the configured channel', async () => {
    await connectByOAuth(plane, key, 'slack');
    const asked = { text: 'A lead!' };
    expect(await run(request('slack', 'post_message', asked))).toMatchObject({
      ok: false,
      result: expect.stringMatching(/channel/),
    });
    await configure('slack', { channel: '#sales' });
    expect(await run(request('slack', 'post_message', asked))).toMatchObject({ ok: true });
    expect(doneOf('slack message').at(-1)?.data).toEqual({ channel: '#sales', text: 'A lead!' });
    const nowhere = await run(request('slack', 'post_message', { text: 'x', channel: 'nowhere' }));
    expect(nowhere).toEqual({ ok: false, result: 'Slack refused: channel_not_found.' });
  });

  it('hubspot: upserts a contact and writes a note on it', async () => {
    await connectByOAuth(plane, key, 'hubspot');
    const contact = { email: 'ada@acme.example', first_name: 'Ada' };
    expect(await run(request('hubspot', 'upsert_contact', contact))).toMatchObject({ ok: true });
    expect(doneOf('hubspot contact').at(-1)?.data).toEqual({ email: 'ada@acme.example', firstname: 'Ada' });
    const note = { email: 'ada@acme.example', note: 'Wants a demo.' };
    expect(await run(request('hubspot', 'create_note', note))).toMatchObject({ ok: true });
    expect(doneOf('hubspot note').at(-1)?.data).toMatchObject({ hs_note_body: 'Wants a demo.' });
    expect(await run(request('hubspot', 'create_note', { ...note, email: 'no@body.example' }))).toMatchObject(
      {
        ok: false,
        result: expect.stringMatching(/resource not found/),
      },
    );
  });

  it("salesforce: creates a lead at the account's own address", async () => {
    await connectByOAuth(plane, key, 'salesforce');
    const lead = { last_name: 'Lovelace', company: 'Engines' };
    expect(await run(request('salesforce', 'create_lead', lead))).toMatchObject({ ok: true });
    expect(doneOf('salesforce lead').at(-1)?.data).toEqual({ LastName: 'Lovelace', Company: 'Engines' });
  });

  it('google-calendar: finds slots around what is there, and makes events', async () => {
    await connectByOAuth(plane, key, 'google-calendar');
    const day = (time: string) => `2030-01-07T${time}:00Z`;
    const event = { summary: 'Demo', start: day('09:00'), end: day('10:00') };
    expect(await run(request('google-calendar', 'create_event', event))).toMatchObject({ ok: true });
    const window = { from: day('08:30'), to: day('11:00') };
    expect(await run(request('google-calendar', 'find_slots', window))).toEqual({
      ok: true,
      result: {
        slots: ['08:30', '10:00', '10:30'].map((time) => new Date(day(time)).toISOString()),
      },
    });
    await configure('google-calendar', { time_zone: 'America/New_York' });
    expect(await run(request('google-calendar', 'find_slots', window))).toEqual({
      ok: true,
      result: { slots: ['03:30', '05:00', '05:30'].map((time) => `2030-01-07T${time}:00-05:00`) },
    });
  });

  it('google-sheets: appends a row, in which nothing becomes a formula', async () => {
    await connectByOAuth(plane, key, 'google-sheets');
    await configure('google-sheets', { spreadsheet_id: 's1' });
    expect(await run(request('google-sheets', 'append_row', { values: ['=1+1', 2] }))).toMatchObject({
      ok: true,
    });
    expect(doneOf('google row').at(-1)?.data).toEqual({
      spreadsheet: 's1',
      values: [['=1+1', 2]],
      input: 'RAW',
    });
  });

  it('airtable, notion, cal-com, zapier, make: do what they are for', async () => {
    await connectByKey('airtable', { api_key: vendors.key, base_id: 'appX' });
    await configure('airtable', { table: 'Leads' });
    await connectByKey('notion', { token: vendors.key });
    await configure('notion', { database_id: 'd1' });
    await connectByKey('cal-com', { api_key: vendors.key });
    await configure('cal-com', { event_type_id: 7 });
    await connectByKey('zapier', { webhook_url: `${vendors.url}/hooks/catch/zap` });
    await connectByKey('make', { webhook_url: `${vendors.url}/hooks/catch/scenario` });

    expect(await run(request('airtable', 'create_record', { fields: { Name: 'Ada' } }))).toMatchObject({
      ok: true,
    });
    expect(doneOf('airtable record').at(-1)?.data).toEqual({
      base: 'appX',
      table: 'Leads',
      fields: { Name: 'Ada' },
    });
    expect(await run(request('notion', 'create_page', { title: 'Call', text: 'Went well.' }))).toMatchObject({
      ok: true,
    });
    const days = { from: '2030-01-07', to: '2030-01-08' };
    const slots = await run(request('cal-com', 'list_slots', days));
    expect(slots).toEqual({
      ok: true,
      result: { slots: ['2030-01-07T09:00:00.000Z', '2030-01-07T10:00:00.000Z'] },
    });
    const booking = { start: '2030-01-07T10:00:00+01:00', name: 'Ada', email: 'ada@acme.example' };
    expect(await run(request('cal-com', 'book', booking))).toMatchObject({ ok: true });
    expect(await run(request('cal-com', 'book', booking))).toMatchObject({
      ok: false,
      result: expect.stringMatching(/not available/),
    });
    for (const slug of ['zapier', 'make']) {
      expect(await run(request(slug, 'trigger', { data: { a: 1 } }))).toMatchObject({ ok: true });
    }
    expect(doneOf('flow').map(({ data }) => data.hook)).toEqual(['zap', 'scenario']);
  });

  it('reports to the model what it can do nothing about: not connected, wrong arguments, out of order', async () => {
    const lead = { last_name: 'L', company: 'E' };
    expect(await run(request('salesforce', 'create_lead', lead))).toEqual({
      ok: false,
      result: 'The integration is not connected.',
    });
    expect(await run(request('salesforce', 'create_lead', { company: 'E' }))).toMatchObject({
      ok: false,
      result: expect.stringMatching(/last_name/),
    });
    expect(await run(request('slack', 'delete_everything', {}))).toMatchObject({ ok: false });
    await connectByOAuth(plane, key, 'salesforce');
    vendors.faults.failNext = 1;
    expect(await run(request('salesforce', 'create_lead', lead))).toMatchObject({
      ok: false,
      result: expect.stringMatching(/status 503/),
    });
  });

  it('an unknown call has no tools', async () => {
    const asked = { ...request('slack', 'post_message', { text: 'x' }), call_id: newId() };
    const answer = await plane.internal('POST', '/internal/tools/integration', asked);
    expect([answer.status, (answer.json as { code: string }).code]).toEqual([404, 'call_not_found']);
  });
});

describe('a tool call is carried out once', () => {
  const lead = { last_name: 'Once', company: 'E' };
  const leads = () => doneOf('salesforce lead').length;

  it('however often and on however many replicas it is asked for; the answer is the same', async () => {
    await connectByOAuth(plane, key, 'salesforce');
    const before = leads();
    const asked = request('salesforce', 'create_lead', lead);
    const answers = await Promise.all([plane, other, plane, other].map((at) => run(asked, at)));
    answers.push(await run(asked));
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(answers[0]).toMatchObject({ ok: true });
    expect(leads() - before).toBe(1);
    await run(request('salesforce', 'create_lead', lead));
    expect(leads() - before).toBe(2);
  });

  /** A run that a replica began, and died. */
  async function beginAndDie(asked: ReturnType<typeof request>) {
    const runs = plane.platform.store.collection<{ _id: string }>('integration_tool_runs');
    await run(asked);
    const [mine] = await runs.find({ call_id: callId }).sort({ started_at: -1 }).limit(1).toArray();
    const longAgo = new Date(Date.now() - 60_000);
    await runs.updateOne({ _id: mine!._id }, { $set: { outcome: null, started_at: longAgo } });
  }
  it('broken off: what may have happened is not done again, but reported', async () => {
    await connectByOAuth(plane, key, 'salesforce');
    const asked = request('salesforce', 'create_lead', lead);
    await beginAndDie(asked);
    const before = leads();
    expect(await run(asked)).toMatchObject({ ok: false, result: expect.stringMatching(/not known/) });
    expect(leads()).toBe(before);
  });

  it('broken off: what the vendor recognises is done again, and is there once', async () => {
    await connectByOAuth(plane, key, 'google-calendar');
    const event = { summary: 'Demo', start: '2031-01-07T09:00:00Z', end: '2031-01-07T10:00:00Z' };
    const asked = request('google-calendar', 'create_event', event);
    await beginAndDie(asked);
    const before = doneOf('google event').length;
    expect(await run(asked)).toMatchObject({ ok: true });
    expect(doneOf('google event')).toHaveLength(before);
  });
});
