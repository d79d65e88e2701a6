import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Scene } from './scene.js';

let scene: Scene;
beforeAll(async () => {
  scene = await Scene.set();
});
afterAll(() => scene?.close());

interface Description {
  readonly info: { readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly deprecated?: boolean }>>>>;
}
const description = () => scene.json<Description>(undefined, 'GET', '/v1/openapi.json');

describe('versioning', () => {
  // @rule 9.1
  it('puts every public path under /api/v1/', async () => {
    const { paths } = await description();
    expect(Object.keys(paths).filter((path) => !path.startsWith('/api/v1/'))).toEqual([]);
  });

  // @rule 9.2
  it('says version 1.0.0 in the description', async () => {
    expect((await description()).info.version).toBe('1.0.0');
  });

  // @rule 9.3
  it('keeps POST /billing/checkout, the only deprecated endpoint', async () => {
    const { paths } = await description();
    const deprecated = Object.entries(paths).flatMap(([path, operations]) =>
      Object.entries(operations).flatMap(([method, operation]) =>
        operation.deprecated ? [`${method} ${path}`] : [],
      ),
    );
    expect(deprecated).toEqual(['post /api/v1/billing/checkout']);
    const { live } = await scene.newTenant();
    const answer = await scene.ask(live, 'POST', '/api/v1/billing/checkout', { plan: 'starter' });
    expect(answer.headers.get('deprecation')).not.toBeNull();
  });

  // @rule 9.4
  it('leaves internal routes out of the description', async () => {
    const { paths } = await description();
    const internal = scene.plane.modules.flatMap(({ intakeRoutes = [], internalRoutes = [] }) => [
      ...intakeRoutes,
      ...internalRoutes,
    ]);
    expect(internal.length).toBeGreaterThan(10);
    expect(internal.filter(({ path }) => path in paths || !path.startsWith('/internal/'))).toEqual([]);
  });
});
