import { NO_ACCOUNTS } from '@voice/shared/catalogue/testing/no-accounts';
import { createAddressPolicy } from '@voice/shared/egress/address-policy';
import { asTenantId, newId } from '@voice/shared/ids/ids';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Config } from '../config.js';
import { startTestControlPlane, type TestControlPlane } from '../testing/control-plane.js';
import { startTestStore, type TestStore } from '../testing/store.js';
import { agentModel } from './model.js';
import type { LocalModels } from './provider-list.js';
import type { AgentListResponse, AgentResponse } from './schemas.js';
import { AgentsService } from './service.js';
import { defaultProviders } from './voice-config.js';

let store: TestStore;
let plane: TestControlPlane;
let key: string;
let tenantId: string;

beforeAll(async () => {
  store = await startTestStore();
  plane = await startTestControlPlane(store.uri);
});
beforeEach(async () => {
  ({ key, tenantId } = await plane.newKey());
});
afterAll(async () => {
  await plane?.close();
  await store?.close();
});

const minimal = { name: 'Receptionist', system_prompt: 'You answer the phone of {{company}}.' };

async function create(body: Record<string, unknown> = {}): Promise<AgentResponse> {
  const answer = await plane.request('POST', '/api/v1/agents', { key, body: { ...minimal, ...body } });
  expect(answer.text).toContain('"id"');
  expect(answer.status).toBe(201);
  return answer.json as AgentResponse;
}

async function patch(id: string, body: unknown) {
  return plane.request('PATCH', `/api/v1/agents/${id}`, { key, body });
}

async function refusal(body: unknown) {
  const answer = await plane.request('POST', '/api/v1/agents', { key, body });
  expect(answer.status).toBe(422);
  expect(answer.json).toMatchObject({ code: 'validation_error' });
  return (answer.json as { detail: { loc: unknown[] }[] }).detail.map((entry) => entry.loc.join('.'));
}

function service(
  given: Partial<Config['vendors']> = {},
  localModels: LocalModels = { stt: null, tts: null },
): AgentsService {
  const vendors = { ...NO_ACCOUNTS, ...given };
  return new AgentsService({
    ...plane.platform,
    events: { emit: async () => {} },
    defaults: defaultProviders(vendors),
    vendors,
    localModels: () => localModels,
    egress: createAddressPolicy([]),
    unknownAction: () => undefined,
  });
}

describe('an agent that was saved under other rules', () => {
  /** As if it had been saved before there was a rule, and a setting. */
  async function savedBefore(change: (definition: Record<string, unknown>) => void): Promise<string> {
    const { id } = await create();
    const rows = agentModel(await store.connect());
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
    const tenant = asTenantId(tenantId);
    expect(await service().get(tenant, id)).toMatchObject({
      analysis: { extraction_schema: { type: 'nope' }, scorecard: [] },
      tools: [{ type: 'http', method: 'POST', timeout_ms: 10_000 }],
      recording: { enabled: true, announce: false },
    });
    const { agents } = await service().list(tenant, { offset: 0, limit: 50, active_only: true });
    expect(agents.map((agent) => agent.id)).toEqual([id]);
    expect((await service().snapshot(tenant, id)).isActive).toBe(true);
  });

  it('is checked when it is changed, and can be switched off as it is', async () => {
    const id = await savedBefore((definition) => {
      definition.max_duration_seconds = 5;
    });
    expect((await patch(id, { name: 'New' })).json).toMatchObject({
      detail: [{ loc: ['body', 'max_duration_seconds'] }],
    });
    expect((await patch(id, { max_duration_seconds: 60 })).status).toBe(200);
    expect((await plane.request('DELETE', `/api/v1/agents/${id}`, { key })).status).toBe(204);
  });

  it('with schemas that are not supported any more can be changed in everything else', async () => {
    const unsupported = { type: 'object', properties: { a: { items: [{ pattern: '^(a+)+$' }] } } };
    const id = await savedBefore((definition) => {
      definition.analysis = { extraction_schema: unsupported };
      definition.tools = [{ type: 'http', name: 'look', url: 'https://a.example', parameters: unsupported }];
    });
    const changed = await patch(id, { name: 'New', analysis: { enabled: false } });
    expect([changed.status, changed.json]).toMatchObject([
      200,
      { name: 'New', analysis: { enabled: false, extraction_schema: unsupported } },
    ]);
    expect((await patch(id, { analysis: { extraction_schema: unsupported } })).status).toBe(422);
  });
});

