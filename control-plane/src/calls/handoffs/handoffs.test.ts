import type { HandoffReply } from '@voice/shared/contracts/handoff';
import { SANDBOX_CALLER_ID } from '@voice/shared/contracts/test-numbers';
import { newId } from '@voice/shared/ids/ids';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TestControlPlane } from '../../testing/control-plane.js';
import { eventually } from '../../testing/eventually.js';
import { startTestInstallation } from '../../testing/installation.js';
import type { ScriptedCarrier } from '../../testing/scripted-carrier.js';
import type { ScriptedWorker } from '../../testing/scripted-worker.js';
import { eventModel } from '../../webhooks/events/model.js';
import type { CallDetailResponse } from '../record/schemas.js';
import { agentMessage, ended, mediaStarted } from '../testing/events.js';

let carrier: ScriptedCarrier;
let plane: TestControlPlane;
let worker: ScriptedWorker;
let key: string;

beforeAll(async () => {
  const installation = await startTestInstallation({ env: { OPENAI_API_KEY: 'platform' }, capacity: 100 });
  ({ carrier, plane, worker } = installation);
  return installation.close;
});
beforeEach(async () => {
  ({ key } = await plane.newKey());
  await worker.heartbeat(plane);
});

async function save(settings: object, by = key, id?: string) {
  const body = id ? settings : { name: 'Ann', system_prompt: 'You answer.', ...settings };
  const path = id ? `/api/v1/agents/${id}` : '/api/v1/agents';
  return plane.request(id ? 'PATCH' : 'POST', path, { key: by, body });
}
async function newAgent(settings: object, by = key): Promise<string> {
  const answer = await save(settings, by);
  expect(answer.status, answer.text).toBe(201);
  return (answer.json as { id: string }).id;
}
const handsTo = (...ids: string[]) => ({
  tools: [
    {
      type: 'transfer_to_agent',
      agents: ids.map((agent_id, i) => ({ agent_id, name: `agent ${i}` })),
    },
  ],
});

/** A call that the agent holds, with its variables: a test session, which needs no carrier. */
async function callOf(agentId: string, by = key, variables: object = {}): Promise<string> {
  const path = `/api/v1/agents/${agentId}/test/websocket`;
  const made = await plane.request('POST', path, { key: by, body: { variables } });
  expect(made.status, made.text).toBe(201);
  return (made.json as { session_id: string }).session_id;
}

async function ask(callId: string, from: string, to: string, more: object = {}): Promise<HandoffReply> {
  const answer = await plane.internal('POST', '/internal/calls/handoff', {
    call_id: callId,
    tool_call_id: `t-${newId()}`,
    from_agent_id: from,
    agent_id: to,
    reason: '',
    summary: '',
    ...more,
  });
  expect(answer.status, answer.text).toBe(200);
  return answer.json as HandoffReply;
}
const agentIn = (reply: HandoffReply) => (reply.ok ? reply.agent : expect.fail(reply.reason));
const refusalIn = (reply: HandoffReply) => (reply.ok ? expect.fail('it was granted') : reply.reason);

