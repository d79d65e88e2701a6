/** @replicas Leases of the steps after a call. */

import { SANDBOX_CALLER_ID } from '@voice/shared/contracts/test-numbers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type OpenAiEmulator, startOpenAiEmulator } from '../../../../loadtest/emulators/openai/server.js';
import type { TestControlPlane } from '../../testing/control-plane.js';
import { eventually } from '../../testing/eventually.js';
import { startTestInstallation } from '../../testing/installation.js';
import type { ScriptedCarrier } from '../../testing/scripted-carrier.js';
import type { ScriptedWorker } from '../../testing/scripted-worker.js';
import { eventModel } from '../../webhooks/events/model.js';
import { callModel } from '../record/model.js';
import type { CallDetailResponse, CallResponse } from '../record/schemas.js';
import { agentMessage, ended, mediaStarted } from '../testing/events.js';

let carrier: ScriptedCarrier;
let plane: TestControlPlane;
let worker: ScriptedWorker;
let openai: OpenAiEmulator;
let key: string;

beforeAll(async () => {
  openai = await startOpenAiEmulator({
    apiKeys: ['good'],
    script: [
      {
        forSchema: 'analysis',
        say: JSON.stringify({
          summary: 'Grace booked Tuesday.',
          outcome: 'goal_reached',
          outcome_score: 0.2,
          sentiment: 'positive',
          scorecard: { Greeting: { score: 1, reason: 'Yes.' }, Price: { score: 0.5, reason: 'Late.' } },
          extracted_data: { day: 'Tuesday', email: null },
        }),
      },
    ],
  });
  const installation = await startTestInstallation({
    env: { OPENAI_API_KEY: 'good', OPENAI_BASE_URL: openai.baseUrl },
  });
  ({ carrier, plane, worker } = installation);
  return installation.close;
});
afterAll(() => openai?.close());
beforeEach(async () => {
  worker.held.clear();
  Object.assign(openai.faults, { failNext: 0 });
  ({ key } = await plane.newKey());
  await worker.heartbeat(plane);
});

const ANALYSIS = {
  scorecard: [
    { name: 'Greeting', weight: 3 },
    { name: 'Price', weight: 1 },
  ],
  extraction_schema: {
    type: 'object',
    properties: { day: { type: 'string' }, email: { type: 'string' } },
    required: ['email'],
  },
};
const cloud = (provider = 'openai') => ({
  stt: { provider: 'local' },
  llm: { provider },
  tts: { provider: 'local' },
});

const callerMessage = (index: number, text: string) => {
  const { turn } = agentMessage(index, text) as Extract<ReturnType<typeof agentMessage>, { kind: 'turn' }>;
  return { kind: 'turn', turn: { ...turn, role: 'caller', confidence: 0.9 } } as const;
};

/** A call that was talked through; its last event is still to come. */
async function talked(agent: object = {}): Promise<string> {
  const id = await begun(agent);
  await worker.send(
    plane,
    worker.number(id, [agentMessage(0, 'Which day suits you?'), callerMessage(1, 'Tuesday, please.')]),
  );
  return id;
}
/** A call whose media has started. */
async function begun(agent: object = {}): Promise<string> {
  const made = await plane.request('POST', '/api/v1/agents', {
    key,
    body: { name: 'Ann', system_prompt: 'Book.', voice_config: cloud(), analysis: ANALYSIS, ...agent },
  });
  const answer = await plane.request('POST', '/api/v1/calls', {
    key,
    body: {
      agent_id: (made.json as { id: string }).id,
      from_number: SANDBOX_CALLER_ID,
      to_number: '+15005550006',
    },
  });
  const { id } = answer.json as { id: string };
  const line = (await eventually(() => carrier.callOf(id)))!;
  await eventually(async () => (await call(id)).carrier_call_id);
  await worker.send(plane, worker.number(id, [mediaStarted(line.sid)]));
  return id;
}
const end = (id: string, hasRecording = false) =>
  worker.send(
    plane,
    worker.number(id, [{ ...ended('caller_hangup', 4000), has_recording: hasRecording } as never]),
  );
async function upload(id: string): Promise<number> {
  const path = `/internal/calls/${id}/recording`;
  const response = await plane.upload(path, new Uint8Array(1000), { 'x-duration-ms': '3900' });
  return response.status;
}
const call = async (id: string) =>
  (await plane.request('GET', `/api/v1/calls/${id}`, { key })).json as CallResponse;
const detail = async (id: string) =>
  (await plane.request('GET', `/api/v1/calls/${id}/detail`, { key })).json as CallDetailResponse;
