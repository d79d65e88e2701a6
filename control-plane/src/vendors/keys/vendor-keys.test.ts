import { createAddressPolicy } from '@voice/shared/egress/address-policy';
import { asTenantId } from '@voice/shared/ids/ids';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type DeepgramEmulator,
  startDeepgramEmulator,
} from '../../../../loadtest/emulators/deepgram/server.js';
import {
  type ElevenLabsEmulator,
  startElevenLabsEmulator,
} from '../../../../loadtest/emulators/elevenlabs/server.js';
import { type OpenAiEmulator, startOpenAiEmulator } from '../../../../loadtest/emulators/openai/server.js';
import { VendorHttp } from '../../platform/vendor-http.js';
import {
  startTestControlPlane,
  type TestAnswer,
  type TestControlPlane,
} from '../../testing/control-plane.js';
import { ScriptedWorker } from '../../testing/scripted-worker.js';
import { startTestStore, type TestStore } from '../../testing/store.js';
import type { VoiceListResponse } from '../voices/schemas.js';
import type { VendorKey, VendorKeyListResponse } from './schemas.js';
import { VendorKeys } from './service.js';

const MINE = 'dg-key-of-the-tenant-4711';
const OPENAI = 'sk-openai-of-the-tenant-0815';

let store: TestStore;
let plane: TestControlPlane;
let worker: ScriptedWorker;
let deepgram: DeepgramEmulator;
let elevenLabs: ElevenLabsEmulator;
let openAi: OpenAiEmulator;

beforeAll(async () => {
  [store, deepgram, elevenLabs, openAi] = await Promise.all([
    startTestStore(),
    startDeepgramEmulator({ apiKeys: [MINE] }),
    startElevenLabsEmulator({ apiKeys: ['xi-key-of-the-installation'] }),
    startOpenAiEmulator({ apiKeys: [OPENAI] }),
  ]);
  plane = await startTestControlPlane(store.uri, {
    env: {
      DEEPGRAM_URL: deepgram.url.replace('http', 'ws'),
      ELEVENLABS_URL: elevenLabs.url,
      ELEVENLABS_API_KEY: 'xi-key-of-the-installation',
      OPENAI_BASE_URL: openAi.baseUrl,
      // Nobody is there.
      CARTESIA_URL: 'ws://127.0.0.1:9',
    },
  });
  worker = await ScriptedWorker.start({ id: 'w', secret: plane.platform.config.internalSecret });
  await worker.heartbeat(plane);
});
afterAll(async () => {
  await plane?.close();
  await worker?.close();
  await Promise.all([deepgram?.close(), elevenLabs?.close(), openAi?.close()]);
  await store?.close();
});

interface Tenant {
  readonly key: string;
  readonly tenantId: string;
}
const newTenant = (): Promise<Tenant> => plane.newKey({ sandbox: false });
const path = (provider: string) => `/api/v1/vendor-keys/${provider}`;
const put = ({ key }: Tenant, provider: string, body: unknown) =>
  plane.request('PUT', path(provider), { key, body });
const list = async ({ key }: Tenant) =>
  (await plane.request('GET', '/api/v1/vendor-keys', { key })).json as VendorKeyListResponse;
const find = (all: VendorKeyListResponse, provider: string) =>
  all.vendor_keys.find((one) => one.provider === provider);
const codeOf = ({ status, json }: TestAnswer) => [status, (json as { code: string }).code];

/** An agent that hears by Deepgram and needs nothing else. */
async function createAgent({ key }: Tenant, voice: object = { stt: { provider: 'deepgram' } }) {
  const local = { provider: 'local' };
  const body = {
    name: 'Ann',
    system_prompt: 'You answer.',
    voice_config: { stt: local, llm: local, tts: local, ...voice },
  };
  const made = await plane.request('POST', '/api/v1/agents', { key, body });
  expect(made.status, made.text).toBe(201);
  return made.json as { id: string; warnings: string[] };
}
const startSession = ({ key }: Tenant, agentId: string) =>
  plane.request('POST', `/api/v1/agents/${agentId}/test/websocket`, { key });

