import { providerNames } from '@voice/shared/catalogue/providers';
import { NO_ACCOUNTS } from '@voice/shared/catalogue/testing/no-accounts';
import { createAddressPolicy } from '@voice/shared/egress/address-policy';
import { asTenantId } from '@voice/shared/ids/ids';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Config } from '../config.js';
import { startTestControlPlane, type TestControlPlane } from '../testing/control-plane.js';
import { startTestStore, type TestStore } from '../testing/store.js';
import type { AgentResponse } from './schemas.js';
import { AgentsService } from './service.js';

let store: TestStore;
let plane: TestControlPlane;
let key: string;
let tenantId: string;

beforeAll(async () => {
  store = await startTestStore();
  plane = await startTestControlPlane(store.uri, { env: { OPENAI_API_KEY: 'k' } });
});
beforeEach(async () => {
  ({ key, tenantId } = await plane.newKey());
});
afterAll(async () => {
  await plane?.close();
  await store?.close();
});

const choice = (provider: string, model = '', params = {}) => ({ provider, model, params });
const GEMINI = choice('gemini', 'gemini-3.8-live', { voice: 'Kore' });
const CASCADE = {
  stt: choice('local'),
  llm: choice('openai', 'gpt-4.1', { temperature: 0.2 }),
  tts: choice('elevenlabs', '', { voice_id: 'v' }),
};

const request = (method: string, path: string, body?: object) =>
  plane.request(method, `/api/v1/agents${path}`, { key, body });

async function create(settings: object = {}): Promise<AgentResponse> {
  const body = { name: 'Ann', system_prompt: 'You answer.', ...settings };
  const answer = await request('POST', '', body);
  expect(answer.status, answer.text).toBe(201);
  return answer.json as AgentResponse;
}

async function change(id: string, body: object): Promise<AgentResponse> {
  const answer = await request('PATCH', `/${id}`, body);
  expect(answer.status, answer.text).toBe(200);
  return answer.json as AgentResponse;
}

const snapshotOf = async (id: string, vendors: Partial<Config['vendors']> = {}) => {
  const all = { ...NO_ACCOUNTS, ...vendors };
  const agents = new AgentsService({
    ...plane.platform,
    events: { emit: async () => {} },
    vendors: all,
    ownVendors: async () => [],
    localModels: () => ({ stt: null, tts: null }),
    egress: createAddressPolicy([]),
    unknownAction: () => undefined,
    hoursChanged: async () => {},
  });
  return (await agents.snapshot(asTenantId(tenantId), id)).snapshot;
};

describe('PATCH of pipeline_type', () => {
  // @rule 4.4
  it('to realtime, without a voice_config: the default speech-to-speech provider, and nothing else changes', async () => {
    const { updated_at: _before, ...before } = await create({ voice_config: CASCADE });
    const { updated_at: _after, ...after } = await change(before.id, { pipeline_type: 'realtime' });
    expect(after).toEqual({
      ...before,
      version: 2,
      pipeline_type: 'realtime',
      voice_config: { realtime: choice('openai') },
      warnings: [],
    });
  });

  // @rule 4.4
  it('to realtime with a voice_config: the provider that is given', async () => {
    const { id } = await create({ voice_config: CASCADE });
    const voice_config = { realtime: GEMINI };
    expect(await change(id, { pipeline_type: 'realtime', voice_config })).toMatchObject({ voice_config });
  });

  // @rule 4.4
  it('and back: the choices of the cascade are as they were, but for those that are given', async () => {
    const { id } = await create({ voice_config: CASCADE });
    await change(id, { pipeline_type: 'realtime', voice_config: { realtime: GEMINI } });
    await change(id, { name: 'Bo' });
    const back = await change(id, { pipeline_type: 'cascaded' });
    expect(back.voice_config).toEqual(CASCADE);
    const again = await change(id, { pipeline_type: 'realtime' });
    expect(again.voice_config).toEqual({ realtime: GEMINI });
    const stt = choice('deepgram');
    const other = await change(id, { pipeline_type: 'cascaded', voice_config: { stt } });
    expect(other.voice_config).toEqual({ ...CASCADE, stt });
  });

  // @rule 4.4
  it('keeps the secrets of both pipelines, and shows none', async () => {
    const own = { ...CASCADE, llm: choice('openai', '', { api_key: 'sk-cascade' }) };
    const { id } = await create({ voice_config: own });
    const realtime = choice('openai', '', { api_key: 'sk-realtime' });
    await change(id, { pipeline_type: 'realtime', voice_config: { realtime } });
    expect((await snapshotOf(id)).voice_config).toEqual({ realtime });
    const back = await change(id, { pipeline_type: 'cascaded' });
    expect(JSON.stringify(back)).not.toContain('sk-');
    expect((await snapshotOf(id)).voice_config).toEqual(own);
  });

  it.each([
    ['cascaded', { stt: choice('local') }, 'realtime', 'stt'],
    ['realtime', { realtime: GEMINI }, 'cascaded', 'realtime'],
  ])(
    'refuses providers of the %s pipeline %j for a %s agent',
    async (_of, voice_config, pipeline_type, at) => {
      const { id } = await create();
      const answer = await request('PATCH', `/${id}`, { pipeline_type, voice_config });
      expect(answer.status).toBe(422);
      expect(answer.json).toMatchObject({ detail: [{ loc: ['body', 'voice_config', at] }] });
    },
  );

  it('merges turn_taking: who detects turns is one setting among others', async () => {
    const { id, turn_taking: before } = await create({ pipeline_type: 'realtime' });
    expect(before.turn_detection).toBe('service');
    const after = await change(id, { turn_taking: { turn_detection: 'provider' } });
    expect(after.turn_taking).toEqual({ ...before, turn_detection: 'provider' });
    expect((await snapshotOf(id)).turn_taking.turn_detection).toBe('provider');
  });
});

