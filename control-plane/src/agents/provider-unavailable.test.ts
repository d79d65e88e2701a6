import { providerNames } from '@voice/shared/catalogue/providers';
import { SANDBOX_CALLER_ID } from '@voice/shared/contracts/test-numbers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestControlPlane, type TestControlPlane } from '../testing/control-plane.js';
import { startTestStore, type TestStore } from '../testing/store.js';
import type { AgentResponse } from './schemas.js';

let store: TestStore;
/** The same installation without a key of any vendor, and with one of each. */
let without: TestControlPlane;
let equipped: TestControlPlane;
let key: string;

beforeAll(async () => {
  store = await startTestStore();
  without = await startTestControlPlane(store.uri);
  equipped = await startTestControlPlane(store.uri, {
    env: { DEEPGRAM_API_KEY: 'k', OPENAI_API_KEY: 'k', ELEVENLABS_API_KEY: 'k', GEMINI_API_KEY: 'k' },
  });
  ({ key } = await without.newKey());
});
afterAll(async () => {
  await without?.close();
  await equipped?.close();
  await store?.close();
});

const TALKS = '+15005550006';
const local = { provider: 'local' };
const CASCADE = { stt: local, llm: local, tts: local };
const realtime = (choice: object) => ({ pipeline_type: 'realtime', voice_config: { realtime: choice } });

async function create(settings: object, plane = without): Promise<AgentResponse> {
  const body = { name: 'Ann', system_prompt: 'You answer.', ...settings };
  const answer = await plane.request('POST', '/api/v1/agents', { key, body });
  expect(answer.status, answer.text).toBe(201);
  return answer.json as AgentResponse;
}

type Way = (agentId: string, plane: TestControlPlane) => ReturnType<TestControlPlane['request']>;
const testSession =
  (line: string, body?: object): Way =>
  (agentId, plane) =>
    plane.request('POST', `/api/v1/agents/${agentId}/test/${line}`, { key, body });

const WAYS: Readonly<Record<string, Way>> = {
  'POST /calls': (agent_id, plane) =>
    plane.request('POST', '/api/v1/calls', {
      key,
      body: { agent_id, from_number: SANDBOX_CALLER_ID, to_number: TALKS },
    }),
  'POST /calls/test': (agent_id, plane) =>
    plane.request('POST', '/api/v1/calls/test', { key, body: { agent_id } }),
  'a test session by WebSocket': testSession('websocket'),
  'a test session by WebRTC': testSession('webrtc'),
  'the start of a campaign': async (agent_id, plane) => {
    const made = await plane.request('POST', '/api/v1/campaigns', {
      key,
      body: { name: 'c', agent_id, contacts: [{ phone: TALKS }] },
    });
    expect(made.status, made.text).toBe(201);
    return plane.request('POST', `/api/v1/campaigns/${(made.json as { id: string }).id}/start`, { key });
  },
};
const TEXT = testSession('text', { message: 'Hello' });

interface Case {
  readonly settings: object;
  readonly refusal: {
    readonly kind: string;
    readonly provider: string;
    readonly reason: string;
    readonly remedy: string;
  };
}
const NO_KEY = 'neither you nor this installation has a key for it';
const CASES: Readonly<Record<string, Case>> = {
  'a recogniser without a key': {
    settings: { voice_config: { ...CASCADE, stt: { provider: 'deepgram' } } },
    refusal: {
      kind: 'stt',
      provider: 'deepgram',
      reason: NO_KEY,
      remedy: 'save your key by PUT /api/v1/vendor-keys/deepgram, or set DEEPGRAM_API_KEY',
    },
  },
  'a language model without a key': {
    settings: { voice_config: { ...CASCADE, llm: { provider: 'openai' } } },
    refusal: {
      kind: 'llm',
      provider: 'openai',
      reason: NO_KEY,
      remedy:
        'save your key by PUT /api/v1/vendor-keys/openai, or set OPENAI_API_KEY, or give the agent its own `params.api_key`',
    },
  },
  'a voice without an adapter': {
    settings: { voice_config: { ...CASCADE, tts: { provider: 'acme' } } },
    refusal: {
      kind: 'tts',
      provider: 'acme',
      reason: 'the media workers have no tts provider of this name',
      remedy: `use one of: ${providerNames('tts').join(', ')}`,
    },
  },
  'a speech-to-speech provider without a key': {
    settings: realtime({ provider: 'gemini' }),
    refusal: {
      kind: 'realtime',
      provider: 'gemini',
      reason: NO_KEY,
      remedy:
        'save your key by PUT /api/v1/vendor-keys/gemini, or set GEMINI_API_KEY, or give the agent its own `params.api_key`',
    },
  },
  'a server of its own that needs a key': {
    settings: realtime({ provider: 'gemini', params: { base_url: 'https://live.example.com' } }),
    refusal: {
      kind: 'realtime',
      provider: 'gemini',
      reason:
        'its own server (`params.base_url`) needs a key, and is sent neither yours nor that of this installation',
      remedy: 'give the agent its own `params.api_key`',
    },
  },
};
const sentence = ({ kind, provider, reason, remedy }: Case['refusal']) =>
  `The ${kind} provider '${provider}' cannot run here: ${reason}; ${remedy}.`;

