import { SANDBOX_CALLER_ID } from '@voice/shared/contracts/test-numbers';
import { newId } from '@voice/shared/ids/ids';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TestControlPlane } from '../../testing/control-plane.js';
import { eventually } from '../../testing/eventually.js';
import { startTestInstallation } from '../../testing/installation.js';
import type { ScriptedCarrier } from '../../testing/scripted-carrier.js';
import type { ScriptedWorker } from '../../testing/scripted-worker.js';
import type { TestStore } from '../../testing/store.js';
import { callModel } from '../record/model.js';
import { ended, mediaStarted } from '../testing/events.js';
import { OperatorAudit } from './audit.js';
import { operatorActionModel } from './model.js';

interface Action {
  id: string;
  action: string;
  status: string;
  error_code: string | null;
  api_key_id: string;
  details: Record<string, unknown>;
}

let store: TestStore;
let carrier: ScriptedCarrier;
let plane: TestControlPlane;
let worker: ScriptedWorker;
let key: string;
let keyId: string;
let tenantId: string;
let agent: { id: string; nudge_presets: { id: string; text: string }[] };

beforeAll(async () => {
  const installation = await startTestInstallation({ capacity: 100 });
  ({ store, carrier, plane, worker } = installation);
  return installation.close;
});
beforeEach(async () => {
  ({ key, id: keyId, tenantId } = await plane.newKey());
  const made = await plane.request('POST', '/api/v1/agents', {
    key,
    body: {
      name: 'Ann',
      system_prompt: 'You call.',
      nudge_presets: [{ label: 'Slow down', text: 'Speak slower.' }],
    },
  });
  agent = made.json as typeof agent;
  await worker.heartbeat(plane);
});

const post = (path: string, body?: object, headers = {}) =>
  plane.request('POST', `/api/v1/calls/${path}`, { key, body: body ?? {}, headers });
const actionsOf = async (callId: string) =>
  (
    (await plane.request('GET', `/api/v1/calls/${callId}/operator-actions`, { key })).json as {
      operator_actions: Action[];
    }
  ).operator_actions;
const commandsOf = (callId: string) =>
  worker.commands.filter((sent) => sent.callId === callId).map(({ command }) => command.command);

async function queued(agentId = agent.id): Promise<string> {
  const dialed = await plane.request('POST', '/api/v1/calls', {
    key,
    body: { agent_id: agentId, from_number: SANDBOX_CALLER_ID, to_number: '+15005550006' },
  });
  expect(dialed.status, dialed.text).toBe(202);
  const { id } = dialed.json as { id: string };
  await eventually(() => carrier.callOf(id));
  return id;
}

async function live(agentId = agent.id): Promise<string> {
  const id = await queued(agentId);
  await worker.send(plane, worker.number(id, [mediaStarted(carrier.callOf(id)!.sid)]));
  return id;
}

/** A call that is answered and whose media have not started. */
async function answered(): Promise<string> {
  const id = await queued();
  const line = (await eventually(() => carrier.callOf(id)))!;
  await eventually(async () => (await callModel(plane.platform.store).findById(id))?.carrier_call_id);
  await carrier.report(line, 'in-progress');
  await eventually(
    async () => (await callModel(plane.platform.store).findById(id))?.status === 'IN_PROGRESS',
  );
  return id;
}

