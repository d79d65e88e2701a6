import { asTenantId, newId } from '@voice/shared/ids/ids';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestControlPlane, type TestControlPlane } from '../../testing/control-plane.js';
import { startTestStore, type TestStore } from '../../testing/store.js';
import type { ApiKeyCreateResponse, ApiKeyListResponse } from './schemas.js';
import { ApiKeysService } from './service.js';

let store: TestStore;
let plane: TestControlPlane;

beforeAll(async () => {
  store = await startTestStore();
  plane = await startTestControlPlane(store.uri);
});
afterAll(async () => {
  await plane?.close();
  await store?.close();
});

const create = async (key: string, body: unknown) => {
  const answer = await plane.request('POST', '/api/v1/keys', { key, body });
  expect(answer.status).toBe(201);
  return answer.json as ApiKeyCreateResponse;
};

describe('API keys', () => {
  // @rule 5.9
  it.each([
    { sandbox: true, form: /^sk_test_[A-Za-z0-9_-]{32}$/ },
    { sandbox: false, form: /^sk_live_[A-Za-z0-9_-]{32}$/ },
  ])('shows a new key once (sandbox $sandbox), and it works at once', async ({ sandbox, form }) => {
    // Production makes keys for both modes.
    const owner = await plane.newKey({ sandbox: false });
    const made = await create(owner.key, { name: 'ci', sandbox });
    expect(made.key).toMatch(form);
    expect(made.key.startsWith(made.key_prefix)).toBe(true);
    expect(made).toMatchObject({ name: 'ci', sandbox });

    const listed = await plane.request('GET', '/api/v1/keys', { key: made.key });
    expect(listed.status).toBe(200);
    expect(listed.text).not.toContain(made.key);
    expect((listed.json as ApiKeyListResponse).keys.map((entry) => entry.id)).toContain(made.id);
  });

  // @rule 2.4, 5.9
  it('stores the hash only', async () => {
    const { key } = await plane.newKey();
    const rows = await plane.platform.store.collection('api_keys').find().toArray();
    expect(JSON.stringify(rows)).not.toContain(key.slice(8));
    expect(rows.length).toBeGreaterThan(0);
  });

  // @rule 4.6
  it('refuses a deleted key from the next request on', async () => {
    const owner = await plane.newKey();
    const made = await create(owner.key, { name: 'short-lived' });
    expect((await plane.request('DELETE', `/api/v1/keys/${made.id}`, { key: owner.key })).status).toBe(204);
    const answer = await plane.request('GET', '/api/v1/keys', { key: made.key });
    expect(answer.status).toBe(401);
    expect(answer.json).toMatchObject({ code: 'invalid_api_key' });
  });

  it("neither shows nor deletes another tenant's keys", async () => {
    const [mine, theirs] = [await plane.newKey(), await plane.newKey()];
    const answer = await plane.request('DELETE', `/api/v1/keys/${theirs.id}`, { key: mine.key });
    expect(answer.status).toBe(404);
    expect(answer.json).toMatchObject({ code: 'api_key_not_found' });
    const listed = await plane.request('GET', '/api/v1/keys', { key: mine.key });
    expect((listed.json as ApiKeyListResponse).keys.map((entry) => entry.id)).toEqual([mine.id]);
  });

  it.each([
    ['no name', {}, ['body', 'name'], 'missing'],
    ['an empty name', { name: ' ' }, ['body', 'name'], 'too_small'],
    ['a sandbox that is no boolean', { name: 'x', sandbox: 'yes' }, ['body', 'sandbox'], 'invalid_type'],
    ['an operator in place of a text', { name: { $gt: '' } }, ['body', 'name'], 'invalid_type'],
  ])('refuses %s with a HTTPValidationError', async (_what, body, loc, type) => {
    const { key } = await plane.newKey();
    const answer = await plane.request('POST', '/api/v1/keys', { key, body });
    expect(answer.status).toBe(422);
    expect(answer.json).toMatchObject({ code: 'validation_error', detail: [{ loc, type }] });
  });

  it('gives a second key of the same name to the same tenant', async () => {
    const first = await plane.newKey({ tenant: 'acme' });
    const second = await plane.newKey({ tenant: 'acme', sandbox: false });
    expect(second.tenantId).toBe(first.tenantId);
    expect(second.key).toMatch(/^sk_live_/);
  });

  it('makes one tenant when a new name is asked for many times at once', async () => {
    const made = await Promise.all(Array.from({ length: 8 }, () => plane.newKey({ tenant: 'in a hurry' })));
    expect(new Set(made.map((entry) => entry.tenantId)).size).toBe(1);
  });

  it('made again under the same id, after a crash before the answer, is a new key in place of the lost one', async () => {
    const { tenantId, key } = await plane.newKey();
    const keys = new ApiKeysService(plane.platform);
    const scope = { tenant: asTenantId(tenantId), sandbox: true };
    const wanted = { id: newId(), name: 'n', createdBy: null };
    const lost = await keys.create(scope, wanted);
    const kept = await keys.create(scope, wanted);
    expect(await keys.lookup(lost.key)).toBeNull();
    expect(await keys.lookup(kept.key)).toMatchObject(scope);
    expect((await plane.request('GET', '/api/v1/keys?include_total=true', { key })).json).toMatchObject({
      total: 2,
    });
  });

  it('gives pages by cursor', async () => {
    const owner = await plane.newKey();
    for (let i = 0; i < 4; i++) await create(owner.key, { name: `key ${i}` });
    const names: string[] = [];
    let path = '/api/v1/keys?limit=2&include_total=true';
    for (let pages = 1; ; pages++) {
      const page = (await plane.request('GET', path, { key: owner.key })).json as ApiKeyListResponse;
      names.push(...page.keys.map((entry) => entry.name));
      expect(page.total).toBe(5);
      expect(page.has_more).toBe(page.next_cursor !== null);
      if (page.next_cursor === null) {
        expect(pages).toBe(3);
        break;
      }
      path = `/api/v1/keys?limit=2&include_total=true&cursor=${page.next_cursor}`;
    }
    expect(names).toEqual(['key 3', 'key 2', 'key 1', 'key 0', 'test']);
  });
});