describe('a key of the tenant', () => {
  it('is saved once the vendor has taken it, and shown by its last four characters', async () => {
    const tenant = await newTenant();
    const answer = await put(tenant, 'deepgram', { api_key: MINE });
    expect([answer.status, answer.json]).toMatchObject([
      200,
      { provider: 'deepgram', set: true, last_four: '4711', account: 'tenant', kinds: ['stt', 'tts'] },
    ]);
    expect((answer.json as VendorKey).checked_at).not.toBeNull();
    const all = await list(tenant);
    expect(find(all, 'deepgram')).toEqual(answer.json);
    expect(find(all, 'elevenlabs')).toMatchObject({ set: false, last_four: null, account: 'installation' });
    expect(find(all, 'anthropic')).toMatchObject({ set: false, account: null });
    expect(answer.text + JSON.stringify(all)).not.toContain(MINE);
  });

  it('is sealed in the store, under a purpose of its tenant', async () => {
    const tenant = await newTenant();
    await put(tenant, 'deepgram', { api_key: MINE });
    const row = await plane.platform.store
      .collection('vendor_keys')
      .findOne({ _id: tenant.tenantId as never });
    expect(JSON.stringify(row)).not.toContain(MINE);
    const { secrets } = plane.platform;
    expect(secrets.open(`tenants/${tenant.tenantId}/vendor-keys`, String(row!.keys))).toContain(MINE);
  });

  it('that the vendor refuses is not saved, and the answer says why without the key', async () => {
    const tenant = await newTenant();
    const answer = await put(tenant, 'deepgram', { api_key: 'dg-not-the-right-one' });
    expect(codeOf(answer)).toEqual([422, 'vendor_key_refused']);
    expect(answer.json).toMatchObject({
      provider: 'deepgram',
      detail: expect.stringContaining('Invalid credentials'),
    });
    expect(answer.text).not.toContain('dg-not-the-right-one');
    expect(find(await list(tenant), 'deepgram')).toMatchObject({ set: false });
  });

  it('of a vendor that is away is saved only when it is not to be verified', async () => {
    const tenant = await newTenant();
    const key = { api_key: 'cartesia-key-1234' };
    expect(codeOf(await put(tenant, 'cartesia', key))).toEqual([502, 'vendor_unavailable']);
    const saved = await put(tenant, 'cartesia', { ...key, verify: false });
    expect([saved.status, saved.json]).toMatchObject([200, { last_four: '1234', checked_at: null }]);
    const check = await plane.request('POST', `${path('cartesia')}/check`, { key: tenant.key });
    expect([check.status, check.json]).toMatchObject([200, { health: 'unreachable' }]);
  });

  it('can be checked again, replaced and deleted; who did what is listed, newest first', async () => {
    const tenant = await newTenant();
    const { key } = tenant;
    await put(tenant, 'deepgram', { api_key: 'dg-an-older-key', verify: false });
    const refused = await plane.request('POST', `${path('deepgram')}/check`, { key });
    expect([refused.status, refused.json]).toMatchObject([200, { health: 'refused' }]);
    await put(tenant, 'deepgram', { api_key: MINE });
    const healthy = await plane.request('POST', `${path('deepgram')}/check`, { key });
    expect(healthy.json).toMatchObject({ health: 'healthy' });
    expect((await plane.request('DELETE', path('deepgram'), { key })).status).toBe(204);
    expect(codeOf(await plane.request('DELETE', path('deepgram'), { key }))).toEqual([
      404,
      'vendor_key_not_found',
    ]);
    const { changes, vendor_keys } = await list(tenant);
    expect(vendor_keys.filter(({ set }) => set)).toEqual([]);
    expect(changes.map(({ action }) => action)).toEqual(['deleted', 'replaced', 'set']);
    expect(new Set(changes.map(({ by }) => by.key_id)).size).toBe(1);
  });

  it('is changed in production alone; the sandbox sees which there are, and no more', async () => {
    const both = (sandbox: boolean) => plane.newKey({ sandbox, tenant: 'in both modes' });
    const [live, sandbox] = [await both(false), await both(true)];
    await put(live, 'deepgram', { api_key: MINE });
    expect(codeOf(await put(sandbox, 'deepgram', { api_key: MINE }))).toEqual([403, 'live_mode_required']);
    const seen = await list(sandbox);
    expect(find(seen, 'deepgram')).toMatchObject({ set: true, last_four: null, changed_by: null });
    expect(seen.changes).toEqual([]);
  });

  it('is no other tenant’s', async () => {
    await put(await newTenant(), 'deepgram', { api_key: MINE });
    const other = await newTenant();
    expect(find(await list(other), 'deepgram')).toMatchObject({ set: false, account: null });
    const { id } = await createAgent(other);
    expect(codeOf(await startSession(other, id))).toEqual([409, 'provider_unavailable']);
  });

  it.each([
    ['an unknown vendor', 'acme', { api_key: MINE }, ['path', 'provider']],
    ['a short key', 'deepgram', { api_key: 'short' }, ['body', 'api_key']],
    ['a key with a line break', 'deepgram', { api_key: 'dg-key\r\nx-other: 1' }, ['body', 'api_key']],
  ])('is refused for %s', async (_, provider, body, loc) => {
    const answer = await put(await newTenant(), provider, body);
    expect([answer.status, answer.json]).toMatchObject([422, { detail: [{ loc }] }]);
  });
});

