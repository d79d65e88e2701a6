/** @replicas Pacing and leases of contacts. */

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestControlPlane, type TestControlPlane } from '../testing/control-plane.js';
import { eventually } from '../testing/eventually.js';
import { ScriptedWorker } from '../testing/scripted-worker.js';
import { startTestStore, type TestStore } from '../testing/store.js';
import { WebhookReceiver } from '../testing/webhook-receiver.js';
import type { CampaignStatus } from './campaign-state.js';
import { type ContactModel, contactModel } from './contacts/model.js';
import { type CampaignModel, campaignModel } from './model.js';
import { AnsweringCarrier } from './testing/answering-carrier.js';
import { CampaignsClient, TALKS } from './testing/campaigns-client.js';

/** Ends what hangs, in ms: on a busy machine whole campaigns take their time. */
const LIMIT_MS = 300_000;
const SECRET = 'an internal secret for tests';
const FAST = { calls_per_minute: 6000, max_concurrent: 50 };
const [BUSY, NO_ANSWER, REJECTS] = ['+15005550010', '+15005550011', '+15005550016'] as const;

let store: TestStore;
let carrier: AnsweringCarrier;
let worker: ScriptedWorker;
let plane: TestControlPlane;
let receiver: WebhookReceiver;
let client: CampaignsClient;
let rows: CampaignModel;
let contactRows: ContactModel;
let beats: NodeJS.Timeout;

beforeAll(async () => {
  store = await startTestStore();
  worker = await ScriptedWorker.start({ id: 'worker-1', secret: SECRET, capacity: 1000 });
  carrier = await AnsweringCarrier.start({ worker, plane: () => plane });
  receiver = await WebhookReceiver.start();
  plane = await startTestControlPlane(store.uri, {
    env: { ...carrier.env, RATE_LIMIT_CAMPAIGN_DISPATCH: '100000', EGRESS_ALLOW: '127.0.0.0/8' },
  });
  const connection = await store.connect();
  rows = campaignModel(connection);
  contactRows = contactModel(connection);
  await worker.heartbeat(plane);
  beats = setInterval(() => void worker.heartbeat(plane).catch(() => {}), 500);
});
beforeEach(async () => {
  client = await CampaignsClient.create(plane);
  receiver.received.length = 0;
  await plane.request('POST', '/api/v1/webhooks', {
    key: client.key,
    body: { url: receiver.url(), event_types: ['*'], sandbox: true },
  });
});
afterEach(() => {
  carrier.script = () => ({ status: 'completed', afterMs: 30 });
  carrier.dialedAt.length = 0;
  carrier.most = 0;
});
afterAll(async () => {
  clearInterval(beats);
  await plane?.close();
  await worker?.close();
  await carrier?.close();
  await receiver?.close();
  await store?.close();
});

const reaches = (id: string, status: CampaignStatus) =>
  eventually(
    () => client.get(id),
    (campaign) => campaign.status === status,
    LIMIT_MS,
  );
/** The events of a campaign; those of earlier tests may still come in. */
const eventsOf = (type: string, id: string) =>
  receiver.received
    .map(({ event }) => event)
    .filter((event) => event.event_type === type && event.data.campaign_id === id);
/** Waits until so many of each type have come: each is sent by itself, in whatever order. */
const arrived = (id: string, counts: Readonly<Record<string, number>>) =>
  eventually(() => Object.entries(counts).every(([type, count]) => eventsOf(type, id).length >= count));
/** From now on calls are answered, and none ends before the function that is returned is called. */
function holdCalls(): () => void {
  let letGo = () => {};
  const until = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  carrier.script = () => ({ status: 'completed', afterMs: 10, until });
  return letGo;
}
/** Waits until so many of the campaign's calls are answered, as its contacts say. */
const answered = (id: string, count: number) =>
  eventually(
    async () => (await client.get(id)).contact_counts,
    ({ in_progress }) => in_progress === count,
  );

