import { newId } from '@voice/shared/ids/ids';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestControlPlane, type TestControlPlane } from '../../testing/control-plane.js';
import { startTestStore, type TestStore } from '../../testing/store.js';
import { EVENT_TYPES } from '../events/event-types.js';
import type {
  EventCatalogResponse,
  WebhookConfigResponse,
  WebhookCreateResponse,
  WebhookResponse,
} from '../schemas.js';

const BASE = '/api/v1/webhooks';
const URL = 'https://receiver.example.com/hook';

let store: TestStore;
let plane: TestControlPlane;
let key: string;
let foreign: string;

beforeAll(async () => {
  store = await startTestStore();
  plane = await startTestControlPlane(store.uri);
});
beforeEach(async () => {
  ({ key } = await plane.newKey());
  ({ key: foreign } = await plane.newKey());
});
afterAll(async () => {
  await plane?.close();
  await store?.close();
});

async function create(body: object = {}, as = key): Promise<WebhookCreateResponse> {
  const answer = await plane.request('POST', BASE, { key: as, body: { url: URL, ...body } });
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
  return answer.json as WebhookCreateResponse;
}

describe('a webhook subscription', () => {
  // @rule 4.39
  it('POST answers 201 with the signing secret once; nothing else ever shows it', async () => {
    const { secret, ...shown } = await create({ event_types: ['call.completed'], sandbox: true });
    expect(secret).toMatch(/^whsec_[\w-]{43}$/);
    expect(shown).toMatchObject({
      url: URL,
      event_types: ['call.completed'],
      sandbox: true,
      is_active: true,
    });
    const one = await plane.request('GET', `${BASE}/${shown.id}`, { key });
    const list = await plane.request('GET', BASE, { key });
    expect(one.json).toEqual(shown);
    expect(list.json).toEqual([shown]);
    const stored = await plane.platform.store
      .collection<{ _id: string }>('webhook_subscriptions')
      .findOne({ _id: shown.id });
    expect(stored).toMatchObject({ url: URL });
    expect(JSON.stringify(stored)).not.toContain(secret);
  });

  // @rule 6.8
  it('a signing secret is generated per subscription', async () => {
    expect((await create()).secret).not.toBe((await create()).secret);
  });

  it('repeated with its Idempotency-Key is created once, with the same secret', async () => {
    const headers = { 'Idempotency-Key': newId() };
    const send = () => plane.request('POST', BASE, { key, body: { url: URL }, headers });
    const [first, again] = [await send(), await send()];
    expect(again.text).toBe(first.text);
    expect((await plane.request('GET', BASE, { key })).json).toHaveLength(1);
  });

  it('receives every event in the mode of the key by default', async () => {
    const { key: live } = await plane.newKey({ sandbox: false });
    expect(await create()).toMatchObject({ event_types: ['*'], sandbox: true });
    expect(await create({}, live)).toMatchObject({ event_types: ['*'], sandbox: false });
    expect(await create({ sandbox: true }, live)).toMatchObject({ sandbox: true });
  });

  it.each([
    ['no url', { url: undefined }],
    ['a url that is none', { url: 'receiver' }],
    ['another scheme', { url: 'ftp://example.com/' }],
    ['credentials in the url', { url: 'https://me:secret@example.com/' }],
    ['a private address', { url: 'http://169.254.169.254/latest/meta-data' }],
    ['this machine', { url: 'http://127.0.0.1:8080/' }],
    ['an unknown event type', { event_types: ['call.exploded'] }],
    ['no event type', { event_types: [] }],
    ['* beside a type', { event_types: ['*', 'call.started'] }],
    ['a type twice', { event_types: ['call.started', 'call.started'] }],
    ['an unknown field', { secret: 'mine' }],
  ])('is refused with 422 for %s', async (_what, wrong) => {
    const answer = await plane.request('POST', BASE, { key, body: { url: URL, ...wrong } });
    expect([answer.status, (answer.json as { code: string }).code]).toEqual([422, 'validation_error']);
    expect((await plane.request('GET', BASE, { key })).json).toEqual([]);
  });

  it('is refused with the reason where a URL may not be a receiver', async () => {
    const answer = await plane.request('POST', BASE, { key, body: { url: 'ftp://example.com/' } });
    expect(answer.json).toMatchObject({
      detail: [{ loc: ['body', 'url'], msg: 'must be an http or https URL' }],
    });
  });

  it('PATCH changes only what is given', async () => {
    const { secret: _secret, ...before } = await create({ description: 'old' });
    const answer = await plane.request('PATCH', `${BASE}/${before.id}`, {
      key,
      body: { event_types: ['agent.activated'], is_active: false },
    });
    const after = answer.json as WebhookResponse;
    expect(after).toEqual({
      ...before,
      event_types: ['agent.activated'],
      is_active: false,
      updated_at: after.updated_at,
    });
    const bad = await plane.request('PATCH', `${BASE}/${before.id}`, {
      key,
      body: { url: 'http://10.0.0.1/' },
    });
    expect(bad.status).toBe(422);
  });

  it('DELETE answers 204; it is gone then', async () => {
    const { id } = await create();
    expect((await plane.request('DELETE', `${BASE}/${id}`, { key })).status).toBe(204);
    const gone = await plane.request('GET', `${BASE}/${id}`, { key });
    expect([gone.status, (gone.json as { code: string }).code]).toEqual([404, 'webhook_not_found']);
  });

  it("another tenant's is absent: 404 for everything, and nothing changes", async () => {
    const { id, secret: _secret, ...mine } = await create();
    const fire = { event_type: 'call.started' };
    for (const [method, path, body] of [
      ['GET', ''],
      ['PATCH', '', { is_active: false }],
      ['DELETE', ''],
      ['GET', '/deliveries'],
      ['POST', '/test', fire],
    ] as const) {
      expect((await plane.request(method, `${BASE}/${id}${path}`, { key: foreign, body })).status).toBe(404);
    }
    expect((await plane.request('GET', `${BASE}/${id}`, { key })).json).toEqual({ id, ...mine });
    expect((await plane.request('GET', BASE, { key: foreign })).json).toEqual([]);
  });
});

