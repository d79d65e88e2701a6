import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newId } from '@voice/shared/ids/ids';
import { silentLog } from '@voice/shared/log/log';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type OpenAiEmulator, startOpenAiEmulator } from '../../../loadtest/emulators/openai/server.js';
import type { CallsModule } from '../calls/module.js';
import { PENDING_STATUS } from '../calls/record/model.js';
import type { CallDetailResponse } from '../calls/record/schemas.js';
import { agentMessage, ended, mediaStarted } from '../calls/testing/events.js';
import type { TestControlPlane } from '../testing/control-plane.js';
import { eventually } from '../testing/eventually.js';
import { startTestInstallation } from '../testing/installation.js';
import type { ScriptedCarrier } from '../testing/scripted-carrier.js';
import type { ScriptedWorker } from '../testing/scripted-worker.js';
import { Erasure } from './erasure.js';

/** Stands in everything that somebody says, or that is said of them. */
const NAME = 'Wilhelmina';
const PHONE = '+15005550006';

let plane: TestControlPlane;
let carrier: ScriptedCarrier;
let worker: ScriptedWorker;
let openai: OpenAiEmulator;
let dataDir: string;
let key: string;
let tenantId: string;
let tenant: string;

beforeAll(async () => {
  openai = await startOpenAiEmulator({
    apiKeys: ['good'],
    script: [
      {
        forSchema: 'analysis',
        say: JSON.stringify({
          summary: `${NAME} booked Tuesday.`,
          outcome: 'goal_reached',
          outcome_score: 0.9,
          sentiment: 'positive',
          scorecard: { Greeting: { score: 1, reason: `${NAME} was greeted.` } },
          extracted_data: { who: NAME },
        }),
      },
    ],
  });
  const installation = await startTestInstallation({
    capacity: 100,
    env: {
      OPENAI_API_KEY: 'good',
      OPENAI_BASE_URL: openai.baseUrl,
      EGRESS_ALLOW: '127.0.0.0/8',
      ARCHIVE_CALLS_AFTER_DAYS: '3650',
      RATE_LIMIT_DEFAULT: '100000',
    },
  });
  ({ plane, carrier, worker, dataDir } = installation);
  return async () => {
    await installation.close();
    await openai.close();
  };
}, 60_000);
beforeEach(async () => {
  tenant = `tenant ${newId()}`;
  ({ key, tenantId } = await plane.newKey({ tenant }));
  await worker.heartbeat(plane);
});

const ask = (method: string, path: string, body?: object) =>
  plane.request(method, `/api/v1${path}`, { key, ...(body ? { body } : {}) });
const erase = (id: string) => ask('DELETE', `/calls/${id}`);
const callsModule = () => plane.modules.find(({ name }) => name === 'calls') as CallsModule;
const run = (job: 'archive' | 'erasure' | 'event-folding' | 'retention') =>
  plane.modules
    .flatMap(({ jobs = [] }) => jobs)
    .find(({ name }) => name === job)!
    .run();
const sweep = () => run('erasure');
const rows = (collection: string) => plane.platform.store.db!.collection<{ _id: string }>(collection);

/** A campaign's call up to its last event; everything in it names the person who is called. */
async function talked(): Promise<{ readonly id: string; readonly campaignId: string }> {
  const agent = (
    await ask('POST', '/agents', {
      name: 'Ann',
      system_prompt: 'Book {{first_name}}.',
      voice_config: { stt: { provider: 'local' }, llm: { provider: 'openai' }, tts: { provider: 'local' } },
      analysis: {
        scorecard: [{ name: 'Greeting', weight: 1 }],
        extraction_schema: { type: 'object', properties: { who: { type: 'string' } } },
      },
    })
  ).json as { id: string };
  await ask('POST', '/webhooks', { url: 'http://127.0.0.1:9/', event_types: ['*'], sandbox: true });
  const campaign = (
    await ask('POST', '/campaigns', {
      name: 'Spring',
      agent_id: agent.id,
      calls_per_minute: 600,
      contacts: [{ phone: PHONE, first_name: NAME, contact_data: { note: `${NAME} likes tea` } }],
    })
  ).json as { id: string };
  expect((await ask('POST', `/campaigns/${campaign.id}/start`)).status).toBe(200);
  const { _id: id } = (await eventually(async () =>
    rows('calls').findOne({ campaign_id: campaign.id } as object),
  ))!;
  const line = (await eventually(() => carrier.callOf(id)))!;
  await eventually(
    async () => await rows('calls').findOne({ _id: id, carrier_call_id: { $gt: '' } } as object),
  );
  const said = (index: number, role: 'agent' | 'caller') => {
    const { turn } = agentMessage(index, `I am ${NAME}, at ${PHONE}.`) as Extract<
      ReturnType<typeof agentMessage>,
      { kind: 'turn' }
    >;
    return { kind: 'turn', turn: { ...turn, role, confidence: role === 'caller' ? 0.9 : null } } as const;
  };
  await worker.send(plane, worker.number(id, [mediaStarted(line.sid), said(0, 'agent'), said(1, 'caller')]));
  return { id, campaignId: campaign.id };
}