describe('an agent of a tenant with a key of its own', () => {
  it('can run, is warned of nothing, and its worker is given that key and no other', async () => {
    const tenant = await newTenant();
    const before = await createAgent(tenant);
    expect(before.warnings).toEqual([expect.stringContaining('PUT /api/v1/vendor-keys/deepgram')]);
    expect(codeOf(await startSession(tenant, before.id))).toEqual([409, 'provider_unavailable']);
    await put(tenant, 'deepgram', { api_key: MINE });
    const read = await plane.request('GET', `/api/v1/agents/${before.id}`, { key: tenant.key });
    expect(read.json).toMatchObject({ warnings: [] });
    const session = await startSession(tenant, before.id);
    expect(session.status, session.text).toBe(201);
    const plan = worker.plans.at(-1)!;
    expect(plan.credentials).toEqual({
      deepgram: { api_key: MINE, base_url: deepgram.url.replace('http', 'ws') },
    });
    expect(plan.agent.own_vendors).toEqual(['deepgram']);
    await plane.request('DELETE', path('deepgram'), { key: tenant.key });
    expect(codeOf(await startSession(tenant, before.id))).toEqual([409, 'provider_unavailable']);
  });

  it('uses it before the installation’s, which is used again once it is deleted', async () => {
    const tenant = await newTenant();
    const { id } = await createAgent(tenant, { tts: { provider: 'elevenlabs' } });
    const keyInUse = async () => {
      expect((await startSession(tenant, id)).status).toBe(201);
      return worker.plans.at(-1)!.credentials.elevenlabs?.api_key;
    };
    expect(await keyInUse()).toBe('xi-key-of-the-installation');
    await put(tenant, 'elevenlabs', { api_key: 'xi-key-of-the-tenant', verify: false });
    expect(await keyInUse()).toBe('xi-key-of-the-tenant');
    await plane.request('DELETE', path('elevenlabs'), { key: tenant.key });
    expect(await keyInUse()).toBe('xi-key-of-the-installation');
  });

  it('is never continued on the installation’s account once its own key is gone', async () => {
    const tenant = await newTenant();
    const { vendors } = plane.platform.config;
    const keys = new VendorKeys({
      ...plane.platform,
      vendors,
      http: new VendorHttp(createAddressPolicy([])),
    });
    const account = async (own_vendors?: string[]) =>
      (await keys.accounts({ tenant: asTenantId(tenant.tenantId), own_vendors })).elevenlabs;
    await put(tenant, 'elevenlabs', { api_key: 'xi-key-of-the-tenant', verify: false });
    expect((await account(['elevenlabs'])).apiKey).toBe('xi-key-of-the-tenant');
    // A call that began before there was a key.
    expect((await account()).apiKey).toBe('xi-key-of-the-installation');
    await plane.request('DELETE', path('elevenlabs'), { key: tenant.key });
    expect(await account(['elevenlabs'])).toEqual({ url: elevenLabs.url });
  });

  it('asks its language model outside of calls with it too', async () => {
    const tenant = await newTenant();
    const { id } = await createAgent(tenant, { llm: { provider: 'openai' } });
    const say = () =>
      plane.request('POST', `/api/v1/agents/${id}/test/text`, {
        key: tenant.key,
        body: { message: 'Hello' },
      });
    expect((await say()).text).toContain('event: error');
    await put(tenant, 'openai', { api_key: OPENAI });
    const answered = await say();
    expect(answered.text).toContain('event: done');
    expect(answered.text).not.toContain('event: error');
  });
});

describe('GET /voices', () => {
  const ask = async ({ key }: Tenant, query: string) =>
    (await plane.request('GET', `/api/v1/voices?${query}`, { key })).json as VoiceListResponse;

  it('lists the voices a page at a time, each heard by its preview', async () => {
    const tenant = await newTenant();
    const first = await ask(tenant, 'provider=elevenlabs&language=en&limit=3');
    expect(first.voices.map(({ name }) => name)).toEqual(['Rachel', 'Drew', 'Bill']);
    expect(first).toMatchObject({ has_more: true, sources: [{ provider: 'elevenlabs', state: 'fresh' }] });
    const second = await ask(tenant, `provider=elevenlabs&language=en&limit=3&cursor=${first.next_cursor}`);
    expect(second).toMatchObject({ voices: [{ name: 'Alice' }], has_more: false, next_cursor: null });
    const heard = await plane.request('GET', first.voices[0]!.preview_url!, { key: tenant.key });
    expect([heard.status, heard.headers.get('content-type')]).toEqual([200, 'audio/mpeg']);
    const other = await plane.request('GET', `/api/v1/voices?q=a&cursor=${first.next_cursor}`, {
      key: tenant.key,
    });
    expect(codeOf(other)).toEqual([422, 'invalid_cursor']);
  });

  it('uses the key of the tenant, and lists of all providers those that can be used', async () => {
    const tenant = await newTenant();
    const providers = async () => (await ask(tenant, 'limit=1')).sources.map(({ provider }) => provider);
    expect(await providers()).toEqual(['elevenlabs', 'local']);
    expect(
      codeOf(await plane.request('GET', '/api/v1/voices?provider=deepgram', { key: tenant.key })),
    ).toEqual([409, 'provider_unavailable']);
    await put(tenant, 'deepgram', { api_key: MINE });
    expect(await providers()).toEqual(['elevenlabs', 'deepgram', 'local']);
    expect((await ask(tenant, 'q=viktoria')).voices).toMatchObject([
      { provider: 'deepgram', voice_config: { model: 'aura-2-viktoria-de' } },
    ]);
  });
});
