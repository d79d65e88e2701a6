import { interPlaneAuthorization } from '@voice/shared/inter-plane/token';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PENDING_SWITCH } from '../../agents/model.js';
import { type ControlPlaneProcess, startControlPlaneProcess } from '../../testing/control-plane-process.js';
import { eventually } from '../../testing/eventually.js';
import { startTestStore, type TestStore } from '../../testing/store.js';
import { WebhookReceiver } from '../../testing/webhook-receiver.js';
import { deliveryModel } from './delivery-model.js';

const SECRET = 'an internal secret for tests';
const ROUNDS = 3;

let store: TestStore;
let receiver: WebhookReceiver;
let serving: ControlPlaneProcess | undefined;
let key: string;

async function startProcess(): Promise<void> {
  serving = await startControlPlaneProcess({
    MONGODB_URI: store.uri,
    INTERNAL_SECRET: SECRET,
    EGRESS_ALLOW: '127.0.0.0/8',
  });
}

async function request(method: string, path: string, value: object) {
  const body = JSON.stringify(value);
  const isInternal = path.startsWith('/internal/');
  const authorization = isInternal
    ? interPlaneAuthorization({ secret: SECRET, method, path, body, now: Date.now() })
    : `Bearer ${key}`;
  const port = isInternal ? serving?.internalPort : serving?.port;
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { authorization, 'content-type': 'application/json' },
    body,
  });
  return (await response.json()) as Record<string, string>;
}

beforeAll(async () => {
  store = await startTestStore();
  receiver = await WebhookReceiver.start();
  await startProcess();
  ({ key } = (await request('POST', '/internal/keys', { name: 'k', sandbox: true })) as { key: string });
});
afterAll(async () => {
  await serving?.kill();
  await receiver?.close();
  await store?.close();
});

describe('a control plane that is killed while events happen', () => {
  // @rule 6.5
  it('loses none that it has answered for: each arrives at least once, by one delivery', async () => {
    const { id: webhook } = await request('POST', '/api/v1/webhooks', { url: receiver.url() });
    const names = Array.from({ length: 6 }, (_, i) => ({ name: `Agent ${i}`, system_prompt: 'Hello.' }));
    const agents = await Promise.all(names.map((body) => request('POST', '/api/v1/agents', body)));
    const connection = await store.connect();
    const eventRows = connection.collection('events');
    let answered = 0;
    for (let round = 0; round < ROUNDS; round++) {
      let killed = false;
      const switching = agents.map(async ({ id }) => {
        for (let i = 0; !killed; i++) {
          const done = await request('PATCH', `/api/v1/agents/${id}`, { is_active: i % 2 === 1 }).catch(
            () => null,
          );
          if (done?.is_active !== undefined && (i > 0 || round === 0)) answered++;
        }
      });
      const enough = answered + 15;
      await eventually(() => answered >= enough);
      killed = true;
      await serving?.kill();
      await Promise.all(switching);
      // What was cut short is completed when it is a few seconds old: not waited for here.
      await eventRows.updateMany({ fanned_out: false }, { $set: { created_at: new Date(0) } });
      await startProcess();
    }
    const deliveries = deliveryModel(connection);
    await eventually(
      async () =>
        (await eventRows.countDocuments({ fanned_out: false })) === 0 &&
        (await connection.collection('agents').countDocuments({ [PENDING_SWITCH]: { $ne: null } })) === 0,
    );
    // What was being sent when its sender died is sent again when its lease is over: not waited for here.
    await deliveries.updateMany({ status: 'pending' }, { $set: { lease_until: new Date(0) } });
    await eventually(async () => (await deliveries.countDocuments({ status: { $ne: 'succeeded' } })) === 0);
    const events = await eventRows.distinct('_id');
    const arrived = new Set(receiver.received.map(({ event }) => event.event_id));
    expect(events.length).toBeGreaterThanOrEqual(answered);
    expect([...arrived].sort()).toEqual(events.map(String).sort());
    expect(await deliveries.countDocuments({ subscription_id: webhook })).toBe(events.length);
  }, 240_000);
});