describe('a call handed to another agent', () => {
  it("gets the other agent with the call's variables and its providers' keys; what was begun stays", async () => {
    const billing = await newAgent({
      name: 'Billing',
      system_prompt: 'You help {{name}}.',
      first_message: 'Hello, this is billing.',
      recording: { enabled: true },
      max_duration_seconds: 900,
      voice_config: { stt: { provider: 'local' }, llm: { provider: 'openai' }, tts: { provider: 'local' } },
    });
    const desk = await newAgent({
      recording: { enabled: false },
      max_duration_seconds: 120,
      voicemail: { action: 'leave_message', message: 'Call us.' },
      ...handsTo(billing),
    });
    const call = await callOf(desk, key, { name: 'Ada' });
    const reply = await ask(call, desk, billing);
    expect(agentIn(reply)).toMatchObject({
      id: billing,
      name: 'Billing',
      system_prompt: 'You help Ada.',
      first_message: '',
      max_duration_seconds: 120,
      voicemail: { message: 'Call us.' },
      recording: { enabled: false },
    });
    expect(reply).toMatchObject({ credentials: { openai: { api_key: expect.any(String) } } });
  });

  it('is the same handoff when it is asked for again, whatever became of the agent', async () => {
    const billing = await newAgent({ name: 'Billing' });
    const desk = await newAgent(handsTo(billing));
    const call = await callOf(desk);
    const again = { tool_call_id: 't1' };
    expect(agentIn(await ask(call, desk, billing, again)).name).toBe('Billing');
    await save({ name: 'Renamed' }, key, billing);
    expect(agentIn(await ask(call, desk, billing, again)).name).toBe('Billing');
    expect(refusalIn(await ask(call, desk, billing))).toMatch(/has had the caller before/);
  });

  it('is granted once where two ask at the same time for the same reason', async () => {
    const billing = await newAgent({ name: 'Billing' });
    const desk = await newAgent(handsTo(billing));
    const call = await callOf(desk);
    const replies = await Promise.all(
      [1, 2, 3].map(() => ask(call, desk, billing, { reason: 'an invoice' })),
    );
    expect(replies.filter(({ ok }) => ok)).toHaveLength(1);
  });

  it('goes to and fro for new reasons alone, and five times in all', async () => {
    const [a, b] = [await newAgent({ name: 'A' }), await newAgent({ name: 'B' })];
    await save(handsTo(b), key, a);
    await save(handsTo(a), key, b);
    const call = await callOf(a);
    const hand = (from: string, to: string, reason: string) => ask(call, from, to, { reason });
    agentIn(await hand(a, b, 'an invoice'));
    expect(refusalIn(await hand(b, a, 'An invoice.'))).toMatch(/reason that is new/);
    agentIn(await hand(b, a, 'an order'));
    agentIn(await hand(a, b, 'a refund'));
    agentIn(await hand(b, a, 'an address'));
    agentIn(await hand(a, b, 'a name'));
    expect(refusalIn(await hand(b, a, 'a phone'))).toMatch(/5 times/);
  });

  // @rule 2.5
  it('is never handed to an agent of another tenant, nor to one that the agent does not name', async () => {
    const { key: foreign } = await plane.newKey({ tenant: `other ${newId()}` });
    const theirs = await newAgent({ name: 'Theirs' }, foreign);
    const [own, unnamed] = [await newAgent({}), await newAgent({})];
    const desk = await newAgent(handsTo(own));
    const refused = await save(handsTo(own, theirs), key, desk);
    expect(refused.json).toMatchObject({
      detail: [{ loc: ['body', 'tools', 0, 'agents', 1, 'agent_id'], msg: 'there is no such agent' }],
    });
    expect((await save(handsTo(theirs))).status).toBe(422);
    const call = await callOf(desk);
    for (const other of [theirs, unnamed, newId()]) {
      expect(refusalIn(await ask(call, desk, other))).toBe('There is no such agent.');
      expect(refusalIn(await ask(call, other, own))).toBe('There is no such agent.');
    }
    // A tenant's agents are those of both modes; the call keeps its own.
    const theirCall = await callOf(theirs, foreign);
    expect(refusalIn(await ask(theirCall, theirs, own))).toBe('There is no such agent.');
  });

  it('stays where it is when the other agent is switched off or cannot speak here', async () => {
    const off = await newAgent({ name: 'Off', is_active: false });
    const mute = await newAgent({
      name: 'Mute',
      voice_config: {
        stt: { provider: 'local' },
        llm: { provider: 'local' },
        tts: { provider: 'elevenlabs' },
      },
    });
    const desk = await newAgent(handsTo(off, mute));
    const call = await callOf(desk);
    expect(refusalIn(await ask(call, desk, off))).toBe(
      'Off is switched off. Go on with the caller yourself.',
    );
    expect(refusalIn(await ask(call, desk, mute))).toMatch(
      /^This agent cannot speak here: The tts provider 'elevenlabs' .+ELEVENLABS_API_KEY/,
    );
    // Neither counts.
    await save({ is_active: true }, key, off);
    expect((await ask(call, desk, off)).ok).toBe(true);
  });

  it('is refused for a call that is over or was never there', async () => {
    const body = { tool_call_id: 't', from_agent_id: newId(), agent_id: newId(), reason: '', summary: '' };
    const answer = await plane.internal('POST', '/internal/calls/handoff', { call_id: newId(), ...body });
    expect([answer.status, (answer.json as { code: string }).code]).toEqual([404, 'call_not_found']);
  });

  it('shows who spoke from when on: in detail, timeline, and the events that follow', async () => {
    const billing = await newAgent({ name: 'Billing', analysis: { enabled: false } });
    const desk = await newAgent({ ...handsTo(billing), analysis: { enabled: false } });
    const made = await plane.request('POST', '/api/v1/calls', {
      key,
      body: { agent_id: desk, from_number: SANDBOX_CALLER_ID, to_number: '+15005550006' },
    });
    const { id } = made.json as { id: string };
    const line = (await eventually(() => carrier.callOf(id)))!;
    await worker.send(plane, worker.number(id, [mediaStarted(line.sid), agentMessage(0, 'I connect you.')]));
    const before = (await detailOf(id)).agents;
    const handoff = {
      kind: 'agent_handoff',
      tool_call_id: 't',
      from_agent_id: desk,
      agent_id: billing,
      agent_name: 'Billing',
      reason: 'an invoice',
      summary: 'Invoice 7.',
      at_ms: 950,
    } as const;
    const events = worker.number(id, [handoff, agentMessage(1, 'Billing here.')]);
    await worker.send(plane, events);
    await worker.send(plane, events);
    await worker.send(plane, worker.number(id, [ended('agent_hangup', 4000)]));

    const speakers = [
      { agent_id: desk, from_ms: 0 },
      { agent_id: billing, from_ms: 950 },
    ];
    const call = await detailOf(id);
    expect([before, call.agents, call.agent_id]).toEqual([speakers.slice(0, 1), speakers, desk]);
    expect(call.transcript.map(({ agent_id }) => agent_id)).toEqual([desk, billing]);
    expect(call.events.filter(({ type }) => type === 'agent.handoff')).toMatchObject([
      {
        data: {
          agent_id: billing,
          agent_name: 'Billing',
          reason: 'an invoice',
          summary: 'Invoice 7.',
          at_ms: 950,
        },
      },
    ]);
    const published = await eventually(
      () => publishedOf(id),
      (found) => found.some(({ event_type }) => event_type === 'transcript.ready'),
    );
    const agentsIn = Object.fromEntries(published.map(({ event_type, data }) => [event_type, data.agents]));
    expect(agentsIn).toMatchObject({
      'call.started': undefined,
      'call.completed': speakers,
      'transcript.ready': speakers,
    });
  }, 60_000);
});

const detailOf = async (id: string) =>
  (await plane.request('GET', `/api/v1/calls/${id}/detail`, { key })).json as CallDetailResponse;

/** The bodies of the events of a call, in the order they were published. */
async function publishedOf(id: string): Promise<{ event_type: string; data: Record<string, unknown> }[]> {
  const { store } = plane.platform;
  const model = (store.models.Event ?? eventModel(store)) as ReturnType<typeof eventModel>;
  const rows = await model.find({}).sort({ created_at: 1, _id: 1 }).lean<{ body: string }[]>();
  return rows.map(({ body }) => JSON.parse(body)).filter(({ data }) => data.call_id === id);
}
