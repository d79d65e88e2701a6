import { SANDBOX_CALLER_ID } from '@voice/shared/contracts/test-numbers';
import { derivedId } from '@voice/shared/ids/ids';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { PENDING_SWITCH } from '../../agents/model.js';
import type { TestControlPlane } from '../../testing/control-plane.js';
import { eventually } from '../../testing/eventually.js';
import { createAgent, startTestInstallation } from '../../testing/installation.js';
import type { DialedCall, ScriptedCarrier } from '../../testing/scripted-carrier.js';
import type { ScriptedWorker } from '../../testing/scripted-worker.js';
import { WebhookReceiver } from '../../testing/webhook-receiver.js';
import { EVENT_TYPES, type EventType } from '../../webhooks/events/event-types.js';
import { ended, mediaStarted } from '../testing/events.js';
import { callModel } from './model.js';
import { PENDING_STATUS } from './pending-status.js';

const CALLEE = '+15005550006';

let carrier: ScriptedCarrier;
let plane: TestControlPlane;
let worker: ScriptedWorker;
let receiver: WebhookReceiver;
let key: string;
let tenantId: string;
let agentId: string;

beforeAll(async () => {
  const installation = await startTestInstallation({ env: { EGRESS_ALLOW: '127.0.0.0/8' } });
  ({ carrier, plane, worker } = installation);
  receiver = await WebhookReceiver.start();
  return installation.close;
});
afterAll(() => receiver?.close());
beforeEach(async () => {
  receiver.received.length = 0;
  worker.held.clear();
  ({ key, tenantId } = await plane.newKey());
  agentId = await createAgent(plane, key);
  await plane.request('POST', '/api/v1/webhooks', { key, body: { url: receiver.url() } });
  await worker.heartbeat(plane);
});

async function dialed(): Promise<{ id: string; line: DialedCall }> {
  const body = { agent_id: agentId, from_number: SANDBOX_CALLER_ID, to_number: CALLEE };
  const { json } = await plane.request('POST', '/api/v1/calls', { key, body });
  const { id } = json as { id: string };
  const line = (await eventually(() => carrier.callOf(id)))!;
  await eventually(async () => (await callModel(plane.platform.store).findById(id))?.carrier_call_id);
  return { id, line };
}

const base = (id: string) => ({
  call_id: id,
  agent_id: agentId,
  direction: 'outbound',
  from: SANDBOX_CALLER_ID,
  to: CALLEE,
});

/** The call's status events as received so far, by type; their data as the catalog describes it. */
const heard = () =>
  receiver.received
    .filter(({ event }) => /^call\./.test(event.event_type))
    .map(({ event }) => {
      EVENT_TYPES[event.event_type as EventType].data.parse(event.data);
      return event;
    });
const until = (...types: string[]) =>
  eventually(heard, (events) => types.every((type) => events.some((e) => e.event_type === type)));