const hangUp = (id: string) =>
  worker.send(plane, worker.number(id, [{ ...ended('caller_hangup', 4000), has_recording: true } as never]));
const upload = (id: string, what: 'recording' | 'decision-log') =>
  plane.upload(`/internal/calls/${id}/${what}`, Buffer.from(`${NAME} `.repeat(100)), {
    'x-duration-ms': '3900',
  });

/** A call whose end is all out, with its recording. */
async function finished() {
  const made = await talked();
  await ask('POST', `/calls/${made.id}/whisper`, { text: `Call her ${NAME}.` });
  await hangUp(made.id);
  expect((await upload(made.id, 'recording')).status).toBe(204);
  expect((await upload(made.id, 'decision-log')).status).toBe(204);
  await settled(made.id);
  return made;
}

async function settled(id: string): Promise<void> {
  const due = { _id: id, $or: [{ post_call_due_at: { $ne: null } }, { publish_due_at: { $ne: null } }] };
  await eventually(async () => (await rows('calls').countDocuments(due as object)) === 0);
  const over = { tenant_id: tenantId, status: 'completed' } as object;
  await eventually(async () => (await rows('campaigns').countDocuments(over)) === 1);
}

/** Where in the store something of this tenant still names the person. */
async function traces(): Promise<string[]> {
  const found: string[] = [];
  for (const { name } of await plane.platform.store.db!.listCollections().toArray()) {
    for await (const row of rows(name).find({ tenant_id: tenantId } as object)) {
      const text = JSON.stringify(row);
      if (text.includes(NAME) || text.includes(PHONE)) found.push(`${name} ${text.slice(0, 300)}`);
    }
  }
  return found;
}

const counted = async () => ({
  // Its sums may be made meanwhile.
  usage: await rows('usage_records')
    .find({ tenant_id: tenantId } as object, { projection: { rollup_seq: 0 } })
    .toArray(),
  ledger: await rows('billing_ledger')
    .find({ tenant_id: tenantId } as object)
    .toArray(),
  overview: (await ask('GET', '/analytics/overview')).json,
  summary: (await ask('GET', '/billing/usage')).json,
});