describe('whisper', () => {
  // @rule 4.10
  it("adds an operator's note to the agent's context, after an audit row is written", async () => {
    const id = await live();
    const answer = await post(`${id}/whisper`, { text: 'Offer a discount.' });
    expect(answer.status).toBe(202);
    const { action_id } = answer.json as { action_id: string };
    expect(answer.json).toEqual({ call_id: id, action_id, status: 'accepted' });
    expect(commandsOf(id)).toEqual([{ kind: 'whisper', text: 'Offer a discount.' }]);
    expect(await actionsOf(id)).toMatchObject([
      {
        id: action_id,
        action: 'whisper',
        api_key_id: keyId,
        details: { text: 'Offer a discount.' },
        status: 'carried_out',
        error_code: null,
      },
    ]);
  });

  it('with one Idempotency-Key is one note and one row', async () => {
    const id = await live();
    const headers = { 'idempotency-key': newId() };
    const [first, second] = [
      await post(`${id}/whisper`, { text: 'Once.' }, headers),
      await post(`${id}/whisper`, { text: 'Once.' }, headers),
    ];
    expect(second.text).toBe(first.text);
    expect(commandsOf(id)).toHaveLength(1);
    expect(await actionsOf(id)).toHaveLength(1);
  });

  it('to a call that is not live is 409 call_not_active, and no command leaves', async () => {
    const ringing = await queued();
    expect((await post(`${ringing}/whisper`, { text: 'x' })).json).toMatchObject({ code: 'call_not_active' });
    const over = await live();
    await worker.send(plane, worker.number(over, [ended('caller_hangup', 1000)]));
    const answer = await post(`${over}/whisper`, { text: 'x' });
    expect([answer.status, (answer.json as { code: string }).code]).toEqual([409, 'call_not_active']);
    expect(commandsOf(ringing).concat(commandsOf(over))).toEqual([]);
  });

  it('to a call that is answered and whose media have not started reaches its worker', async () => {
    const id = await answered();
    expect((await post(`${id}/whisper`, { text: 'Be brief.' })).status).toBe(202);
    expect(commandsOf(id)).toEqual([{ kind: 'whisper', text: 'Be brief.' }]);
    expect(await actionsOf(id)).toMatchObject([{ action: 'whisper', status: 'carried_out' }]);
  });

  it('to a call that its worker no longer holds is refused, and the row says so', async () => {
    const id = await live();
    worker.held.delete(id);
    expect((await post(`${id}/whisper`, { text: 'x' })).status).toBe(409);
    expect(await actionsOf(id)).toMatchObject([{ status: 'failed', error_code: 'call_not_active' }]);
  });

  it.each([{}, { text: '' }, { text: '   ' }, { text: 'x'.repeat(4001) }, { text: 'x', more: 1 }])(
    'refuses %j',
    async (body) => {
      const id = await live();
      expect((await post(`${id}/whisper`, body)).status).toBe(422);
      expect(await actionsOf(id)).toEqual([]);
    },
  );
});

describe('nudge', () => {
  // @rule 4.11
  it("enqueues a preset of the call's agent as a whisper", async () => {
    const id = await live();
    const preset = agent.nudge_presets[0]!;
    expect((await post(`${id}/nudge`, { preset_id: preset.id })).status).toBe(202);
    expect(commandsOf(id)).toEqual([{ kind: 'whisper', text: 'Speak slower.' }]);
    expect(await actionsOf(id)).toMatchObject([
      { action: 'nudge', details: { preset_id: preset.id, label: 'Slow down', text: 'Speak slower.' } },
    ]);
  });

  it('to a call that is answered and whose media have not started reaches its worker', async () => {
    const id = await answered();
    expect((await post(`${id}/nudge`, { preset_id: agent.nudge_presets[0]!.id })).status).toBe(202);
    expect(commandsOf(id)).toEqual([{ kind: 'whisper', text: 'Speak slower.' }]);
  });

  it('with a preset of another agent is 404', async () => {
    const id = await live();
    const answer = await post(`${id}/nudge`, { preset_id: newId() });
    expect([answer.status, (answer.json as { code: string }).code]).toEqual([404, 'nudge_preset_not_found']);
  });
});