describe('creating an agent', () => {
  it('given a name and a prompt, fills in defaults that work without any vendor', async () => {
    const agent = await create();
    expect(agent).toMatchObject({
      ...minimal,
      pipeline_type: 'cascaded',
      language: 'en-US',
      is_active: true,
      experimental: false,
      voice_config: { stt: { provider: 'local' }, llm: { provider: 'local' }, tts: { provider: 'local' } },
      calling_hours: { timezone: null, sunday: { start: '08:00', end: '21:00' } },
      disclosure: { position: 'before_first_message' },
      tools: [{ type: 'end_call', name: 'end_call' }],
      voicemail: { detect: true, action: 'hangup' },
      recording: { enabled: true },
      metadata: {},
    });
    expect(agent.disclosure.text).toMatch(/AI/);
    expect(agent.turn_taking.min_endpointing_ms).toBe(400);
    expect(agent.turn_taking.preemptive_generation).toBe('llm');
    expect((await plane.request('GET', `/api/v1/agents/${agent.id}`, { key })).json).toEqual(agent);
  });

  it("given a vendor's key on this installation, uses that vendor by default", async () => {
    const agents = service({ deepgram: { apiKey: 'k' }, openai: { apiKey: 'k' } });
    const { agentCreate } = await import('./schemas.js');
    const agent = await agents.create(asTenantId(tenantId), newId(), agentCreate.parse(minimal));
    expect(agent.voice_config).toMatchObject({
      stt: { provider: 'deepgram' },
      llm: { provider: 'openai' },
      tts: { provider: 'local' },
    });
  });

  // @rule 7.6
  it.each([
    [{ frist_message: 'Hello' }, 'frist_message'],
    [{ recording: { enable: false } }, 'recording.enable'],
    [{ disclosure: { txt: 'An AI calls.' } }, 'disclosure.txt'],
    [{ calling_hours: { sundays: null } }, 'calling_hours.sundays'],
    [{ tools: [{ type: 'end_call', descripton: 'Ends it.' }] }, 'tools.0.descripton'],
    [{ voice_config: { tts: { provider: 'local', voice: 'en' } } }, 'voice_config.tts.voice'],
    [{ nudge_presets: [{ label: 'a', text: 'b', txt: 'c' }] }, 'nudge_presets.0.txt'],
  ])('given a mistyped setting (%j), refuses it by name, in a change too', async (setting, field) => {
    const { id } = await create();
    for (const answer of [
      await plane.request('POST', '/api/v1/agents', { key, body: { ...minimal, ...setting } }),
      await patch(id, setting),
    ]) {
      expect([answer.status, answer.json]).toMatchObject([422, { code: 'validation_error' }]);
      const { detail } = answer.json as { detail: { loc: unknown[] }[] };
      expect(detail.map(({ loc }) => loc.join('.'))).toEqual([`body.${field}`]);
    }
  });

  const http = (changes: object) => ({
    tools: [{ type: 'http', name: 'look', url: 'https://shop.example/', ...changes }],
  });
  const model = (params: object) => ({ llm: { provider: 'openai', model: 'm', params } });
  const inParams = 'body.voice_config.llm.params';

  // @rule 7.6
  it.each<[string, object, string]>([
    ['a tool at a private address', http({ url: 'http://10.0.0.7/' }), 'body.tools.0.url'],
    ['a tool at a disguised address', http({ url: 'http://[::ffff:10.0.0.7]/' }), 'body.tools.0.url'],
    ['a tool in a file', http({ url: 'file:///etc/passwd' }), 'body.tools.0.url'],
    ['a header with a line break', http({ headers: { 'x-a': 'b\r\nc: d' } }), 'body.tools.0.headers.x-a'],
    ['a header that is none', http({ headers: { 'a b': 'c' } }), 'body.tools.0.headers.a b'],
    [
      'a secret header with a line break',
      http({ secret_headers: { 'x-a': 'b\r\nc: d' } }),
      'body.tools.0.secret_headers.x-a',
    ],
    [
      'arguments that are no object',
      http({ parameters: { type: 'string' } }),
      'body.tools.0.parameters.type',
    ],
    [
      'arguments that are described in unsupported keywords',
      http({ parameters: { type: 'object', properties: { a: { items: [{ pattern: '^(a+)+$' }] } } } }),
      'body.tools.0.parameters.properties.a.items',
    ],
    [
      'arguments with a pattern that backtracks',
      http({ parameters: { type: 'object', properties: { a: { anyOf: [{ pattern: '(?<=a)b' }] } } } }),
      'body.tools.0.parameters.properties.a.anyOf.0.pattern',
    ],
    [
      'an extraction schema with additionalItems',
      { analysis: { extraction_schema: { a: { type: 'array', additionalItems: { pattern: '^(a+)+$' } } } } },
      'body.analysis.extraction_schema.a.additionalItems',
    ],
    [
      'an extraction schema with an unknown keyword',
      { analysis: { extraction_schema: { type: 'object', properties: { a: { maximun: 3 } } } } },
      'body.analysis.extraction_schema.properties.a.maximun',
    ],
    [
      'a model at a metadata address',
      { voice_config: model({ base_url: 'http://169.254.169.254/v1' }) },
      `${inParams}.base_url`,
    ],
    ['a model in a file', { voice_config: model({ base_url: 'file:///v1' }) }, `${inParams}.base_url`],
    ['a temperature of 99', { voice_config: model({ temperature: 99 }) }, `${inParams}.temperature`],
    [
      'a private fallback model',
      { fallback_voice_config: model({ base_url: 'http://192.168.0.1/' }) },
      'body.fallback_voice_config.llm.params.base_url',
    ],
  ])('refuses what no call could use: %s', async (_, settings, place) => {
    const { id } = await create();
    for (const answer of [
      await plane.request('POST', '/api/v1/agents', { key, body: { ...minimal, ...settings } }),
      await patch(id, settings),
    ]) {
      expect([answer.status, answer.json]).toMatchObject([422, { code: 'validation_error' }]);
      const places = (answer.json as { detail: { loc: unknown[] }[] }).detail.map(({ loc }) => loc.join('.'));
      expect(places).toEqual([place]);
    }
  });

  it('fills in the providers that a partial voice_config leaves out', async () => {
    const agent = await create({
      voice_config: { tts: { provider: 'elevenlabs', params: { voice_id: 'v' } } },
    });
    expect(agent.voice_config).toEqual({
      stt: { provider: 'local', model: '', params: {} },
      llm: { provider: 'local', model: '', params: {} },
      tts: { provider: 'elevenlabs', model: '', params: { voice_id: 'v' } },
    });
  });

  // @rule 2.11
  it.each([
    [{ stt: { provider: 'deepgram', model: 'nova-3' } }, false],
    [{ stt: { provider: 'deepgram', model: 'nova-3-medical' } }, false],
    [{ stt: { provider: 'deepgram', model: 'base' } }, true],
    [
      { llm: { provider: 'openai', model: 'llama-3', params: { base_url: 'https://llm.example/v1' } } },
      false,
    ],
    [{ tts: { provider: 'somebody-new' } }, true],
    [{ realtime: undefined, stt: { provider: 'local' } }, false],
  ])('marks %j as experimental: %s', async (voice_config, experimental) => {
    expect((await create({ voice_config })).experimental).toBe(experimental);
  });

  it('gives a realtime agent one speech-to-speech provider', async () => {
    const agent = await create({
      pipeline_type: 'realtime',
      voice_config: { realtime: { provider: 'openai' } },
    });
    expect(agent.voice_config).toEqual({ realtime: { provider: 'openai', model: '', params: {} } });
  });

  it.each([
    ['nothing', {}, ['body.name', 'body.system_prompt']],
    ['no object', [], ['body']],
    ['an unknown pipeline', { ...minimal, pipeline_type: 'magic' }, ['body.pipeline_type']],
    [
      'a realtime provider in a cascade',
      { ...minimal, voice_config: { realtime: { provider: 'openai' } } },
      ['body.voice_config.realtime'],
    ],
    [
      'an stt in a realtime agent',
      { ...minimal, pipeline_type: 'realtime', voice_config: { stt: { provider: 'local' } } },
      ['body.voice_config.stt'],
    ],
    [
      'a provider without a name',
      { ...minimal, voice_config: { stt: { model: 'x' } } },
      ['body.voice_config.stt.provider'],
    ],
    [
      'hours that end before they begin',
      { ...minimal, calling_hours: { monday: { start: '10:00', end: '09:00' } } },
      ['body.calling_hours.monday.end'],
    ],
    [
      'a time zone that is none',
      { ...minimal, calling_hours: { timezone: 'Mars/Olympus' } },
      ['body.calling_hours.timezone'],
    ],
    ['a language that is none', { ...minimal, language: 'english!' }, ['body.language']],
    ['a language that no provider speaks', { ...minimal, language: 'klingon' }, ['body.language']],
    [
      'thresholds that contradict',
      { ...minimal, turn_taking: { vad_on: 0.3, vad_off: 0.6 } },
      ['body.turn_taking.vad_off'],
    ],
    [
      'a kind of preemptive generation that there is not',
      { ...minimal, turn_taking: { preemptive_generation: 'voice' } },
      ['body.turn_taking.preemptive_generation'],
    ],
    [
      'two tools of one name',
      { ...minimal, tools: [{ type: 'end_call' }, { type: 'end_call' }] },
      ['body.tools'],
    ],
    ['a tool of an unknown type', { ...minimal, tools: [{ type: 'magic' }] }, ['body.tools.0.type']],
    [
      'a transfer to no E.164 number',
      { ...minimal, transfer_destinations: [{ name: 'x', phone_number: '911' }] },
      ['body.transfer_destinations.0.phone_number'],
    ],
  ])('refuses %s', async (_what, body, places) => {
    expect(await refusal(body)).toEqual(places);
  });

  it('keeps JSON Schemas with dollars and dots as they are', async () => {
    const parameters = {
      type: 'object',
      $defs: { 'a.b': { type: 'string' } },
      properties: { $where: { $ref: '#/$defs/a.b' } },
    };
    const agent = await create({
      tools: [{ type: 'http', name: 'look_up', url: 'https://example.com/x', parameters }],
      metadata: { $set: { 'x.y': 1 } },
    });
    const again = (await plane.request('GET', `/api/v1/agents/${agent.id}`, { key })).json as AgentResponse;
    expect(again.tools[0]).toMatchObject({ parameters });
    expect(again.metadata).toEqual({ $set: { 'x.y': 1 } });
  });
});