const analysed = (id: string) =>
  eventually(
    () => detail(id),
    ({ events }) => events.some(({ type }) => type.startsWith('analysis.')),
  );

/** The bodies of the events of a call, in the order they were published. */
async function publishedOf(id: string): Promise<{ event_type: string; data: Record<string, unknown> }[]> {
  const { store: connection } = plane.platform;
  const model = (connection.models.Event ?? eventModel(connection)) as ReturnType<typeof eventModel>;
  const rows = await model.find({}).sort({ created_at: 1, rank: 1 }).lean<{ body: string }[]>();
  return rows.map(({ body }) => JSON.parse(body)).filter(({ data }) => data.call_id === id);
}

/** Waits until nothing is left to be done or published of a call. */
async function settled(id: string): Promise<void> {
  const calls = callModel(plane.testStore());
  const due = { _id: id, $or: [{ post_call_due_at: { $ne: null } }, { publish_due_at: { $ne: null } }] };
  await eventually(async () => (await calls.countDocuments(due)) === 0);
}

describe('after a call that was talked through', () => {
  // @rule 1.11, 6.19
  it('publishes call.completed, transcript.ready, recording.ready, analysis.ready, in this order, once', async () => {
    const id = await talked();
    await end(id, true);
    await analysed(id);
    // Outcome and summary are there; the recording that was announced is waited for.
    expect((await publishedOf(id)).map(({ event_type }) => event_type)).toEqual([
      'call.started',
      'call.hangup',
    ]);
    expect([await upload(id), await upload(id)]).toEqual([204, 204]);
    await analysed(id);
    await eventually(async () =>
      (await publishedOf(id)).some(({ event_type }) => event_type === 'analysis.ready'),
    );
    const events = await publishedOf(id);
    expect(events.map(({ event_type }) => event_type)).toEqual([
      'call.started',
      'call.hangup',
      'call.completed',
      'transcript.ready',
      'recording.ready',
      'analysis.ready',
    ]);
    const address = {
      recording_url: expect.stringContaining(id),
      recording_url_expires_at: expect.stringMatching(/^20.*Z$/),
    };
    expect(events[2]!.data).toMatchObject({
      status: 'COMPLETED',
      outcome: 'goal_reached',
      summary: 'Grace booked Tuesday.',
      cost_usd: 0,
      ...address,
    });
    for (const { data } of events.slice(2, 5).filter(({ data }) => data.recording_url)) {
      const opened = await fetch(String(data.recording_url));
      expect([opened.status, (await opened.arrayBuffer()).byteLength]).toEqual([200, 1000]);
      const lifeMs = Date.parse(String(data.recording_url_expires_at)) - Date.now();
      expect(lifeMs).toBeGreaterThan(10 * 60_000);
      expect(lifeMs).toBeLessThanOrEqual(15 * 60_000);
    }
    expect(events[3]!.data).toMatchObject({ turns_count: 2, transcript_url: expect.stringContaining(id) });
    expect(events[4]!.data).toMatchObject({ duration_ms: 3900, ...address });
    expect(events[5]!.data).toMatchObject({
      status: 'complete',
      outcome: 'goal_reached',
      summary: 'Grace booked Tuesday.',
      scorecard: { Greeting: { score: 1 } },
      tool_executions: [],
    });
  });

  // @rule 1.11
  it('stores the analysis by scorecard and extraction schema, and gives the call outcome and summary', async () => {
    const id = await talked();
    await end(id);
    const { analysis } = await analysed(id);
    expect(analysis).toEqual({
      status: 'complete',
      outcome: 'goal_reached',
      // (3 × 1 + 1 × 0.5) / 4
      outcome_score: 0.875,
      summary: 'Grace booked Tuesday.',
      sentiment: 'positive',
      scorecard: { Greeting: { score: 1, reason: 'Yes.' }, Price: { score: 0.5, reason: 'Late.' } },
      extracted_data: { day: 'Tuesday', email: null },
      error_code: null,
      error_message: null,
    });
    expect(await call(id)).toMatchObject({ outcome: 'goal_reached', summary: 'Grace booked Tuesday.' });
    const asked = openai.requests.at(-1)!;
    expect(asked.messages.at(-1)?.content).toContain('agent: Which day suits you?\ncaller: Tuesday, please.');
  });

  it('shows a failed analysis as failed, and invents nothing', async () => {
    const id = await talked({
      analysis: { extraction_schema: { type: 'object', properties: { day: { type: 'integer' } } } },
    });
    await end(id);
    const { analysis, events } = await analysed(id);
    expect(analysis).toMatchObject({
      status: 'failed',
      error_code: 'language_model_invalid_answer',
      outcome: null,
      summary: null,
      extracted_data: null,
    });
    expect(events.some(({ type }) => type === 'analysis.failed')).toBe(true);
    expect(await call(id)).toMatchObject({ outcome: null, summary: null });
    expect((await publishedOf(id)).some(({ event_type }) => event_type === 'analysis.ready')).toBe(false);
  });

  it('asks no model by a schema that is not supported any more: the analysis fails, and the rest goes on', async () => {
    const before = openai.requests.length;
    const id = await talked();
    const properties = { a: { type: 'array', items: [{ type: 'string', pattern: '^(a+)+$' }] } };
    const settings = { enabled: true, scorecard: [], extraction_schema: { type: 'object', properties } };
    await callModel(plane.testStore()).updateOne(
      { _id: id },
      { $set: { analysis_settings: JSON.stringify(settings) } },
    );
    await end(id);
    const { analysis } = await analysed(id);
    expect(analysis).toMatchObject({
      status: 'failed',
      error_code: 'extraction_schema_unusable',
      error_message: expect.stringContaining('properties.a.items must be one schema for all items'),
    });
    expect(openai.requests.length).toBe(before);
    await eventually(async () => (await call(id)).cost);
  });

  it('tries again when the model is away for a while', async () => {
    Object.assign(openai.faults, { failNext: 1, failStatus: 503 });
    const id = await talked();
    await end(id);
    const { analysis } = await analysed(id);
    expect(analysis?.status).toBe('complete');
  });

  it('analyses without a key by the local rules', async () => {
    const id = await talked({ voice_config: cloud('local') });
    await end(id);
    const { analysis } = await analysed(id);
    expect(analysis).toMatchObject({ status: 'complete', extracted_data: { day: 'Tuesday', email: null } });
  });

  it('asks no model where the agent switched the analysis off, or nothing was said', async () => {
    const before = openai.requests.length;
    const id = await talked({ analysis: { enabled: false } });
    await end(id);
    expect((await analysed(id)).analysis).toMatchObject({
      status: 'skipped',
      error_code: 'analysis_disabled',
    });
    expect(openai.requests.length).toBe(before);
  });

  it('publishes analysis.ready as skipped for a call that ended before a word', async () => {
    const id = await begun();
    await end(id);
    const ready = await eventually(async () =>
      (await publishedOf(id)).find(({ event_type }) => event_type === 'analysis.ready'),
    );
    expect(ready!.data).toMatchObject({ status: 'skipped', outcome: null, summary: null, scorecard: null });
    expect((await publishedOf(id)).map(({ event_type }) => event_type)).toContain('transcript.ready');
  });
});

