import { spawnSync } from 'node:child_process';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startTestControlPlane, type TestControlPlane } from '../../testing/control-plane.js';
import { eventually } from '../../testing/eventually.js';
import { startTestStoreProcess, type TestStoreProcess } from '../../testing/store.js';

const canLimit = spawnSync('prlimit', ['--version']).status === 0;
if (!canLimit) console.warn('SKIPPED: a full disk is not tested, for prlimit (util-linux) is not there.');

let store: TestStoreProcess;
let plane: TestControlPlane;
let key: string;

beforeAll(async () => {
  store = await startTestStoreProcess();
  plane = await startTestControlPlane(store.uri);
  ({ key } = await plane.newKey());
});
afterAll(async () => {
  await plane?.close();
  await store?.close();
});
afterEach(() => store.fillDisk(false));

const create = () =>
  plane.request('POST', '/api/v1/agents', { key, body: { name: 'A', system_prompt: 'You talk.' } });

describe.skipIf(!canLimit)('a store whose disk is full', () => {
  it('is answered for with 503 storage_full and Retry-After, and what was refused is not there', async () => {
    store.fillDisk(true);
    const answer = await create();
    expect([answer.status, answer.json]).toMatchObject([503, { code: 'storage_full' }]);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    store.fillDisk(false);
    const list = await plane.request('GET', '/api/v1/agents', { key });
    expect(list.json).toMatchObject({ agents: [] });
  });

  it('is not ready, says why, and lives', async () => {
    store.fillDisk(true);
    const ready = await plane.request('GET', '/readyz');
    expect([ready.status, ready.json]).toMatchObject([
      503,
      { reasons: ['storage_full'], checks: { store: true, storage: false } },
    ]);
    expect((await plane.request('GET', '/healthz')).status).toBe(200);
  });

  it('is used again as soon as there is room', async () => {
    store.fillDisk(true);
    expect((await create()).status).toBe(503);
    store.fillDisk(false);
    expect((await create()).status).toBe(201);
    await eventually(
      async () => (await plane.request('GET', '/readyz')).status,
      (status) => status === 200,
    );
  });
});