describe('GET /api/v1/webhooks/event-types', () => {
  it('needs no credential and lists all 15 event types with description, schema and example', async () => {
    const { status, json } = await plane.request('GET', `${BASE}/event-types`);
    const { event_types: catalog } = json as EventCatalogResponse;
    expect(status).toBe(200);
    expect(catalog.map(({ event_type }) => event_type)).toEqual(Object.keys(EVENT_TYPES));
    expect(catalog).toHaveLength(15);
    for (const { event_type: type, description, json_schema: schema, example } of catalog) {
      expect(description).toMatch(/\w/);
      expect(example).toMatchObject({ event_type: type, occurred_at: expect.any(Number) });
      expect(() => EVENT_TYPES[type as keyof typeof EVENT_TYPES].data.parse(example.data)).not.toThrow();
      expect(schema).toMatchObject({
        type: 'object',
        required: ['event_id', 'event_type', 'tenant_id', 'sandbox', 'occurred_at', 'data'],
      });
    }
  });
});

describe('the tenant-level single webhook', () => {
  const config = async (method: string, as = key, body?: object) =>
    plane.request(method, `${BASE}/config`, { key: as, body });

  // @rule 4.43
  it('PUT generates a signing secret if none exists, and shows it once', async () => {
    const first = (await config('PUT', key, { url: URL })).json as WebhookConfigResponse;
    expect(first).toMatchObject({ url: URL, has_secret: true, secret: expect.stringMatching(/^whsec_/) });
    const again = (await config('PUT', key, { url: `${URL}2` })).json as WebhookConfigResponse;
    expect(again).toMatchObject({
      webhook_id: first.webhook_id,
      url: `${URL}2`,
      has_secret: true,
      secret: null,
    });
    expect((await config('GET')).json).toEqual(again);
  });

  it('GET of none is empty; DELETE removes it and its secret, also when there is none', async () => {
    expect((await config('GET')).json).toMatchObject({ url: null, webhook_id: null, has_secret: false });
    const { secret } = (await config('PUT', key, { url: URL })).json as WebhookConfigResponse;
    expect((await config('DELETE')).status).toBe(204);
    expect((await config('DELETE')).status).toBe(204);
    expect((await config('GET')).json).toMatchObject({ url: null, has_secret: false });
    expect((await config('PUT', key, { url: URL })).json).not.toMatchObject({ secret });
  });

  it('is set once by many requests at the same time: one of them gets the secret', async () => {
    const answers = await Promise.all([1, 2, 3, 4].map(() => config('PUT', key, { url: URL })));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const withSecret = answers.filter(({ json }) => (json as WebhookConfigResponse).secret !== null);
    expect(withSecret).toHaveLength(1);
  });

  it('is one for each tenant and mode, and not among the subscriptions', async () => {
    const tenant = `tenant ${newId()}`;
    const { key: test } = await plane.newKey({ tenant });
    const { key: live } = await plane.newKey({ tenant, sandbox: false });
    await config('PUT', test, { url: URL });
    expect((await config('GET', live)).json).toMatchObject({ url: null, sandbox: false });
    expect((await config('GET', foreign)).json).toMatchObject({ url: null });
    expect((await plane.request('GET', BASE, { key: test })).json).toEqual([]);
    expect((await config('PUT', test, { url: 'http://127.0.0.1/' })).status).toBe(422);
  });
});
