import { expect } from 'vitest';
import { eventually } from '../../testing/eventually.js';
import { CALLEE } from '../scene.js';
import { type EndpointCall, type EndpointCalls, type Ground, idOf, namesId } from './ground.js';

const withCall = (id: string): EndpointCall => ({ ids: [id], check: namesId(id) });
/** A note to the agent, which its worker is given as a whisper. */
const commanding = (ground: Ground, id: string, body: object, text: string): EndpointCall => ({
  ids: [id],
  body,
  check: async () =>
    expect(ground.scene.worker.commands).toContainEqual({
      callId: id,
      command: expect.objectContaining({ command: { kind: 'whisper', text } }),
    }),
});

/** Agents, API keys and calls. */
export const CALLS: EndpointCalls = {
  'POST /agents': async (ground) => {
    const body = {
      name: 'Grace',
      pipeline_type: 'cascaded',
      system_prompt: 'You call.',
      first_message: 'Hello!',
      voice_config: { tts: { provider: 'local', model: '', params: {} } },
    };
    return {
      body,
      check: async ({ json }) => expect(await ground.get(`/agents/${idOf(json)}`)).toMatchObject(body),
    };
  },
  'GET /agents': async () => ({}),
  'GET /agents/{agent_id}': async ({ tenant }) => ({ ids: [tenant.agentId], check: namesId(tenant.agentId) }),
  'PATCH /agents/{agent_id}': async (ground) => ({
    ids: [await ground.agent()],
    body: { first_message: 'Good morning!' },
    check: async ({ json }) => expect(json).toMatchObject({ name: 'Ann', first_message: 'Good morning!' }),
  }),
  'DELETE /agents/{agent_id}': async (ground) => {
    const id = await ground.agent();
    return {
      ids: [id],
      check: async () => expect(await ground.get(`/agents/${id}`)).toMatchObject({ is_active: false }),
    };
  },
  'GET /agent-templates': async () => ({}),
  'GET /agents/{agent_id}/nudge-presets': async ({ tenant }) => ({ ids: [tenant.agentId] }),
  'PUT /agents/{agent_id}/nudge-presets': async (ground) => {
    const id = await ground.agent();
    const path = `/api/v1/agents/${id}/nudge-presets`;
    const before = { presets: [{ label: 'Slower', text: 'Speak more slowly.' }] };
    await ground.scene.json(ground.tenant.test, 'PUT', path, before);
    const presets = [{ label: 'Louder', text: 'Speak up.' }];
    return {
      ids: [id],
      body: { presets },
      check: async ({ json }) =>
        expect(json).toEqual({ agent_id: id, presets: [{ ...presets[0], id: expect.any(String) }] }),
    };
  },

  'GET /keys': async () => ({}),
  'POST /keys': async (ground) => ({
    by: 'live',
    body: { name: 'crm', sandbox: false },
    check: async ({ json }) =>
      expect(await ground.statusOf('/agents', (json as { key: string }).key)).toBe(200),
  }),
  'DELETE /keys/{key_id}': async (ground) => {
    const { id, key } = await ground.post<{ id: string; key: string }>('/keys', { name: 'short-lived' });
    return { ids: [id], check: async () => expect(await ground.statusOf('/agents', key)).toBe(401) };
  },

  'POST /calls': async ({ scene, tenant }) => ({
    body: scene.outbound(tenant),
    check: async ({ json }) => void (await eventually(() => scene.carrier.callOf(idOf(json)))),
  }),
  'GET /calls': async () => ({}),
  'GET /calls/{call_id}': async (ground) => withCall(await ground.liveCall()),
  'GET /calls/{call_id}/detail': async (ground) => withCall(await ground.recordedCall()),
  'GET /calls/{call_id}/recording': async (ground) => ({
    ids: [await ground.recordedCall()],
    check: async ({ json }) => {
      const recording = await fetch((json as { recording_url: string }).recording_url);
      expect([recording.status, recording.headers.get('content-type')]).toEqual([200, 'audio/mpeg']);
    },
  }),
  'POST /calls/{call_id}/transfer': async (ground) => {
    const id = await ground.liveCall();
    return {
      ids: [id],
      body: { destination: CALLEE },
      check: async () =>
        expect(await ground.get(`/calls/${id}`)).toMatchObject({ end_reason: 'transferred' }),
    };
  },
  'POST /calls/test': async ({ tenant }) => ({ body: { agent_id: tenant.agentId } }),
  'POST /calls/{call_id}/whisper': async (ground) =>
    commanding(ground, await ground.liveCall(), { text: 'Offer a discount.' }, 'Offer a discount.'),
  'POST /calls/{call_id}/nudge': async (ground) => {
    const path = `/api/v1/agents/${ground.tenant.agentId}/nudge-presets`;
    const { presets } = await ground.scene.json<{ presets: { id: string }[] }>(
      ground.tenant.test,
      'PUT',
      path,
      { presets: [{ label: 'Slower', text: 'Speak more slowly.' }] },
    );
    const id = await ground.liveCall();
    return commanding(ground, id, { preset_id: presets[0]!.id }, 'Speak more slowly.');
  },
  'POST /calls/{call_id}/hangup': async (ground) => ({ ids: [await ground.liveCall()], body: {} }),
  'GET /calls/{call_id}/operator-actions': async (ground) => {
    const id = await ground.liveCall();
    await ground.post(`/calls/${id}/whisper`, { text: 'Offer a discount.' });
    return {
      ids: [id],
      check: async ({ json }) =>
        expect(json).toMatchObject({ operator_actions: [{ call_id: id, action: 'whisper' }] }),
    };
  },
};