describe('events of a call', () => {
  // @rule 6.14, 6.17
  it('call.started when it enters IN_PROGRESS; hang-up by the caller: call.hangup and call.completed', async () => {
    const { id, line } = await dialed();
    await carrier.report(line, 'ringing');
    expect(heard()).toEqual([]);
    await worker.send(plane, worker.number(id, [mediaStarted(line.sid)]));
    const [started] = await until('call.started');
    expect(started).toMatchObject({ tenant_id: tenantId, sandbox: true, data: base(id) });

    await worker.send(plane, worker.number(id, [ended('caller_hangup', 42_000)]));
    const events = await until('call.hangup', 'call.completed');
    const dataOf = (type: string) => events.find((event) => event.event_type === type)?.data;
    expect(dataOf('call.hangup')).toEqual({ ...base(id), end_reason: 'caller_hangup' });
    expect(dataOf('call.completed')).toEqual({
      ...base(id),
      status: 'COMPLETED',
      duration_ms: 42_000,
      outcome: null,
      recording_url: null,
      recording_url_expires_at: null,
      summary: null,
      cost_usd: 0,
    });
    expect(events).toHaveLength(3);
  });

  it('a call that ended by itself has no call.hangup', async () => {
    const { id, line } = await dialed();
    await worker.send(plane, worker.number(id, [mediaStarted(line.sid), ended('silence_timeout', 9000)]));
    const events = await until('call.started', 'call.completed');
    expect(events.map(({ event_type }) => event_type)).not.toContain('call.hangup');
  });

  // @rule 6.16
  it('call.failed when the pipeline ends in error, with code and message', async () => {
    const { id, line } = await dialed();
    const failure = {
      ...ended('provider_failed', 1000),
      error_code: 'llm_down',
      error_message: 'No answer.',
    };
    await worker.send(plane, worker.number(id, [mediaStarted(line.sid), failure as never]));
    const failed = (await until('call.failed')).find(({ event_type }) => event_type === 'call.failed');
    expect(failed?.data).toEqual({
      ...base(id),
      status: 'FAILED',
      error_code: 'llm_down',
      error_message: 'No answer.',
    });
  });

  it('reported twice, by worker and carrier, are published once', async () => {
    const { id, line } = await dialed();
    const batch = worker.number(id, [mediaStarted(line.sid), ended('agent_hangup', 5000)]);
    await Promise.all([carrier.report(line, 'in-progress'), worker.send(plane, batch)]);
    await Promise.all([worker.send(plane, batch), carrier.report(line, 'completed')]);
    const events = await until('call.started', 'call.hangup', 'call.completed');
    await eventually(
      async () => (await callModel(plane.platform.store).findById(id))?.[PENDING_STATUS] === null,
    );
    expect(events.map(({ event_type }) => event_type).sort()).toEqual([
      'call.completed',
      'call.hangup',
      'call.started',
    ]);
  });

  it.each([
    ['busy', 'BUSY', 'busy', 'The line was busy.'],
    ['no-answer', 'NO_ANSWER', 'no_answer', 'Nobody answered.'],
  ])('call.failed with its status when nobody is reached (%s)', async (said, status, code, message) => {
    const { id, line } = await dialed();
    await carrier.report(line, said);
    const events = await until('call.failed');
    expect(events.map(({ event_type, data }) => [event_type, data])).toEqual([
      ['call.failed', { ...base(id), status, error_code: code, error_message: message }],
    ]);
  });

  it('call.completed with its status at an answering machine', async () => {
    const { id, line } = await dialed();
    await worker.send(plane, worker.number(id, [mediaStarted(line.sid), ended('voicemail', 5000)]));
    const events = await until('call.completed');
    expect(events.map(({ event_type, data }) => [event_type, data.status])).toEqual([
      ['call.started', undefined],
      ['call.completed', 'VOICEMAIL'],
    ]);
  });

  it('that could not be published are published by the next sweep, with the same ids', async () => {
    const { id, line } = await dialed();
    const calls = callModel(plane.platform.store);
    const { collection } = plane.platform.store.models.Event!;
    const insert = vi.spyOn(collection, 'insertMany').mockRejectedValue(new Error('the store is away'));
    await worker.send(plane, worker.number(id, [mediaStarted(line.sid), ended('agent_hangup', 5000)]));
    await eventually(async () => (await calls.findById(id))?.status === 'COMPLETED');
    insert.mockRestore();
    const published = await until('call.started', 'call.hangup', 'call.completed');
    const names = ['status:IN_PROGRESS', 'webhook:call.hangup', 'status:COMPLETED'];
    expect(published.map((event) => event.event_id)).toEqual(
      expect.arrayContaining(names.map((name) => derivedId(id, name))),
    );
    await eventually(async () => {
      const call = await calls.findById(id);
      return call?.[PENDING_STATUS] === null && call.publish_due_at === null;
    });
  });
});

describe('events of an agent', () => {
  const switched = () => receiver.received.filter(({ event }) => event.event_type.startsWith('agent.'));
  const patch = (body: object, as = key) =>
    plane.request('PATCH', `/api/v1/agents/${agentId}`, { key: as, body });

  // @rule 6.25
  it('agent.deactivated and agent.activated when the kill switch is switched; not for other changes', async () => {
    await patch({ name: 'Anna' });
    await patch({ is_active: true });
    await patch({ is_active: false });
    await patch({ is_active: false });
    await eventually(() => switched().length === 1);
    await patch({ is_active: true });
    await eventually(() => switched().length === 2);
    await plane.request('DELETE', `/api/v1/agents/${agentId}`, { key });
    await eventually(() => switched().length === 3);
    expect(switched().map(({ event }) => [event.event_type, event.data])).toEqual([
      ['agent.deactivated', { agent_id: agentId }],
      ['agent.activated', { agent_id: agentId }],
      ['agent.deactivated', { agent_id: agentId }],
    ]);
  });

  it('switched by many at once, one switch is published', async () => {
    await Promise.all([1, 2, 3, 4].map(() => patch({ is_active: false })));
    await eventually(() => switched().length >= 1);
    const agents = plane.platform.store.collection<{ _id: string }>('agents');
    expect(await agents.findOne({ _id: agentId })).toMatchObject({
      [PENDING_SWITCH]: null,
      is_active: false,
    });
    expect(await plane.platform.store.collection('events').countDocuments({ tenant_id: tenantId })).toBe(1);
  });

  it('left pending by a crash is published by the next sweep', async () => {
    const agents = plane.platform.store.collection<{ _id: string }>('agents');
    const pending = { event_id: crypto.randomUUID(), is_active: false, sandbox: true, at: new Date() };
    await agents.updateOne({ _id: agentId }, { $set: { is_active: false, [PENDING_SWITCH]: pending } });
    await eventually(switched, (list) => list.length === 1);
    expect(switched()[0]!.event.event_id).toBe(pending.event_id);
  });
});