describe('DELETE /calls/{call_id}', () => {
  it('erases all that names or quotes the person, and keeps what was counted', async () => {
    const { id, campaignId } = await finished();
    const before = (await ask('GET', `/calls/${id}/detail`)).json as CallDetailResponse;
    expect(before).toMatchObject({
      to_number: PHONE,
      erased_at: null,
      analysis: { outcome: 'goal_reached' },
    });
    await rows('calls').updateOne({ _id: id }, { $set: { fold_due_at: new Date(1) } });
    await run('event-folding');
    expect(await rows('call_events').countDocuments({ call_id: id } as object)).toBe(1);
    expect((await ask('GET', `/calls/${id}/detail`)).json).toEqual({
      ...before,
      recording_url: expect.any(String),
    });
    expect((await traces()).length).toBeGreaterThan(5);
    // In production it would have been charged.
    await rows('billing_ledger').insertOne({ _id: `call:${id}`, tenant_id: tenantId, seq: 1 } as never);
    const sums = await counted();
    expect(sums).toMatchObject({ usage: [{ _id: id }], ledger: [{ tenant_id: tenantId }] });
    const funnel = (await ask('GET', `/campaigns/${campaignId}/analytics`)).json;

    const answer = await erase(id);
    expect([answer.status, answer.json]).toEqual([
      200,
      { call_id: id, status: 'erased', erased_at: expect.any(String) },
    ]);

    expect(await traces()).toEqual([]);
    expect(await readdir(join(dataDir, 'recordings', tenantId))).toEqual([]);
    expect(await readdir(join(dataDir, 'decision-logs', tenantId))).toEqual([]);
    expect(await rows('calls').findOne({ _id: id })).toMatchObject({ agent_snapshot: '', handoffs: null });
    const after = (await ask('GET', `/calls/${id}/detail`)).json as CallDetailResponse;
    expect(after).toMatchObject({
      from_number: before.from_number,
      to_number: null,
      status: 'COMPLETED',
      outcome: 'goal_reached',
      duration_ms: before.duration_ms,
      cost: before.cost,
      recording_url: null,
      summary: null,
      metadata: {},
      transcript: [],
      tool_executions: [],
      analysis: null,
      erased_at: (answer.json as { erased_at: string }).erased_at,
    });
    expect(after.events.map(({ type }) => type)).toEqual([
      ...before.events.map(({ type }) => type).filter((type) => !type.startsWith('media.')),
      'call.erased',
    ]);
    expect(await counted()).toEqual(sums);
    expect((await ask('GET', `/campaigns/${campaignId}/analytics`)).json).toEqual(funnel);
    expect((await ask('GET', `/calls/${id}/recording`)).status).toBe(404);
    expect((await ask('GET', `/campaigns/${campaignId}/contacts`)).json).toMatchObject({
      contacts: [{ phone: null, first_name: null, contact_data: {}, status: 'completed' }],
    });
    expect((await ask('GET', `/campaigns/${campaignId}/extracted-data`)).json).toMatchObject({
      data: [{ call_id: id, phone: null, summary: null, extracted_data: null, outcome: 'goal_reached' }],
    });
    expect((await ask('GET', `/compliance/checks/${before.compliance_check_id}`)).json).toMatchObject({
      decision: 'allowed',
      to_number: null,
    });
  });

  it('is written into the audit log once, and answers the same the second time', async () => {
    const { id } = await finished();
    const first = await erase(id);
    const second = await erase(id);
    expect([second.status, second.json]).toEqual([200, first.json]);
    const log = (await ask('GET', `/calls/${id}/operator-actions`)).json as {
      operator_actions: { action: string; status: string; details: object }[];
    };
    expect(log.operator_actions).toMatchObject([
      { action: 'erase', status: 'carried_out', details: {} },
      { action: 'whisper', details: {} },
    ]);
  });

  it('refuses a live call, and says what to do', async () => {
    const { id } = await talked();
    const answer = await erase(id);
    expect([answer.status, answer.json]).toMatchObject([
      409,
      { code: 'call_active', detail: expect.stringContaining('hangup') },
    ]);
    expect((await ask('GET', `/calls/${id}`)).json).toMatchObject({ to_number: PHONE });
  });

  it("knows no other tenant's calls, and none of the other mode", async () => {
    const { id } = await finished();
    const other = await plane.newKey();
    const live = await plane.newKey({ sandbox: false });
    for (const stranger of [other.key, live.key]) {
      const answer = await plane.request('DELETE', `/api/v1/calls/${id}`, { key: stranger });
      expect([answer.status, answer.json]).toMatchObject([404, { code: 'call_not_found' }]);
    }
    expect((await erase(newId())).status).toBe(404);
    expect((await ask('GET', `/calls/${id}`)).json).toMatchObject({ to_number: PHONE });
  });

  it('shows nothing from the request on, and waits until the end is charged and published', async () => {
    const { id } = await talked();
    await hangUp(id);
    await eventually(async () => await rows('calls').findOne({ _id: id, status: 'COMPLETED' } as object));
    const answer = await erase(id);
    expect([answer.status, answer.json]).toEqual([202, { call_id: id, status: 'erasing', erased_at: null }]);
    expect((await ask('GET', `/calls/${id}/detail`)).json).toMatchObject({
      to_number: null,
      transcript: [],
      analysis: null,
      erased_at: null,
    });
    // The recording comes on its way to being erased: it is taken from the worker and not kept.
    expect((await upload(id, 'recording')).status).toBe(204);
    expect(existsSync(join(dataDir, 'recordings', tenantId))).toBe(false);
    // A step after the call may be under way, and note that there is more to do: the end comes once there is not.
    const over = {
      post_call_due_at: null,
      publish_due_at: null,
      [PENDING_STATUS]: null,
      erase_due_at: new Date(1),
    };
    const erasedAt = await eventually(async () => {
      await rows('calls').updateOne({ _id: id }, { $set: over });
      await sweep();
      return ((await ask('GET', `/calls/${id}`)).json as { erased_at: string | null }).erased_at;
    });
    expect(erasedAt).toEqual(expect.any(String));
    expect(await rows('call_events').countDocuments({ call_id: id } as object)).toBe(0);
  });

  it('goes on where it was cut short', async () => {
    const { id } = await finished();
    const { erasedCalls } = callsModule();
    const dies = new Erasure({
      calls: erasedCalls,
      eraseEvents: async () => {},
      steps: [() => Promise.reject(new Error('killed'))],
      clock: plane.platform.clock,
      log: silentLog,
    });
    await expect(dies.begin((await erasedCalls.find(id))!)).rejects.toThrow('killed');
    expect((await ask('GET', `/calls/${id}`)).json).toMatchObject({ to_number: null, erased_at: null });
    expect((await erase(id)).status).toBe(202);
    await sweep();
    expect(await traces()).toEqual([]);
    expect((await erase(id)).status).toBe(200);
  });

  it('answers 202 while the storage is away, and goes on by itself', async () => {
    const { id } = await finished();
    const place = join(dataDir, 'recordings', tenantId);
    await rename(place, `${place}.away`);
    await writeFile(place, 'no directory');
    const erasing = { call_id: id, status: 'erasing', erased_at: null };
    for (const answer of [await erase(id), await erase(id)]) {
      expect([answer.status, answer.json]).toEqual([202, erasing]);
    }
    expect((await ask('GET', `/calls/${id}`)).json).toMatchObject({ to_number: null, erased_at: null });
    await rm(place);
    await rename(`${place}.away`, place);
    await sweep();
    expect(await traces()).toEqual([]);
    expect(await readdir(place)).toEqual([]);
    expect((await erase(id)).status).toBe(200);
  });

  it('keeps nothing that comes late, and erases once more what came in between', async () => {
    const { id } = await finished();
    await erase(id);
    const late = worker.number(id, [agentMessage(2, `Goodbye, ${NAME}.`)]);
    expect((await worker.send(plane, late)).json).toMatchObject({ accepted: [{ call_id: id }] });
    expect((await upload(id, 'decision-log')).status).toBe(204);
    expect(await traces()).toEqual([]);

    await rows('call_events').insertOne({
      _id: `${id}:9`,
      call_id: id,
      tenant_id: tenantId,
      body: NAME,
    } as never);
    await rows('calls').updateOne({ _id: id }, { $set: { erase_due_at: new Date(1) } });
    await sweep();
    expect(await traces()).toEqual([]);
    expect(await rows('calls').findOne({ _id: id })).toMatchObject({ erase_due_at: null });
  });

  it('takes the bodies of its events along: none is sent or replayed any more', async () => {
    const { id } = await finished();
    const [webhook] = (await ask('GET', '/webhooks')).json as { id: string }[];
    const deliveries = () => ask('GET', `/webhooks/${webhook!.id}/deliveries`);
    const sent = await eventually(
      async () => (await deliveries()).json as { id: string; event_type: string }[],
      (all) => all.some(({ event_type: type }) => type === 'call.completed'),
    );
    const delivery = sent.find(({ event_type: type }) => type === 'call.completed');
    await erase(id);
    const subject = { subject: id } as object;
    expect(await rows('events').countDocuments(subject)).toBe(0);
    const answer = await ask('POST', `/webhooks/deliveries/${delivery!.id}/replay`);
    expect([answer.status, answer.json]).toMatchObject([404, { code: 'delivery_not_found' }]);
  });
});

