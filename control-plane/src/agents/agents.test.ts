import { asTenantId, newId } from '@voice/shared/ids/ids';
import { describe, expect, it } from 'vitest';
import { agentModel } from './model.js';
import type { AgentListResponse, AgentResponse } from './schemas.js';
import { AgentsScene, MINIMAL } from './testing/agents-scene.js';

const scene = new AgentsScene();

describe('an agent that was saved under other rules', () => {
  /** As if it had been saved before there was a rule, and a setting. */
  async function savedBefore(change: (definition: Record<string, unknown>) => void): Promise<string> {
    const { id } = await scene.create();
    const rows = agentModel(await scene.store.connect());
    const definition = JSON.parse((await rows.findById(id).orFail().lean()).definition);
    change(definition);
    await rows.updateOne({ _id: id }, { $set: { definition: JSON.stringify(definition) } });
    return id;
  }

  it('stays readable, listed and ready for calls, and gets the defaults of what is new', async () => {
    const id = await savedBefore((definition) => {
      definition.name = 'x'.repeat(300);
      definition.analysis = { enabled: true, extraction_schema: { type: 'nope' } };
      definition.tools = [{ type: 'http', name: 'look_up', url: 'https://example.com' }];
      delete definition.recording;
    });
    // The service itself: over HTTP, tests hold answers against the rules, too.
    const tenant = asTenantId(scene.tenantId);
    expect(await scene.service().get(tenant, id)).toMatchObject({
      analysis: { extraction_schema: { type: 'nope' }, scorecard: [] },
      tools: [{ type: 'http', method: 'POST', timeout_ms: 10_000 }],
      recording: { enabled: true, announce: false },
    });
    const { agents } = await scene.service().list(tenant, { offset: 0, limit: 50, active_only: true });
    expect(agents.map((agent) => agent.id)).toEqual([id]);
    expect((await scene.service().snapshot(tenant, id)).isActive).toBe(true);
  });

  it('is checked when it is changed, and can be switched off as it is', async () => {
    const id = await savedBefore((definition) => {
      definition.max_duration_seconds = 5;
    });
    expect((await scene.patch(id, { name: 'New' })).json).toMatchObject({
      detail: [{ loc: ['body', 'max_duration_seconds'] }],
    });
    expect((await scene.patch(id, { max_duration_seconds: 60 })).status).toBe(200);
    expect((await scene.request('DELETE', `/api/v1/agents/${id}`)).status).toBe(204);
  });

  it('with schemas that are not supported any more can be changed in everything else', async () => {
    const unsupported = { type: 'object', properties: { a: { items: [{ pattern: '^(a+)+$' }] } } };
    const id = await savedBefore((definition) => {
      definition.analysis = { extraction_schema: unsupported };
      definition.tools = [{ type: 'http', name: 'look', url: 'https://a.example', parameters: unsupported }];
    });
    const changed = await scene.patch(id, { name: 'New', analysis: { enabled: false } });
    expect([changed.status, changed.json]).toMatchObject([
      200,
      { name: 'New', analysis: { enabled: false, extraction_schema: unsupported } },
    ]);
    expect((await scene.patch(id, { analysis: { extraction_schema: unsupported } })).status).toBe(422);
  });
});