describe('a replica that dies between the steps', () => {
  it('leaves the rest to the sweep of another, and nothing is published twice', async () => {
    const id = await talked();
    await end(id);
    await settled(id);
    const events = await publishedOf(id);
    // As a replica would leave it that died with its lease after the first step.
    await callModel(plane.testStore()).updateOne(
      { _id: id },
      {
        $set: {
          post_call_due_at: new Date(Date.now() - 1000),
          post_call_done: ['spool'],
          published: [],
          publish_due_at: new Date(Date.now() - 1000),
          post_call_lease_owner: 'the dead',
          post_call_lease_until: new Date(Date.now() - 1),
        },
      },
    );
    await settled(id);
    expect(await publishedOf(id)).toEqual(events);
  });
});

describe('a call that nobody answered', () => {
  it('has no transcript and no analysis', async () => {
    const made = await plane.request('POST', '/api/v1/agents', {
      key,
      body: { name: 'A', system_prompt: 'x' },
    });
    const answer = await plane.request('POST', '/api/v1/calls', {
      key,
      body: {
        agent_id: (made.json as { id: string }).id,
        from_number: SANDBOX_CALLER_ID,
        to_number: '+15005550006',
      },
    });
    const { id } = answer.json as { id: string };
    const line = (await eventually(() => carrier.callOf(id)))!;
    await eventually(async () => (await call(id)).carrier_call_id);
    await carrier.report(line, 'busy');
    await eventually(
      () => call(id),
      ({ status }) => status === 'BUSY',
    );
    await settled(id);
    expect((await detail(id)).analysis).toBeNull();
    expect((await publishedOf(id)).map(({ event_type }) => event_type)).toEqual(['call.failed']);
  });
});