describe('a running campaign', { timeout: LIMIT_MS }, () => {
  // @rule 3.15
  it('calls every contact once, completes, and publishes its events', async () => {
    const { id } = await client.create({
      ...FAST,
      contacts: [{ phone: TALKS, first_name: 'Ann', contact_data: { company: 'Acme' } }, { phone: TALKS }],
    });
    expect((await client.move(id, 'start')).status).toBe(200);
    const done = await reaches(id, 'completed');
    expect(done).toMatchObject({
      contact_counts: { completed: 2, pending: 0 },
      started_at: expect.any(String),
      completed_at: expect.any(String),
    });
    expect(carrier.dialedAt).toHaveLength(2);
    const contacts = await client.contacts(id);
    expect(contacts).toMatchObject([
      { status: 'completed', attempts: 1, last_outcome: 'completed' },
      { status: 'completed', attempts: 1 },
    ]);
    await arrived(id, { 'campaign.started': 1, 'campaign.contact.completed': 2, 'campaign.completed': 1 });
    const [started] = eventsOf('campaign.started', id);
    expect(started).toMatchObject({ sandbox: true, data: { campaign_id: id, total_contacts: 2 } });
    expect(eventsOf('campaign.started', id)).toHaveLength(1);
    expect(eventsOf('campaign.contact.completed', id).map(({ data }) => data)).toEqual(
      expect.arrayContaining(
        contacts.map((contact) => ({
          campaign_id: id,
          total_contacts: 2,
          contact_id: contact.id,
          call_id: contact.last_call_id,
          outcome: null,
          status: 'completed',
        })),
      ),
    );
    expect(eventsOf('campaign.completed', id)).toMatchObject([
      {
        data: { campaign_id: id, total_contacts: 2, success_count: 2, failure_count: 0, no_answer_count: 0 },
      },
    ]);
  });

  it('dispatches through the gate, with the contact in the call and in the prompt', async () => {
    const { id } = await client.create({
      ...FAST,
      contacts: [{ phone: TALKS, first_name: 'Ann', contact_data: { company: 'Acme' } }],
    });
    await client.move(id, 'start');
    await reaches(id, 'completed');
    const [contact] = await client.contacts(id);
    const call = await plane.request('GET', `/api/v1/calls/${contact!.last_call_id}`, { key: client.key });
    expect(call.json).toMatchObject({
      campaign_id: id,
      contact_id: contact!.id,
      is_test_call: true,
      compliance_check_id: expect.any(String),
    });
    const plan = worker.plans.find((each) => each.call_id === contact!.last_call_id);
    expect(plan!.agent.system_prompt).toBe('You call Ann of Acme.');
  });

  it('never has more lines than max_concurrent', async () => {
    const letGo = holdCalls();
    const { id } = await client.create({
      calls_per_minute: 6000,
      max_concurrent: 3,
      contacts: Array(7).fill({ phone: TALKS }),
    });
    await client.move(id, 'start');
    // (It was looked at since they were dialed: that is how their contacts are known to be answered.)
    expect(await answered(id, 3)).toMatchObject({ dialing: 0, pending: 4 });
    letGo();
    await reaches(id, 'completed');
    expect(carrier.dialedAt).toHaveLength(7);
    expect(carrier.most).toBe(3);
  });

  it('does not exceed calls_per_minute', async () => {
    const { id } = await client.create({
      calls_per_minute: 600,
      max_concurrent: 50,
      contacts: Array(16).fill({ phone: TALKS }),
    });
    await client.move(id, 'start');
    const { started_at } = await reaches(id, 'completed');
    const list = await plane.request('GET', '/api/v1/calls?limit=100', { key: client.key });
    const times = (list.json as { calls: { queued_at: string }[] }).calls
      .map(({ queued_at }) => Date.parse(queued_at) - Date.parse(started_at!))
      .sort((a, b) => a - b);
    expect(times).toHaveLength(16);
    // A slot of 100 ms each. How near the rate comes from below depends on the machine: `npm run bench:campaign`
    // measures that.
    for (const [n, sinceStart] of times.entries()) expect(sinceStart).toBeGreaterThanOrEqual(n * 100);
  });

  it('retries busy, no answer and failure by its policy, then leaves them', async () => {
    carrier.script = (to) => ({
      status: to === BUSY ? 'busy' : to === NO_ANSWER ? 'no-answer' : 'failed',
      afterMs: 10,
    });
    const { id } = await client.create({
      ...FAST,
      contacts: [{ phone: BUSY }, { phone: NO_ANSWER }, { phone: REJECTS }],
      retry_policy: {
        max_attempts: 2,
        busy_delay_seconds: 1,
        no_answer_delay_seconds: 1,
        failed_delay_seconds: 1,
      },
    });
    await client.move(id, 'start');
    await reaches(id, 'completed');
    expect(await client.contacts(id)).toMatchObject([
      { status: 'busy', attempts: 2, next_retry_at: null },
      { status: 'no_answer', attempts: 2 },
      { status: 'failed', attempts: 2 },
    ]);
    expect(carrier.dialedAt).toHaveLength(6);
    await arrived(id, { 'campaign.contact.completed': 6, 'campaign.completed': 1 });
    expect(eventsOf('campaign.contact.completed', id)).toHaveLength(6);
    expect(eventsOf('campaign.completed', id)).toMatchObject([
      { data: { success_count: 0, failure_count: 1, no_answer_count: 2 } },
    ]);
  });

  it('skips a contact that the gate denies for good, and says why', async () => {
    const { id } = await client.create({ ...FAST, contacts: [{ phone: '+14155550100' }, { phone: TALKS }] });
    await client.move(id, 'start');
    await reaches(id, 'completed');
    expect(await client.contacts(id)).toMatchObject([
      { status: 'skipped', skip_reason: 'sandbox_number_required', attempts: 0, last_call_id: null },
      { status: 'completed' },
    ]);
    expect(carrier.dialedAt).toHaveLength(1);
  });

  it('waits while its agent is switched off, and goes on with the same contact', async () => {
    const letGo = holdCalls();
    const { id } = await client.create({
      ...FAST,
      max_concurrent: 1,
      contacts: Array(3).fill({ phone: TALKS }),
    });
    await client.move(id, 'start');
    await eventually(() => carrier.dialedAt.length === 1);
    const agent = `/api/v1/agents/${client.agentId}`;
    await plane.request('PATCH', agent, { key: client.key, body: { is_active: false } });
    letGo();
    await eventually(
      () => client.get(id),
      (campaign) => campaign.waiting_reason === 'agent_inactive',
    );
    expect(carrier.dialedAt).toHaveLength(1);
    await plane.request('PATCH', agent, { key: client.key, body: { is_active: true } });
    await rows.updateOne({ _id: id }, { $set: { waiting_until: new Date() } });
    await reaches(id, 'completed');
    expect(carrier.dialedAt).toHaveLength(3);
    expect(await client.contacts(id)).toMatchObject(Array(3).fill({ status: 'completed', attempts: 1 }));
  });
});

