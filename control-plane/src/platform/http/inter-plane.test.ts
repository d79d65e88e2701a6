import { newId } from '@voice/shared/ids/ids';
import { interPlaneAuthorization } from '@voice/shared/inter-plane/token';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { replicas, startTestControlPlane, type TestControlPlane } from '../../testing/control-plane.js';
import { startTestStore, type TestStore } from '../../testing/store.js';

let store: TestStore;
let plane: TestControlPlane;
let replica: TestControlPlane;

beforeAll(async () => {
  store = await startTestStore();
  plane = await startTestControlPlane(store.uri);
  replica = await startTestControlPlane(store.uri);
});
afterAll(async () => {
  await plane?.close();
  await replica?.close();
  await store?.close();
});

const PATH = '/internal/keys';
const signed = (body: string, path = PATH) =>
  interPlaneAuthorization({
    secret: plane.platform.config.internalSecret,
    method: 'POST',
    path,
    body,
    now: Date.now(),
  });
const post = (at: TestControlPlane, authorization: string, body: string, path = PATH) =>
  at.atInternal('POST', path, { headers: { authorization }, body });
const newKeyBody = () => JSON.stringify({ name: 'k', sandbox: true, tenant: `tenant ${newId()}` });
const keysOf = async (body: string) => {
  const { tenant } = JSON.parse(body) as { tenant: string };
  const row = await plane.platform.store.collection('tenants').findOne({ name: tenant });
  return row ? plane.platform.store.collection('api_keys').countDocuments({ tenant_id: row._id }) : 0;
};

describe('a request between the planes', () => {
  it('is refused with another body than the one that was signed, and does nothing', async () => {
    const body = newKeyBody();
    const answer = await post(plane, signed(body.replace('true', 'false')), body);
    expect([answer.status, answer.json]).toMatchObject([401, { code: 'invalid_signature' }]);
    expect(await keysOf(body)).toBe(0);
  });

  it('is taken once, by whichever replica it is sent to again', async () => {
    const body = newKeyBody();
    const authorization = signed(body);
    expect((await post(plane, authorization, body)).status).toBe(201);
    for (const at of [plane, replica]) {
      const answer = await post(at, authorization, body);
      expect([answer.status, answer.json]).toMatchObject([401, { code: 'invalid_signature' }]);
    }
    expect(await keysOf(body)).toBe(1);
  });

  it('sent to both replicas at the same time is taken by one', async () => {
    const body = newKeyBody();
    const authorization = signed(body);
    const answers = await Promise.all([plane, replica].map((at) => post(at, authorization, body)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 401]);
    expect(await keysOf(body)).toBe(1);
  });

  it.skipIf(replicas() > 1)('of a worker is taken once by a replica', async () => {
    const path = '/internal/events';
    const body = JSON.stringify({ worker_id: 'w', events: [{ call_id: newId(), seq: 1 }] });
    const authorization = signed(body, path);
    expect((await post(plane, authorization, body, path)).status).toBe(200);
    expect((await post(plane, authorization, body, path)).status).toBe(401);
  });
});