describe('changing an agent', () => {
  it('changes only what is given', async () => {
    const before = await create({ first_message: 'Hi!', metadata: { a: 1 } });
    const answer = await patch(before.id, { name: 'Concierge' });
    expect(answer.status).toBe(200);
    const after = answer.json as AgentResponse;
    expect(after).toEqual({ ...before, name: 'Concierge', updated_at: after.updated_at });
  });

  it('merges settings objects and replaces lists and maps', async () => {
    const before = await create({
      turn_taking: { barge_in_min_words: 3, fillers: ['a', 'b'] },
      metadata: { a: 1 },
      calling_hours: { sunday: null },
      voice_config: { tts: { provider: 'elevenlabs', params: { voice_id: 'v' } } },
    });
    const after = (
      await patch(before.id, {
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
    const agent = await create({ turn_taking: { vad_on: 0.4 } });
    const answer = await patch(agent.id, { turn_taking: { vad_off: 0.45 } });
    expect(answer.status).toBe(422);
    expect(answer.json).toMatchObject({ detail: [{ loc: ['body', 'turn_taking', 'vad_off'] }] });
  });

  it('given many changes of different fields at once, keeps them all', async () => {
    const agent = await create();
    const answers = await Promise.all([
      patch(agent.id, { name: 'n' }),
      patch(agent.id, { first_message: 'f' }),
      patch(agent.id, { language: 'de-DE' }),
      patch(agent.id, { max_duration_seconds: 60 }),
    ]);
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200, 200]);
    expect((await plane.request('GET', `/api/v1/agents/${agent.id}`, { key })).json).toMatchObject({
      name: 'n',
      first_message: 'f',
      language: 'de-DE',
      max_duration_seconds: 60,
    });
  });

  // @rule 2.25, 4.5
  it('gives nudge presets ids and lets them keep theirs', async () => {
    const agent = await create({ nudge_presets: [{ label: 'Slow down', text: 'Speak slower.' }] });
    const [preset] = agent.nudge_presets;
    expect(preset?.id).toBeDefined();
    const after = (await patch(agent.id, { nudge_presets: [preset, { label: 'b', text: 'c' }] }))
      .json as AgentResponse;
    expect(after.nudge_presets[0]).toEqual(preset);
    expect(after.nudge_presets[1]?.id).toBeDefined();
  });
});

describe('switching an agent off', () => {
  // @rule 2.6
  it('deletes softly: off, still readable, and on again by a change', async () => {
    const agent = await create();
    const deleted = await plane.request('DELETE', `/api/v1/agents/${agent.id}`, { key });
    expect([deleted.status, deleted.text]).toEqual([204, '']);
    expect((await plane.request('GET', `/api/v1/agents/${agent.id}`, { key })).json).toMatchObject({
      is_active: false,
    });
    expect((await patch(agent.id, { is_active: true })).json).toMatchObject({ is_active: true });
  });

  it('can be done twice', async () => {
    const { id } = await create();
    for (const _ of [1, 2])
      expect((await plane.request('DELETE', `/api/v1/agents/${id}`, { key })).status).toBe(204);
  });
});

describe('listing agents', () => {
  const list = async (query: string) => {
    const answer = await plane.request('GET', `/api/v1/agents${query}`, { key });
    expect(answer.status).toBe(200);
    return answer.json as AgentListResponse;
  };

  it('is newest first, by offset, and leaves out what is off unless asked', async () => {
    for (const name of ['a', 'b', 'c']) await create({ name });
    const off = await create({ name: 'off', is_active: false });
    expect((await list('')).agents.map((agent) => agent.name)).toEqual(['c', 'b', 'a']);
    expect((await list('?active_only=false')).agents[0]?.id).toBe(off.id);
    const second = await list('?limit=2&offset=2');
    expect(second).toMatchObject({ total: 3, has_more: false, next_cursor: null });
    expect(second.agents.map((agent) => agent.name)).toEqual(['a']);
  });

  it('by cursor neither repeats nor misses an entry while others are added', async () => {
    for (const name of ['a', 'b', 'c', 'd']) await create({ name });
    const first = await list('?limit=2');
    await create({ name: 'later' });
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
    const answer = await plane.request('GET', `/api/v1/agents?${query}`, { key });
    expect(answer.status).toBe(422);
    expect(answer.json).toMatchObject({ detail: [{ loc: ['query', query.split('=')[0]] }] });
  });

  it("refuses a forged cursor, and another tenant's", async () => {
    for (const name of ['a', 'b']) await create({ name });
    const { next_cursor: cursor } = await list('?limit=1');
    const other = await plane.newKey();
    const tampered = `${cursor?.slice(0, -2)}${cursor?.endsWith('A') ? 'BB' : 'AA'}`;
    for (const [asking, value] of [
      [key, tampered],
      [key, 'x'],
      [other.key, cursor],
    ] as const) {
      const answer = await plane.request('GET', `/api/v1/agents?cursor=${value}`, { key: asking });
      expect(answer.status).toBe(422);
      expect(answer.json).toMatchObject({ code: 'invalid_cursor' });
    }
  });
});

describe('tenancy', () => {
  it.each(['GET', 'PATCH', 'DELETE'])(
    "answers %s of another tenant's agent like an absent one",
    async (method) => {
      const agent = await create();
      const other = await plane.newKey();
      const body = method === 'PATCH' ? { name: 'stolen' } : undefined;
      for (const id of [agent.id, newId()]) {
        const answer = await plane.request(method, `/api/v1/agents/${id}`, { key: other.key, body });
        expect(answer.status).toBe(404);
        expect(answer.json).toMatchObject({ code: 'agent_not_found' });
      }
      expect((await plane.request('GET', `/api/v1/agents/${agent.id}`, { key })).json).toEqual(agent);
    },
  );

  it('takes an id in any case, and any well-formed one for an absent agent', async () => {
    const agent = await create();
    const upper = await plane.request('GET', `/api/v1/agents/${agent.id.toUpperCase()}`, { key });
    expect(upper.json).toEqual(agent);
    const odd = await plane.request('GET', '/api/v1/agents/11111111-1111-1111-1111-111111111111', { key });
    expect(odd.status).toBe(404);
  });

  it('answers a malformed id with 422', async () => {
    const answer = await plane.request('GET', '/api/v1/agents/1', { key });
    expect(answer.status).toBe(422);
    expect(answer.json).toMatchObject({ detail: [{ loc: ['path', 'agent_id'] }] });
  });
});

it('lists the provider matrix, and which providers this installation uses by default', async () => {
  const answer = await plane.request('GET', '/api/v1/providers', { key });
  const { providers } = answer.json as {
    providers: { kind: string; provider: string; is_default: boolean }[];
  };
  expect(
    providers.filter((entry) => entry.is_default).map((entry) => `${entry.kind} ${entry.provider}`),
  ).toEqual(['stt local', 'llm local', 'tts local', 'realtime openai']);
  expect(providers).toContainEqual(
    expect.objectContaining({
      kind: 'stt',
      provider: 'deepgram',
      models: ['nova-3', 'flux'],
      default_model: 'nova-3',
      configured: false,
      environment: ['DEEPGRAM_API_KEY', 'DEEPGRAM_URL'],
    }),
  );
});

it('lists which providers are configured here, and which models of this machine are in use', () => {
  const shown = (vendors: Partial<Config['vendors']>, models?: LocalModels) =>
    service(vendors, models)
      .providers()
      .providers.map(({ kind, provider, configured, model_in_use, is_default }) => [
        `${kind} ${provider}`,
        configured,
        model_in_use,
        is_default,
      ]);
  expect(shown({ gemini: { apiKey: 'k' } }, { stt: 'moonshine-tiny-en', tts: null })).toEqual([
    ['stt deepgram', false, null, false],
    ['stt assemblyai', false, null, false],
    ['stt openai', false, null, false],
    ['stt local', true, 'moonshine-tiny-en', true],
    ['llm openai', false, null, false],
    ['llm anthropic', false, null, false],
    ['llm local', true, null, true],
    ['tts elevenlabs', false, null, false],
    ['tts cartesia', false, null, false],
    ['tts deepgram', false, null, false],
    ['tts openai', false, null, false],
    ['tts local', true, null, true],
    ['realtime openai', false, null, false],
    ['realtime gemini', true, null, true],
  ]);
  const ownServer = shown({ openai: { url: 'http://127.0.0.1:11434/v1' } });
  expect(ownServer).toContainEqual(['llm openai', true, null, true]);
  expect(ownServer).toContainEqual(['realtime openai', false, null, true]);
});

it('made again under the same id, after a crash before the answer, is the one that is there', async () => {
  const { agentCreate } = await import('./schemas.js');
  const [tenant, id] = [asTenantId(tenantId), newId()];
  const first = await service().create(tenant, id, agentCreate.parse(minimal));
  expect(await service().create(tenant, id, agentCreate.parse(minimal))).toEqual(first);
  expect((await plane.request('GET', '/api/v1/agents', { key })).json).toMatchObject({ total: 1 });
});

describe("an agent's secrets", () => {
  const tool = {
    type: 'http',
    name: 'crm',
    url: 'https://example.com',
    headers: { 'x-shop': '7' },
    secret_headers: { authorization: 'Bearer hush-header' },
    secret: 'hush-tool',
  };
  const secrets = { secret: 'hush-tool', secret_headers: { authorization: 'Bearer hush-header' } };
  const llm = {
    provider: 'openai',
    model: 'm',
    params: { base_url: 'https://llm.example/v1', api_key: 'hush-key' },
  };

  it('are never shown, never stored in the open, and given to calls', async () => {
    const agent = await create({ tools: [tool], voice_config: { llm } });
    const shown = await plane.request('GET', `/api/v1/agents/${agent.id}`, { key });
    const row = await plane.platform.store.collection('agents').findOne({ _id: agent.id as never });
    expect(shown.text + JSON.stringify(row)).not.toContain('hush');

    const { snapshot } = await service().snapshot(asTenantId(tenantId), agent.id);
    expect(snapshot.tools[0]).toMatchObject({ headers: { 'x-shop': '7' }, ...secrets });
    expect(snapshot.voice_config).toMatchObject({ llm: { params: { api_key: 'hush-key' } } });
  });

  it('stay when what was shown is sent back, and move to no other place', async () => {
    const agent = await create({ tools: [tool], voice_config: { llm } });
    const kept = await patch(agent.id, { tools: agent.tools, voice_config: agent.voice_config });
    expect(kept.status).toBe(200);
    const call = await service().snapshot(asTenantId(tenantId), agent.id);
    expect(call.snapshot.tools[0]).toMatchObject(secrets);

    await patch(agent.id, { tools: [{ ...agent.tools[0], url: 'https://other.example' }] });
    const sentElsewhere = await service().snapshot(asTenantId(tenantId), agent.id);
    expect(sentElsewhere.snapshot.tools[0]).not.toHaveProperty('secret_headers');

    const { llm: shown } = agent.voice_config as { llm: { params: object } };
    const elsewhere = (base_url: string) =>
      patch(agent.id, { voice_config: { llm: { ...shown, params: { ...shown.params, base_url } } } });
    await elsewhere('https://llm.example/v2');
    const { snapshot } = await service().snapshot(asTenantId(tenantId), agent.id);
    expect(snapshot.voice_config).toMatchObject({ llm: { params: { api_key: 'hush-key' } } });
    await elsewhere('https://other.example/v1');
    const moved = await service().snapshot(asTenantId(tenantId), agent.id);
    expect(moved.snapshot.voice_config).not.toMatchObject({ llm: { params: { api_key: 'hush-key' } } });

    await patch(agent.id, { tools: [{ ...agent.tools[0], name: 'other' }] });
    const later = await service().snapshot(asTenantId(tenantId), agent.id);
    expect(later.snapshot.tools[0]).not.toHaveProperty('secret');
  });
});

it('a snapshot for a call holds the whole agent as it is now', async () => {
  const agent = await create({ first_message: 'Hello {{name}}', disclosure: { text: '  ' } });
  const call = await service().snapshot(asTenantId(tenantId), agent.id);
  expect(call).toMatchObject({
    isActive: true,
    disclosure: null,
    snapshot: { id: agent.id, first_message: 'Hello {{name}}', max_duration_seconds: 1800 },
  });
  await expect(service().snapshot(asTenantId(newId()), agent.id)).rejects.toMatchObject({
    code: 'agent_not_found',
  });
});
