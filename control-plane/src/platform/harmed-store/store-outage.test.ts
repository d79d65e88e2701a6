import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestControlPlane, type TestControlPlane } from '../../testing/control-plane.js';
import { startTestStoreProcess, type TestStoreProcess } from '../../testing/store.js';

let store: TestStoreProcess;
let plane: TestControlPlane;

beforeAll(async () => {
  store = await startTestStoreProcess();
  plane = await startTestControlPlane(`${store.uri}?serverSelectionTimeoutMS=300`);
});
afterAll(async () => {
  await plane?.close();
  await store?.close();
});

it('given a store that died, answers 503 store_unavailable, and is alive but not ready', async () => {
  const { key } = await plane.newKey();
  await store.kill();
  // The first ones meet dying connections, the later ones nobody.
  for (let i = 0; i < 3; i++) {
    const early = await plane.request('GET', '/api/v1/agents', { key });
    expect([early.status, early.json]).toMatchObject([503, { code: 'store_unavailable' }]);
  }
  const answer = await plane.request('GET', '/api/v1/agents', { key });
  expect([answer.status, answer.json]).toMatchObject([503, { code: 'store_unavailable' }]);
  expect(answer.headers.get('retry-after')).toBe('1');
  expect(answer.headers.get('x-ratelimit-limit')).toMatch(/^\d+$/);
  expect((await plane.request('GET', '/healthz')).status).toBe(200);
  const ready = await plane.request('GET', '/readyz');
  expect([ready.status, ready.json]).toMatchObject([503, { checks: { store: false, accepting: true } }]);
});
