import { timed } from '@voice/shared/clock/testing/given-time';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startTestControlPlane, type TestControlPlane } from '../../testing/control-plane.js';
import { eventually } from '../../testing/eventually.js';
import { startTestStoreProcess, type TestStoreProcess } from '../../testing/store.js';

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
afterEach(() => store.thaw());

describe('a store that is frozen: connections stay open, nothing answers', () => {
  it('is answered for with 503 store_unavailable and Retry-After within 5 s, reads and writes alike', async () => {
    store.freeze();
    const asked = await Promise.all([
      timed(() => plane.request('GET', '/api/v1/agents', { key })),
      timed(() => plane.request('GET', '/api/v1/calls', { key })),
      timed(() =>
        plane.request('POST', '/api/v1/agents', {
          key,
          body: { name: 'A', system_prompt: 'You talk.' },
          headers: { 'idempotency-key': 'once' },
        }),
      ),
    ]);
    // Later ones find neither a connection nor a server.
    asked.push(await timed(() => plane.request('GET', '/api/v1/agents', { key })));
    for (const { result: answer, tookMs } of asked) {
      expect([answer.status, answer.json]).toMatchObject([503, { code: 'store_unavailable' }]);
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(tookMs).toBeLessThan(5000);
    }
  });

  it('makes /readyz answer 503 within 3 s, while /healthz stays 200', async () => {
    store.freeze();
    const { result: answer, tookMs } = await timed(() => plane.request('GET', '/readyz'));
    expect([answer.status, answer.json]).toMatchObject([503, { checks: { store: false } }]);
    expect(tookMs).toBeLessThan(3000);
    expect((await plane.request('GET', '/healthz')).status).toBe(200);
  });

  it('is used again as soon as it answers', async () => {
    store.freeze();
    expect((await plane.request('GET', '/api/v1/agents', { key })).status).toBe(503);
    store.thaw();
    await eventually(
      async () => (await plane.request('GET', '/api/v1/agents', { key })).status,
      (status) => status === 200,
    );
    await eventually(
      async () => (await plane.request('GET', '/readyz')).status,
      (status) => status === 200,
    );
  });
});
