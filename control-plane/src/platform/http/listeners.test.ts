import { networkInterfaces } from 'node:os';
import { newId } from '@voice/shared/ids/ids';
import { interPlaneAuthorization } from '@voice/shared/inter-plane/token';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { replicas, startTestControlPlane, type TestControlPlane } from '../../testing/control-plane.js';
import { startTestStore, type TestStore } from '../../testing/store.js';
import type { Route } from './route.js';

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

const declared = (kind: 'routes' | 'intakeRoutes' | 'internalRoutes'): Route[] =>
  plane.modules.flatMap((module) => module[kind] ?? []);
const concrete = ({ path }: Route) =>
  path.replaceAll(/\{(\w+)\}/g, (_match, name) => (name === 'carrier' ? 'twilio' : newId()));
const statusAt = async (url: string, path: string, method = 'GET') =>
  (await fetch(url + path, { method: method.toUpperCase(), headers: { 'x-sandbox': 'true' } })).status;
/** The control plane itself: what stands before replicas serves both listeners at one address. */
const publicUrl = () => `http://127.0.0.1:${new URL(plane.platform.publicUrl()).port}`;
const behindBalancer = replicas() > 1;

describe.skipIf(behindBalancer)('the public listener', () => {
  it('serves nothing that is between the planes, and no metrics', async () => {
    expect(await statusAt(publicUrl(), '/metrics')).toBe(404);
    expect(declared('internalRoutes').length).toBeGreaterThan(10);
    for (const route of declared('internalRoutes')) {
      const path = concrete(route);
      const authorization = interPlaneAuthorization({
        secret: plane.platform.config.internalSecret,
        method: route.method,
        path,
        now: Date.now(),
      });
      const answer = await fetch(publicUrl() + path, {
        method: route.method.toUpperCase(),
        headers: { authorization },
      });
      expect([route.path, answer.status]).toEqual([route.path, 404]);
      expect(await answer.json()).toMatchObject({ code: 'not_found' });
    }
  });

  it('serves what carriers and the payment provider send, which is signed by them', async () => {
    const intakes = declared('intakeRoutes');
    expect(intakes.map(({ path }) => path)).toEqual(
      expect.arrayContaining([
        '/internal/carriers/twilio/status',
        '/internal/carriers/twilio/inbound',
        '/internal/carriers/simulated/inbound',
        '/internal/carriers/telnyx/events',
        '/internal/payments/stripe',
      ]),
    );
    for (const route of intakes) {
      const answer = await fetch(publicUrl() + concrete(route), { method: route.method.toUpperCase() });
      expect((await answer.json()) as object).not.toMatchObject({ code: 'not_found' });
    }
  });

  it('listens on the loopback address alone unless HOST says otherwise', async () => {
    const others = Object.values(networkInterfaces())
      .flatMap((entries) => entries ?? [])
      .filter(({ internal, family }) => !internal && family === 'IPv4');
    for (const { address } of others) {
      await expect(fetch(`http://${address}:${plane.port}/healthz`)).rejects.toThrow();
      await expect(fetch(`http://${address}:${plane.internalPort}/metrics`)).rejects.toThrow();
    }
    const open = await startTestControlPlane(store.uri, { env: { HOST: '0.0.0.0' } });
    for (const { address } of others) {
      expect(await statusAt(`http://${address}:${open.port}`, '/healthz')).toBe(200);
      await expect(fetch(`http://${address}:${open.internalPort}/metrics`)).rejects.toThrow();
    }
    await open.close();
  });
});

describe.skipIf(behindBalancer)('the internal listener', () => {
  it('serves no public route and nothing that strangers send', async () => {
    for (const route of [...declared('routes'), ...declared('intakeRoutes')]) {
      expect([route.path, await statusAt(plane.internalUrl, concrete(route), route.method)]).toEqual([
        route.path,
        404,
      ]);
    }
    for (const path of ['/docs', '/dashboard', '/talk', '/v1/openapi.json']) {
      expect(await statusAt(plane.internalUrl, path)).toBe(404);
    }
  });

  it('serves its metrics and its health', async () => {
    for (const path of ['/metrics', '/healthz', '/readyz']) {
      expect(await statusAt(plane.internalUrl, path)).toBe(200);
    }
  });
});