describe('changing an agent', () => {
  it('changes only what is given', async () => {
    const before = await scene.create({ first_message: 'Hi!', metadata: { a: 1 } });
    const answer = await scene.patch(before.id, { name: 'Concierge' });
    expect(answer.status).toBe(200);
    const after = answer.json as AgentResponse;
    expect(after).toEqual({ ...before, name: 'Concierge', version: 2, updated_at: after.updated_at });
  });

  it('merges settings objects and replaces lists and maps', async () => {
    const before = await scene.create({
      turn_taking: { barge_in_min_words: 3, fillers: ['a', 'b'] },
      metadata: { a: 1 },
      calling_hours: { sunday: null },
      voice_config: { tts: { provider: 'elevenlabs', params: { voice_id: 'v' } } },
    });
    const after = (
      await scene.patch(before.id, {
        turn_taking: { min_endpointing_ms: 300, fillers: [] },
        metadata: { b: 2 },
        calling_hours: { timezone: 'Europe/Berlin' },
        voice_config: { llm: { provider: 'openai' } },
      })
    ).json as AgentResponse;
    expect(after.turn_taking).toEqual({ ...before.turn_taking, min_endpointing_ms: 300, fillers: [] });
    expect(after.metadata).toEqual({ b: 2 });
    expect(after.calling_hours).toEqual({ ...before.calling_hours, timezone: 'Europe/Berlin' });
    expect(after.calling_hours.sunday).toBeNull();
    expect(after.voice_config).toEqual({
      ...before.voice_config,
      llm: { provider: 'openai', model: '', params: {} },
    });
  });

  it('checks the change against what is already there', async () => {
    const agent = await scene.create({ turn_taking: { vad_on: 0.4 } });
    const answer = await scene.patch(agent.id, { turn_taking: { vad_off: 0.45 } });
    expect(answer.status).toBe(422);
    expect(answer.json).toMatchObject({ detail: [{ loc: ['body', 'turn_taking', 'vad_off'] }] });
  });

  it('given many changes of different fields at once, keeps them all', async () => {
    const agent = await scene.create();
    const answers = await Promise.all([
      scene.patch(agent.id, { name: 'n' }),
      scene.patch(agent.id, { first_message: 'f' }),
      scene.patch(agent.id, { language: 'de-DE' }),
      scene.patch(agent.id, { max_duration_seconds: 60 }),
    ]);
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200, 200]);
    expect((await scene.request('GET', `/api/v1/agents/${agent.id}`)).json).toMatchObject({
      name: 'n',
      first_message: 'f',
      language: 'de-DE',
      max_duration_seconds: 60,
    });
  });

  // @rule 2.25, 4.5
  it('gives nudge presets ids and lets them keep theirs', async () => {
    const agent = await scene.create({ nudge_presets: [{ label: 'Slow down', text: 'Speak slower.' }] });
    const [preset] = agent.nudge_presets;
    expect(preset?.id).toBeDefined();
    const after = (await scene.patch(agent.id, { nudge_presets: [preset, { label: 'b', text: 'c' }] }))
      .json as AgentResponse;
    expect(after.nudge_presets[0]).toEqual(preset);
    expect(after.nudge_presets[1]?.id).toBeDefined();
  });
});

describe('switching an agent off', () => {
  // @rule 2.6
  it('deletes softly: off, still readable, and on again by a change', async () => {
    const agent = await scene.create();
    const deleted = await scene.request('DELETE', `/api/v1/agents/${agent.id}`);
    expect([deleted.status, deleted.text]).toEqual([204, '']);
    expect((await scene.request('GET', `/api/v1/agents/${agent.id}`)).json).toMatchObject({
      is_active: false,
    });
    expect((await scene.patch(agent.id, { is_active: true })).json).toMatchObject({ is_active: true });
  });

  it('can be done twice', async () => {
    const { id } = await scene.create();
    for (const _ of [1, 2]) expect((await scene.request('DELETE', `/api/v1/agents/${id}`)).status).toBe(204);
  });
});

