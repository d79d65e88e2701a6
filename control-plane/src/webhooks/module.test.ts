import { newId } from '@voice/shared/ids/ids';
import { type Log, silentLog } from '@voice/shared/log/log';
import { Registry } from 'prom-client';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Platform } from '../platform/module.js';
import { eventually } from '../testing/eventually.js';
import { signatureHolds, WebhookReceiver } from '../testing/webhook-receiver.js';
import { DeliveryLoop } from './deliveries/delivery-loop.js';
import { createWebhooksModule, RESUME_INTERVAL_MS, type WebhooksModule } from './module.js';
import { type StoredWebhooks, startStoredWebhooks } from './testing/stored-webhooks.js';

let webhooks: StoredWebhooks;
let receiver: WebhookReceiver;
let metrics: Registry;
let errors: object[];
let module: WebhooksModule;

beforeAll(async () => {
  webhooks = await startStoredWebhooks();
  receiver = await WebhookReceiver.start();
});
beforeEach(() => {
  metrics = new Registry();
  errors = [];
  const log: Log = { ...silentLog, error: (fields) => void errors.push(fields), child: () => log };
  module = createWebhooksModule({
    ...webhooks,
    store: webhooks.connection,
    metrics,
    log,
    config: { egressAllow: ['127.0.0.0/8'], productHeaderPrefix: 'X-Service-' },
  } as unknown as Platform);
  const keep = async () => {};
  for (const job of module.keyedJobs ?? []) job.bind({ schedule: keep, ensure: keep });
});
afterEach(async () => {
  await module.stop?.();
  expect(webhooks.clock.pending).toBe(0);
});
afterAll(async () => {
  await receiver?.close();
  await webhooks?.close();
});

/** A task that counts its rounds, each of which ends when the test says so. */
function task() {
  let end = () => {};
  const counted = {
    rounds: 0,
    end: () => {
      end();
      return new Promise((resolve) => setImmediate(resolve));
    },
    run: () => {
      counted.rounds++;
      return new Promise<void>((resolve) => {
        end = resolve;
      });
    },
  };
  return counted;
}

describe('the webhooks of a replica', () => {
  it('bring an event to its receiver, signed, and count the attempt', async () => {
    expect(module.name).toBe('webhooks');
    const tenant = await webhooks.reset();
    await webhooks.subscription({ url: receiver.url() });
    await module.start?.();
    const id = newId();
    await module.events.emit({
      id,
      type: 'agent.activated',
      tenant,
      sandbox: true,
      occurredAt: webhooks.clock.now(),
      data: { agent_id: newId() },
    });
    await eventually(() => receiver.received.length === 1);
    const [sent] = receiver.received;
    expect(sent!.headers['x-service-event-id']).toBe(id);
    expect(signatureHolds(sent!, 'whsec_x', webhooks.clock.now())).toBe(true);
    const count = () => metrics.getSingleMetricAsString('webhook_attempts_total');
    await eventually(async () => (await count()).includes('webhook_attempts_total{outcome="succeeded"} 1'));
    await module.stop?.();
    // What was still to be noted is noted.
    expect(await webhooks.events.countDocuments({ _id: id, fanned_out: true })).toBe(1);
  });

  it('make up at their start for what a crash cut short', async () => {
    await webhooks.reset();
    const subscription = await webhooks.subscription({ url: receiver.url() });
    const old = webhooks.event({ created_at: new Date(webhooks.clock.now() - RESUME_INTERVAL_MS) });
    await webhooks.events.insertMany([old]);
    const failed = await webhooks.pending(subscription, {
      status: 'failed',
      next_due_at: new Date(webhooks.clock.now() + 1),
    });
    await module.start?.();
    const rows = () => webhooks.deliveries.find({ _id: { $ne: failed._id } }).lean();
    await eventually(async () => (await rows()).length === 2);
    expect((await rows()).map(({ event_id }) => event_id).sort()).toEqual([old._id, failed.event_id].sort());
  });
});

describe('what other modules have resumed', () => {
  it('runs at the start, and ten seconds after each round has ended', async () => {
    const resumed = task();
    module.alsoResume('calls', resumed.run);
    await module.start?.();
    expect([resumed.rounds, RESUME_INTERVAL_MS]).toEqual([1, 10_000]);
    webhooks.clock.advance(2 * RESUME_INTERVAL_MS);
    expect(resumed.rounds).toBe(1);
    await resumed.end();
    // The module's own tasks ask the store.
    const pause = () => webhooks.clock.pending === 3;
    await eventually(pause);
    webhooks.clock.advance(RESUME_INTERVAL_MS - 1);
    expect(resumed.rounds).toBe(1);
    webhooks.clock.advance(1);
    expect(resumed.rounds).toBe(2);
    await resumed.end();
  });

  it('is tried again after it has failed, and holds up nothing else', async () => {
    const other = task();
    let failures = 0;
    module.alsoResume('calls', () => Promise.reject(new Error(`failure ${++failures}`)));
    module.alsoResume('agents', other.run);
    await module.start?.();
    expect([failures, other.rounds]).toEqual([1, 1]);
    await other.end();
    await eventually(() => webhooks.clock.pending === 3);
    expect(errors).toEqual([{ err: new Error('failure 1'), what: 'calls' }]);
    webhooks.clock.advance(RESUME_INTERVAL_MS);
    expect([failures, other.rounds]).toEqual([2, 2]);
    await other.end();
  });

  it('is waited for when the replica stops, and does not begin again', async () => {
    const resumed = task();
    module.alsoResume('calls', resumed.run);
    await module.start?.();
    const stopLoop = vi.spyOn(DeliveryLoop.prototype, 'stop');
    const stopping = module.stop?.();
    await new Promise((resolve) => setImmediate(resolve));
    expect(stopLoop).not.toHaveBeenCalled();
    await resumed.end();
    await stopping;
    expect(stopLoop).toHaveBeenCalledTimes(1);
    stopLoop.mockRestore();
    expect(webhooks.clock.pending).toBe(0);
  });
});