describe.each(Object.entries(CASES))('an agent with %s', (_, { settings, refusal }) => {
  const field = `voice_config.${refusal.kind}`;

  it('is saved, with a warning that says why it cannot run and what to set', async () => {
    const { warnings } = await create(settings);
    expect(warnings).toEqual([`${field}: ${sentence(refusal)}`]);
  });

  it.each(Object.entries(WAYS))('is refused %s at once, in the same words', async (_, ask) => {
    const { id } = await create(settings);
    const { status, json } = await ask(id, without);
    expect([status, json]).toMatchObject([
      409,
      { code: 'provider_unavailable', detail: sentence(refusal), ...refusal },
    ]);
  });

  const isText = refusal.kind === 'llm' || refusal.kind === 'realtime';
  it(`${isText ? 'is refused' : 'gets'} a test session in text, which needs the language model alone`, async () => {
    const { id } = await create(settings);
    const { status, json, text } = await TEXT(id, without);
    // At Gemini's own server the text model has no address of its own: the installation's account answers.
    const words = refusal.reason === NO_KEY ? sentence(refusal) : expect.stringContaining(NO_KEY);
    if (isText) expect([status, json]).toMatchObject([409, { code: 'provider_unavailable', detail: words }]);
    else expect([status, text]).toEqual([200, expect.stringContaining('event: done')]);
  });
});

describe('an agent whose providers can run', () => {
  it.each(Object.entries(WAYS))('is not refused %s for them', async (_, ask) => {
    const keyed = {
      stt: { provider: 'deepgram' },
      llm: { provider: 'openai' },
      tts: { provider: 'elevenlabs' },
    };
    const { id, warnings } = await create({ voice_config: keyed }, equipped);
    expect(warnings).toEqual([]);
    expect((await ask(id, equipped)).json).not.toMatchObject({ code: 'provider_unavailable' });
  });

  it('may bring its own key or, where none is needed, its own server', async () => {
    const own = { provider: 'openai', params: { base_url: 'https://llm.example.com/v1' } };
    expect((await create({ voice_config: { ...CASCADE, llm: own } })).warnings).toEqual([]);
    const gemini = { provider: 'gemini', params: { base_url: 'https://live.example.com', api_key: 'own' } };
    expect((await create(realtime(gemini))).warnings).toEqual([]);
    const vendor = { provider: 'openai', params: { base_url: 'https://api.openai.com/v1' } };
    expect((await create({ voice_config: { ...CASCADE, llm: vendor } })).warnings).toHaveLength(1);
  });
});

describe('params of a known provider', () => {
  const voices = (kind: string, choice: object) =>
    kind === 'realtime' ? realtime(choice) : { voice_config: { [kind]: choice } };

  it.each([
    ['stt', { provider: 'deepgram', params: { utterance_end_ms: 10 } }, 'utterance_end_ms'],
    [
      'stt',
      { provider: 'deepgram', model: 'flux-general-en', params: { eot_threshold: 2 } },
      'eot_threshold',
    ],
    ['stt', { provider: 'local', params: { ears: 'three' } }, 'ears'],
    ['llm', { provider: 'openai', params: { temperature: 99 } }, 'temperature'],
    ['tts', { provider: 'elevenlabs', params: { stability: 3 } }, 'stability'],
    ['tts', { provider: 'local', params: { rate: 1 } }, 'rate'],
    ['realtime', { provider: 'openai', params: { speed: 9 } }, 'speed'],
    ['realtime', { provider: 'gemini', params: { vad_silence_ms: -1 } }, 'vad_silence_ms'],
  ])('are checked when the agent is saved: %s %j', async (kind, choice, name) => {
    const { id } = await create({ pipeline_type: kind === 'realtime' ? 'realtime' : 'cascaded' });
    const body = { name: 'Ann', system_prompt: 'You answer.', ...voices(kind, choice) };
    for (const answer of [
      await without.request('POST', '/api/v1/agents', { key, body }),
      await without.request('PATCH', `/api/v1/agents/${id}`, { key, body: voices(kind, choice) }),
    ]) {
      expect([answer.status, answer.json]).toMatchObject([
        422,
        { code: 'validation_error', detail: [{ loc: ['body', 'voice_config', kind, 'params', name] }] },
      ]);
    }
  });

  it('are checked of the fallback too', async () => {
    const body = {
      name: 'Ann',
      system_prompt: 'You answer.',
      fallback_voice_config: { tts: { provider: 'elevenlabs', params: { speed: 5 } } },
    };
    const answer = await without.request('POST', '/api/v1/agents', { key, body });
    expect([answer.status, answer.json]).toMatchObject([
      422,
      { detail: [{ loc: ['body', 'fallback_voice_config', 'tts', 'params', 'speed'] }] },
    ]);
  });

  it('that it does not know are warned of', async () => {
    const stt = {
      provider: 'deepgram',
      params: { api_key: 'mine', smart_format: false, eot_threshold: 0.6 },
    };
    expect((await create({ voice_config: { ...CASCADE, stt } }, equipped)).warnings).toEqual([
      "voice_config.stt: the parameter 'eot_threshold' is not known to deepgram and has no effect",
      "voice_config.stt: the parameter 'api_key' is not known to deepgram and has no effect",
    ]);
  });
});