describe('the audit log', () => {
  // @rule 4.12
  it('lists all actions of the call, newest first, hang-ups too', async () => {
    const id = await live();
    await post(`${id}/whisper`, { text: 'One.' });
    await post(`${id}/nudge`, { preset_id: agent.nudge_presets[0]!.id });
    expect((await post(`${id}/hangup`, { reason: 'enough' })).status).toBe(202);
    expect((await actionsOf(id)).map(({ action, status }) => [action, status])).toEqual([
      ['hangup', 'carried_out'],
      ['nudge', 'carried_out'],
      ['whisper', 'carried_out'],
    ]);
    expect((await actionsOf(id))[0]!.details).toEqual({ reason: 'enough' });
  });

  it('has nothing of a hang-up of a call that is over', async () => {
    const id = await live();
    await worker.send(plane, worker.number(id, [ended('caller_hangup', 1000)]));
    expect((await post(`${id}/hangup`)).json).toMatchObject({ status: 'already_ended' });
    expect(await actionsOf(id)).toEqual([]);
  });

  it("of a foreign tenant's call is 404, and so are its actions", async () => {
    const id = await live();
    const { key: foreign } = await plane.newKey();
    for (const [method, path, body] of [
      ['GET', 'operator-actions', undefined],
      ['POST', 'whisper', { text: 'x' }],
      ['POST', 'nudge', { preset_id: agent.nudge_presets[0]!.id }],
    ] as const) {
      const answer = await plane.request(method, `/api/v1/calls/${id}/${path}`, { key: foreign, body });
      expect([path, answer.status]).toEqual([path, 404]);
    }
    expect(commandsOf(id)).toEqual([]);
  });

  it('has the row before the command leaves; a crash in between loses neither and doubles nothing', async () => {
    const actions = operatorActionModel(await store.connect());
    const audit = new OperatorAudit(actions, plane.platform.clock);
    const id = newId();
    const asked = {
      id,
      callId: newId(),
      action: 'whisper',
      apiKeyId: keyId,
      actor: { type: 'api_key', id: keyId, name: 'test' },
      details: { text: 'x' },
    } as const;
    const tenant = tenantId as Parameters<OperatorAudit['run']>[0];

    // The process dies while the command is on its way: the row is all that is left.
    let seen: unknown;
    void audit.run(tenant, asked, async () => {
      seen = await actions.findOne({ _id: id }).lean();
      return new Promise(() => {});
    });
    await eventually(() => seen);
    expect(seen).toMatchObject({ status: 'requested', completed_at: null });

    // The client sends its request again.
    await audit.run(tenant, asked, async () => 'sent');
    expect(await actions.find({ call_id: asked.callId }).lean()).toMatchObject([
      { _id: id, status: 'carried_out' },
    ]);
  });
});

describe('pausing and resuming the recording', () => {
  it('sends the worker the command, after an audit row is written, and answers 202', async () => {
    const id = await live();
    const paused = await post(`${id}/recording/pause`);
    const resumed = await post(`${id}/recording/resume`);
    expect([paused.status, resumed.status]).toEqual([202, 202]);
    const { action_id } = paused.json as { action_id: string };
    expect(paused.json).toEqual({ call_id: id, action_id, status: 'accepted' });
    expect(commandsOf(id)).toEqual([{ kind: 'pause_recording' }, { kind: 'resume_recording' }]);
    expect(await actionsOf(id)).toMatchObject([
      {
        action: 'resume_recording',
        api_key_id: keyId,
        actor: { type: 'api_key', id: keyId, name: 'test' },
        status: 'carried_out',
      },
      { id: action_id, action: 'pause_recording', api_key_id: keyId, status: 'carried_out' },
    ]);
  });

  it('with one Idempotency-Key is one command and one row', async () => {
    const id = await live();
    const headers = { 'idempotency-key': `pause-${id}` };
    const [first, again] = [
      await post(`${id}/recording/pause`, {}, headers),
      await post(`${id}/recording/pause`, {}, headers),
    ];
    expect(again.text).toBe(first.text);
    expect(commandsOf(id)).toHaveLength(1);
    expect(await actionsOf(id)).toHaveLength(1);
  });

  it('of a call that is not live is 409 call_not_active; of a foreign one 404', async () => {
    const id = await queued();
    const answer = await post(`${id}/recording/pause`);
    expect([answer.status, (answer.json as { code: string }).code]).toEqual([409, 'call_not_active']);
    const { key: foreign } = await plane.newKey();
    const path = `/api/v1/calls/${id}/recording/resume`;
    expect((await plane.request('POST', path, { key: foreign, body: {} })).status).toBe(404);
  });

  it('of a call that is not recorded is 409 not_recorded, and no command', async () => {
    const body = { name: 'Bo', system_prompt: 'You call.', recording: { enabled: false } };
    const made = await plane.request('POST', '/api/v1/agents', { key, body });
    const id = await live((made.json as { id: string }).id);
    const answer = await post(`${id}/recording/pause`);
    expect([answer.status, (answer.json as { code: string }).code]).toEqual([409, 'not_recorded']);
    expect(commandsOf(id)).toEqual([]);
    expect(await actionsOf(id)).toEqual([]);
  });
});