describe('retention by the settings of a tenant', () => {
  const change = async (retention: object) => {
    const { key: live } = await plane.newKey({ tenant, sandbox: false });
    return plane.request('PATCH', '/api/v1/settings', { key: live, body: { retention } });
  };
  const detailOf = async (id: string) => (await ask('GET', `/calls/${id}/detail`)).json as CallDetailResponse;
  /** Makes the call as old, and lets the job look at the tenant. */
  const age = async (id: string, days: number) => {
    const createdAt = new Date(Date.now() - days * 86_400_000);
    await rows('calls').updateOne({ _id: id }, { $set: { created_at: createdAt } });
    await change({});
    await run('retention');
  };

  it('is for ever by default, and is changed in part', async () => {
    const never = { recordings_days: null, transcripts_days: null, calls_days: null };
    expect((await ask('GET', '/settings')).json).toEqual({ retention: never });
    expect((await change({ recordings_days: 30 })).json).toEqual({
      retention: { ...never, recordings_days: 30 },
    });
    const all = { recordings_days: null, transcripts_days: 60, calls_days: 90 };
    expect((await change(all)).json).toEqual({ retention: all });
    expect((await ask('GET', '/settings')).json).toEqual({ retention: all });
    expect((await change({ calls_days: 0 })).status).toBe(422);
    const sandbox = await ask('PATCH', '/settings', { retention: { calls_days: 1 } });
    expect([sandbox.status, sandbox.json]).toMatchObject([403, { code: 'live_mode_required' }]);
  });

  it('erases recording, words and call, each when its days are over, and nothing that is younger', async () => {
    const { id } = await finished();
    await change({ recordings_days: 1, transcripts_days: 2, calls_days: 3 });
    await run('retention');
    expect(await detailOf(id)).toMatchObject({ recording_url: expect.any(String) });

    await age(id, 1.5);
    const silent = await detailOf(id);
    expect(silent).toMatchObject({
      recording_url: null,
      summary: `${NAME} booked Tuesday.`,
      erased_at: null,
    });
    expect(silent.transcript).toHaveLength(2);
    expect(silent.events.map(({ type }) => type)).toContain('recording.erased');
    expect(await readdir(join(dataDir, 'recordings', tenantId))).toEqual([]);
    expect(await readdir(join(dataDir, 'decision-logs', tenantId))).toHaveLength(1);

    await age(id, 2.5);
    const wordless = await detailOf(id);
    expect(wordless).toMatchObject({
      transcript: [],
      to_number: PHONE,
      analysis: { outcome: 'goal_reached' },
    });
    expect(await rows('transcripts').countDocuments({ _id: id } as object)).toBe(0);
    expect(await readdir(join(dataDir, 'decision-logs', tenantId))).toEqual([]);

    await age(id, 3.5);
    expect(await detailOf(id)).toMatchObject({ to_number: null, erased_at: expect.any(String) });
    expect(await traces()).toEqual([]);
  });

  it('goes on behind the last call that it has erased, and stops before one that is live', async () => {
    const { id } = await talked();
    const copies = Array.from({ length: 120 }, (_, n) => ({
      _id: newId(),
      created_at: new Date(1_000_000 + (n % 3)),
    }));
    const row = (await rows('calls').findOne({ _id: id })) as unknown as object;
    const over = { status: 'COMPLETED', ended_at: new Date(), recording: { key: 'x' }, campaign_id: null };
    await rows('calls').insertMany(
      copies.map((copy) => ({ ...row, ...over, ...copy, carrier_call_id: copy._id })) as never,
    );
    const left = () => rows('calls').countDocuments({ tenant_id: tenantId, 'recording.key': 'x' } as object);
    const newest = { ...row, ...over, _id: newId(), carrier_call_id: null, created_at: new Date(3_000_000) };
    await rows('calls').insertOne(newest as never);
    await rows('calls').updateOne({ _id: id }, { $set: { created_at: new Date(2_000_000) } });
    await change({ recordings_days: 1 });
    await run('retention');
    expect(await left()).toBe(1);
    await rows('calls').updateOne({ _id: id }, { $set: { status: 'FAILED', ended_at: new Date() } });
    await change({});
    await run('retention');
    expect(await left()).toBe(0);
  });
});