describe('the fallback of a realtime agent', () => {
  const realtime = { pipeline_type: 'realtime', voice_config: { realtime: GEMINI } };

  it('is a whole cascade: what is missing is what this installation uses by default', async () => {
    const fallback_voice_config = { llm: CASCADE.llm };
    const agent = await create({ ...realtime, fallback_voice_config });
    expect(agent.fallback_voice_config).toEqual(fallback_voice_config);
    const { fallback_voice_config: used } = await snapshotOf(agent.id, { deepgram: { apiKey: 'k' } });
    expect(used).toEqual({ stt: choice('deepgram'), llm: CASCADE.llm, tts: choice('local') });
  });

  it('is none where none is named, and of a cascade it stays what is named', async () => {
    expect((await snapshotOf((await create(realtime)).id)).fallback_voice_config).toEqual({});
    const { id } = await create({ fallback_voice_config: { tts: choice('local') } });
    expect((await snapshotOf(id)).fallback_voice_config).toEqual({ tts: choice('local') });
  });
});

describe('what is to be known of providers', () => {
  // @rule 2.11
  it('is shown with the agent: no key here, outside the matrix, no such provider', async () => {
    const { warnings, experimental } = await create({
      voice_config: { stt: choice('deepgram'), llm: choice('openai'), tts: choice('acme') },
    });
    expect(experimental).toBe(true);
    expect(warnings).toEqual([
      "voice_config.stt: The stt provider 'deepgram' cannot run here: neither you nor this installation has a key for it; save your key by PUT /api/v1/vendor-keys/deepgram, or set DEEPGRAM_API_KEY.",
      `voice_config.tts: The tts provider 'acme' cannot run here: the media workers have no tts provider of this name; use one of: ${providerNames('tts').join(', ')}.`,
    ]);
    const odd = { pipeline_type: 'realtime', voice_config: { realtime: choice('openai', 'gpt-9-voice') } };
    expect(await create(odd)).toMatchObject({
      experimental: true,
      warnings: ["voice_config.realtime: the model 'gpt-9-voice' is outside the provider matrix"],
    });
  });

  it('does not warn of what the agent brings its own key for', async () => {
    const own = choice('gemini', '', { api_key: 'own' });
    const agent = await create({ pipeline_type: 'realtime', voice_config: { realtime: own } });
    expect(agent.warnings).toEqual([]);
  });

  it('hinders calls and test sessions: 409 provider_unavailable, with the reason and what to set', async () => {
    const { id } = await create({ pipeline_type: 'realtime', voice_config: { realtime: GEMINI } });
    const { status, json } = await plane.request('POST', '/api/v1/calls/test', {
      key,
      body: { agent_id: id },
    });
    expect([status, json]).toMatchObject([
      409,
      {
        code: 'provider_unavailable',
        kind: 'realtime',
        provider: 'gemini',
        reason: 'neither you nor this installation has a key for it',
        remedy:
          'save your key by PUT /api/v1/vendor-keys/gemini, or set GEMINI_API_KEY, or give the agent its own `params.api_key`',
      },
    ]);
    for (const way of ['websocket', 'webrtc']) {
      const answer = await request('POST', `/${id}/test/${way}`);
      expect([answer.status, (answer.json as { code: string }).code]).toEqual([409, 'provider_unavailable']);
    }
  });
});

describe("a realtime provider's own server", () => {
  it.each([
    ['http://169.254.169.254/', 422],
    ['http://127.0.0.1:9/', 422],
    ['wss://realtime.example.com/v1', 422],
    ['https://realtime.example.com/v1', 201],
  ])('at %s: %i', async (base_url, status) => {
    const realtime = choice('openai', '', { base_url });
    const body = {
      name: 'Ann',
      system_prompt: 'x',
      pipeline_type: 'realtime',
      voice_config: { realtime },
    };
    expect((await request('POST', '', body)).status).toBe(status);
  });
});