describe('pausing and cancelling', { timeout: LIMIT_MS }, () => {
  /** A campaign of six whose first two calls are answered, and last until they are let go. */
  async function inTwoCalls(): Promise<{ id: string; letGo: () => void }> {
    const letGo = holdCalls();
    const { id } = await client.create({
      calls_per_minute: 6000,
      max_concurrent: 2,
      contacts: Array(6).fill({ phone: TALKS }),
    });
    await client.move(id, 'start');
    await answered(id, 2);
    return { id, letGo };
  }
  /** Waits until nothing is left to do for the campaign: nobody looks at it until it is moved again. */
  const atRest = (id: string) =>
    eventually(
      () => rows.findOne({ _id: id }).orFail().lean(),
      ({ active }) => !active,
    );

  it('pause calls nobody new and lets live calls end; start goes on', async () => {
    const { id, letGo } = await inTwoCalls();
    expect((await client.move(id, 'pause')).status).toBe(200);
    letGo();
    await atRest(id);
    expect(await client.get(id)).toMatchObject({
      status: 'paused',
      contact_counts: { completed: 2, dialing: 0, in_progress: 0, pending: 4 },
    });
    expect(carrier.dialedAt).toHaveLength(2);
    await client.move(id, 'start');
    await reaches(id, 'completed');
    expect(carrier.dialedAt).toHaveLength(6);
  });

  it('cancel is for good: live calls end, everybody else is cancelled', async () => {
    const { id, letGo } = await inTwoCalls();
    expect((await client.move(id, 'cancel')).status).toBe(200);
    letGo();
    await atRest(id);
    expect(await client.get(id)).toMatchObject({
      status: 'cancelled',
      contact_counts: { completed: 2, cancelled: 4 },
    });
    expect(carrier.dialedAt).toHaveLength(2);
    expect(eventsOf('campaign.completed', id)).toEqual([]);
  });
});