describe('an archived call', () => {
  const DAY = '2001-02-03';
  const place = () => join(dataDir, 'archive', tenantId);
  const objects = () => readdir(join(place(), DAY)).catch(() => []);
  const callOf = async (id: string) => (await callsModule().erasedCalls.find(id))!;
  /** An answer without what is another each time: signed addresses, and the id of a request that is refused. */
  const stable = (text: string) =>
    text.replace(/\?expires=\d+&signature=\w+/g, '').replace(/"(?:expires_at|request_id)":"[^"]+"/g, '');

  /** A call that is old enough, and a fresh look at its tenant. */
  async function old() {
    const made = await finished();
    await rows('calls').updateOne(
      { _id: made.id },
      { $set: { created_at: new Date(`${DAY}T12:00:00Z`), fold_due_at: new Date(1) } },
    );
    await run('event-folding');
    await look();
    return made;
  }
  const look = () => rows('tenants').updateOne({ _id: tenantId }, { $unset: { archive_due_at: 1 } });

  /** The answers of all reading routes that can be asked with these ids. */
  async function answers(ids: Readonly<Record<string, string>>): Promise<Record<string, string>> {
    const paths = plane.modules
      .flatMap(({ routes = [] }) => routes)
      .filter(({ method, path }) => method === 'get' && path.startsWith('/api/v1/'))
      .map(({ path }) => path.replaceAll(/\{(\w+)\}/g, (whole, name: string) => ids[name] ?? whole))
      .filter((path) => !path.includes('{') && !path.endsWith('/listen'));
    const found: Record<string, string> = {};
    for (const path of paths) {
      const { status, text } = await plane.request('GET', path, { key });
      found[path] = `${status} ${stable(text)}`;
    }
    return found;
  }

  it('is answered as before by every reading route, and is erased with its object alone', async () => {
    const { id, campaignId } = await old();
    const call = (await ask('GET', `/calls/${id}`)).json as Record<string, string>;
    const ids = {
      call_id: id,
      campaign_id: campaignId,
      agent_id: call.agent_id!,
      check_id: call.compliance_check_id!,
    };
    const before = await answers(ids);
    const isIn = Object.keys(before).filter((path) => before[path]!.includes(NAME));
    expect(isIn).toEqual(
      expect.arrayContaining(['/api/v1/calls', `/api/v1/calls/${id}/detail`, `/api/v1/calls/${id}/live`]),
    );
    const sums = await counted();
    const detail = async () => stable((await ask('GET', `/calls/${id}/detail`)).text);
    const whole = await detail();

    // While nothing can be stored, nothing changes, and other tenants come first.
    await mkdir(join(dataDir, 'archive'), { recursive: true });
    await writeFile(place(), 'no directory');
    await expect(run('archive')).rejects.toMatchObject({ code: 'storage_unavailable' });
    expect(await callOf(id)).not.toHaveProperty('archived_at');
    expect(await detail()).toBe(whole);
    await rm(place());
    await run('archive');
    expect(await objects()).toEqual([]);

    await look();
    await run('archive');
    expect(await objects()).toEqual([expect.stringContaining(id)]);
    expect(await callOf(id)).toMatchObject({ archived_at: expect.any(Date), agent_snapshot: '' });

    await rename(place(), `${place()}.away`);
    const refused = await ask('GET', `/calls/${id}/detail`);
    expect([refused.status, refused.json]).toMatchObject([503, { code: 'storage_unavailable' }]);
    expect(refused.headers.get('retry-after')).toBe('5');
    expect((await ask('GET', `/calls/${id}`)).status).toBe(200);
    await rename(`${place()}.away`, place());

    expect(await answers(ids)).toEqual(before);
    expect(await counted()).toEqual(sums);
    const { key: other } = await plane.newKey();
    for (const path of [`/calls/${id}`, `/calls/${id}/detail`, `/calls/${id}/live`]) {
      expect((await plane.request('GET', `/api/v1${path}`, { key: other })).status).toBe(404);
    }

    await writeFile(join(place(), DAY, 'another'), '');
    expect(await erase(id)).toMatchObject({ status: 200, json: { status: 'erased' } });
    expect(await objects()).toEqual(['another']);
    expect(await traces()).toEqual([]);
    expect(await callOf(id)).toMatchObject({ archive_secret: null, archived_at: null });
    expect(await counted()).toEqual(sums);
    expect((await ask('GET', `/calls/${id}/detail`)).json).toMatchObject({ transcript: [], to_number: null });
    await look();
    await run('archive');
    expect(await objects()).toEqual(['another']);
  });
});
