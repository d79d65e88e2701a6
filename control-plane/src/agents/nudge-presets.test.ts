import { newId } from '@voice/shared/ids/ids';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestControlPlane, type TestControlPlane } from '../testing/control-plane.js';
import { startTestStore, type TestStore } from '../testing/store.js';
import type { AgentResponse, NudgePresetsResponse } from './schemas.js';

let store: TestStore;
let plane: TestControlPlane;
let key: string;
let path: string;
let agentId: string;

beforeAll(async () => {
  store = await startTestStore();
  plane = await startTestControlPlane(store.uri);
});
beforeEach(async () => {
  ({ key } = await plane.newKey());
  const agent = await plane.request('POST', '/api/v1/agents', {
    key,
    body: {
      name: 'Ann',
      system_prompt: 'You call.',
      nudge_presets: [{ label: 'Price', text: 'Name the price.' }],
    },
  });
  agentId = (agent.json as AgentResponse).id;
  path = `/api/v1/agents/${agentId}/nudge-presets`;
});
afterAll(async () => {
  await plane?.close();
  await store?.close();
});

const put = (body: unknown, by = key) => plane.request('PUT', path, { key: by, body });
const get = async () => (await plane.request('GET', path, { key })).json as NudgePresetsResponse;

describe("an agent's nudge presets", () => {
  it('are those that the agent was made with', async () => {
    const agent = (await plane.request('GET', `/api/v1/agents/${agentId}`, { key })).json as AgentResponse;
    expect(await get()).toEqual({ agent_id: agentId, presets: agent.nudge_presets });
  });

  it('PUT replaces the whole list; entries without an id get one, the others keep theirs', async () => {
    const [kept] = (await get()).presets;
    const answer = await put({
      presets: [
        { label: 'Close', text: 'Ask for the order.' },
        { ...kept, text: 'Name the price once more.' },
      ],
    });
    expect(answer.status).toBe(200);
    const { presets } = answer.json as NudgePresetsResponse;
    expect(presets).toMatchObject([
      { label: 'Close', text: 'Ask for the order.' },
      { id: kept!.id, label: 'Price', text: 'Name the price once more.' },
    ]);
    expect(presets[0]!.id).not.toBe(kept!.id);
    expect(await get()).toEqual(answer.json);
    expect((await put({ presets: [] })).json).toEqual({ agent_id: agentId, presets: [] });
  });

  it('leaves the rest of the agent as it is', async () => {
    const before = (await plane.request('GET', `/api/v1/agents/${agentId}`, { key })).json as AgentResponse;
    await put({ presets: [] });
    const after = (await plane.request('GET', `/api/v1/agents/${agentId}`, { key })).json as AgentResponse;
    expect({ ...after, nudge_presets: null, updated_at: null }).toEqual({
      ...before,
      version: before.version + 1,
      nudge_presets: null,
      updated_at: null,
    });
  });

  it.each([
    ['no list', {}],
    ['an empty label', { presets: [{ label: '', text: 'x' }] }],
    ['no text', { presets: [{ label: 'x' }] }],
    ['an id that is none', { presets: [{ id: 'one', label: 'x', text: 'x' }] }],
    ['more than 50', { presets: Array.from({ length: 51 }, () => ({ label: 'x', text: 'x' })) }],
    [
      'an id twice',
      {
        presets: ['a', 'b'].map((label) => ({
          id: '0198f0c6-0001-7000-8000-000000000001',
          label,
          text: 'x',
        })),
      },
    ],
  ])('refuses %s and changes nothing', async (_, body) => {
    const before = await get();
    expect((await put(body)).status).toBe(422);
    expect(await get()).toEqual(before);
  });

  it("are not found by another tenant, nor an absent agent's", async () => {
    const { key: other } = await plane.newKey();
    for (const method of ['GET', 'PUT']) {
      const body = method === 'PUT' ? { presets: [] } : undefined;
      const foreign = await plane.request(method, path, { key: other, body });
      expect([foreign.status, foreign.json]).toMatchObject([404, { code: 'agent_not_found' }]);
      const absent = await plane.request(method, `/api/v1/agents/${newId()}/nudge-presets`, { key, body });
      expect(absent.status).toBe(404);
    }
    expect((await get()).presets).toHaveLength(1);
  });
});