describe('time', { timeout: LIMIT_MS }, () => {
  it('a scheduled campaign starts by itself', async () => {
    const { id } = await client.create({
      ...FAST,
      scheduled_start: new Date(Date.now() + 3_600_000).toISOString(),
    });
    expect((await client.move(id, 'start')).json).toMatchObject({ status: 'scheduled' });
    expect(carrier.dialedAt).toHaveLength(0);
    // The hour is over: however slow the machine, it was not before the start was asked for.
    const connection = await store.connect();
    await rows.updateOne({ _id: id }, { $set: { scheduled_start: new Date() } });
    const job = { name: 'campaigns', key: id };
    await connection.collection('scheduled_jobs').updateOne(job, { $min: { due_at: new Date() } });
    await reaches(id, 'completed');
    expect(carrier.dialedAt).toHaveLength(1);
  });

  // @rule 3.18
  it('a failed contact of a completed campaign is revived by rescheduling it', async () => {
    carrier.script = () => ({ status: 'failed', afterMs: 10 });
    const { id } = await client.create({
      ...FAST,
      contacts: [{ phone: REJECTS }, { phone: REJECTS }],
      retry_policy: { max_attempts: 1 },
    });
    await client.move(id, 'start');
    await reaches(id, 'completed');
    const [contact] = await client.contacts(id);
    carrier.script = () => ({ status: 'completed', afterMs: 10 });
    const next_retry_at = new Date(Date.now() + 3_600_000).toISOString();
    const answer = await client.request('POST', `/${id}/contacts/${contact!.id}/reschedule`, {
      next_retry_at,
    });
    expect(answer.json).toMatchObject({ status: 'pending', next_retry_at });
    expect((await client.get(id)).status).toBe('running');
    expect(carrier.dialedAt).toHaveLength(2);
    // The hour is over: however slow the machine, it was not before the campaign ran again.
    await contactRows.updateOne({ _id: contact!.id }, { $set: { due_at: new Date() } });
    await (await store.connect())
      .collection('scheduled_jobs')
      .updateOne({ name: 'campaigns', key: id }, { $min: { due_at: new Date() } });
    await reaches(id, 'completed');
    expect(await client.contacts(id)).toMatchObject([
      { status: 'completed', attempts: 2 },
      { status: 'failed', attempts: 1 },
    ]);
    await arrived(id, { 'campaign.completed': 2 });
    // The end of each run, in whatever order they came.
    expect(eventsOf('campaign.completed', id).map(({ data }) => data)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ success_count: 0, failure_count: 2 }),
        expect.objectContaining({ success_count: 1, failure_count: 1 }),
      ]),
    );
  });
});