describe('listing agents', () => {
  const list = async (query: string) => {
    const answer = await scene.request('GET', `/api/v1/agents${query}`);
    expect(answer.status).toBe(200);
    return answer.json as AgentListResponse;
  };

  it('is newest first, by offset, and leaves out what is off unless asked', async () => {
    for (const name of ['a', 'b', 'c']) await scene.create({ name });
    const off = await scene.create({ name: 'off', is_active: false });
    expect((await list('')).agents.map((agent) => agent.name)).toEqual(['c', 'b', 'a']);
    expect((await list('?active_only=false')).agents[0]?.id).toBe(off.id);
    const second = await list('?limit=2&offset=2&include_total=true');
    expect(second).toMatchObject({ total: 3, has_more: false, next_cursor: null });
    expect(second.agents.map((agent) => agent.name)).toEqual(['a']);
  });

  it('by cursor neither repeats nor misses an entry while others are added', async () => {
    for (const name of ['a', 'b', 'c', 'd']) await scene.create({ name });
    const first = await list('?limit=2');
    await scene.create({ name: 'later' });
    const second = await list(`?limit=2&cursor=${first.next_cursor}`);
    expect([...first.agents, ...second.agents].map((agent) => agent.name)).toEqual(['d', 'c', 'b', 'a']);
    expect(second).toMatchObject({ has_more: false, next_cursor: null });
  });

  it.each([
    'limit=0',
    'limit=101',
    'limit=x',
    'offset=-1',
    'active_only=maybe',
    'limit=1&limit=2',
    'offset=1.5',
    'limit=0x10',
    'limit=1e1',
    'offset=',
  ])('refuses %s', async (query) => {
    const answer = await scene.request('GET', `/api/v1/agents?${query}`);
    expect(answer.status).toBe(422);
    expect(answer.json).toMatchObject({ detail: [{ loc: ['query', query.split('=')[0]] }] });
  });

  it("refuses a forged cursor, and another tenant's", async () => {
    for (const name of ['a', 'b']) await scene.create({ name });
    const { next_cursor: cursor } = await list('?limit=1');
    const other = await scene.plane.newKey();
    const tampered = `${cursor?.slice(0, -2)}${cursor?.endsWith('A') ? 'BB' : 'AA'}`;
    for (const [asking, value] of [
      [scene.key, tampered],
      [scene.key, 'x'],
      [other.key, cursor],
    ] as const) {
      const answer = await scene.plane.request('GET', `/api/v1/agents?cursor=${value}`, { key: asking });
      expect(answer.status).toBe(422);
      expect(answer.json).toMatchObject({ code: 'invalid_cursor' });
    }
  });
});

describe('tenancy', () => {
  it.each(['GET', 'PATCH', 'DELETE'])(
    "answers %s of another tenant's agent like an absent one",
    async (method) => {
      const agent = await scene.create();
      const other = await scene.plane.newKey();
      const body = method === 'PATCH' ? { name: 'stolen' } : undefined;
      for (const id of [agent.id, newId()]) {
        const answer = await scene.plane.request(method, `/api/v1/agents/${id}`, { key: other.key, body });
        expect(answer.status).toBe(404);
        expect(answer.json).toMatchObject({ code: 'agent_not_found' });
      }
      expect((await scene.request('GET', `/api/v1/agents/${agent.id}`)).json).toEqual(agent);
    },
  );

  it('takes an id in any case, and any well-formed one for an absent agent', async () => {
    const agent = await scene.create();
    const upper = await scene.request('GET', `/api/v1/agents/${agent.id.toUpperCase()}`);
    expect(upper.json).toEqual(agent);
    const odd = await scene.request('GET', '/api/v1/agents/11111111-1111-1111-1111-111111111111');
    expect(odd.status).toBe(404);
  });

  it('answers a malformed id with 422', async () => {
    const answer = await scene.request('GET', '/api/v1/agents/1');
    expect(answer.status).toBe(422);
    expect(answer.json).toMatchObject({ detail: [{ loc: ['path', 'agent_id'] }] });
  });
});

it('made again under the same id, after a crash before the answer, is the one that is there', async () => {
  const { agentCreate } = await import('./schemas.js');
  const [tenant, id] = [asTenantId(scene.tenantId), newId()];
  const first = await scene.service().create(tenant, id, agentCreate.parse(MINIMAL), null);
  expect(await scene.service().create(tenant, id, agentCreate.parse(MINIMAL), null)).toEqual(first);
  expect((await scene.request('GET', '/api/v1/agents?include_total=true')).json).toMatchObject({ total: 1 });
});

it('a snapshot for a call holds the whole agent as it is now', async () => {
  const agent = await scene.create({ first_message: 'Hello {{name}}', disclosure: { text: '  ' } });
  const call = await scene.service().snapshot(asTenantId(scene.tenantId), agent.id);
  expect(call).toMatchObject({
    isActive: true,
    disclosure: null,
    snapshot: { id: agent.id, first_message: 'Hello {{name}}', max_duration_seconds: 1800 },
  });
  await expect(scene.service().snapshot(asTenantId(newId()), agent.id)).rejects.toMatchObject({
    code: 'agent_not_found',
  });
});
