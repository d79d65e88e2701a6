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

describe('9. Versioning', () => {
  // @rule 9.1
  it('The API is path-versioned; all public paths start with /api/v1/ (the description is at /v1/openapi.json).', async () => {
    const { paths } = await description();
    expect(Object.keys(paths).filter((path) => !path.startsWith('/api/v1/'))).toEqual([]);
  });

  // @rule 9.2
  it('The description version is 1.0.0.', async () => {
    expect((await description()).info.version).toBe('1.0.0');
  });

  // @rule 9.3
  it('The deprecated endpoint POST /api/v1/billing/checkout is kept for compatibility, and is the only deprecated one.', async () => {
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
  it('Internal routes (carrier and payment-provider intakes, identity-provider sync, operator controls, LLM proxy, live-call streams) are outside the compatibility contract.', async () => {
    const { paths } = await description();
    const internal = scene.plane.modules.flatMap(({ intakeRoutes = [], internalRoutes = [] }) => [
      ...intakeRoutes,
      ...internalRoutes,
    ]);
    expect(internal.length).toBeGreaterThan(10);
    expect(internal.filter(({ path }) => path in paths || !path.startsWith('/internal/'))).toEqual([]);
  });
});
