import type { Timer } from '@voice/shared/clock/clock';
import { createAddressPolicy } from '@voice/shared/egress/address-policy';
import type { TenantId } from '@voice/shared/ids/ids';
import { Counter } from 'prom-client';
import { KeyedJob } from '../platform/jobs/keyed-job.js';
import type { Module, Platform } from '../platform/module.js';
import { Deliveries } from './deliveries/deliveries.js';
import { DeliveryLoop } from './deliveries/delivery-loop.js';
import { deliveryModel, tenantOfDestination } from './deliveries/delivery-model.js';
import { DeliveryQueue } from './deliveries/delivery-queue.js';
import { createFanOut } from './deliveries/fan-out.js';
import { Sender } from './deliveries/sender.js';
import { StoredTenantEvents } from './deliveries/stored-tenant-events.js';
import { EventLog } from './events/event-log.js';
import { eventModel } from './events/model.js';
import type { TenantEventSeries, TenantEvents } from './events/tenant-events.js';
import { listenerEventModel } from './listeners/listener-event-model.js';
import { Listeners } from './listeners/listeners.js';
import { webhookRoutes } from './routes.js';
import { subscriptionModel } from './subscriptions/subscription-model.js';
import { Subscriptions } from './subscriptions/subscriptions.js';

/** How often what a crash cut short is looked for, in ms. */
export const RESUME_INTERVAL_MS = 10_000;
/** How often attempts are looked for whose lease is over, in ms. */
const ADOPT_INTERVAL_MS = 4000;
/** And destinations for which something waits, and which have no job, in ms. */
const ENSURE_INTERVAL_MS = 60_000;

export interface WebhooksModule extends Module {
  /** Where all modules publish domain events. */
  readonly events: TenantEvents & TenantEventSeries;
  /** The attempts to bring a call's events to webhooks. */
  readonly deliveriesOfCall: Deliveries['listOfCall'];
  /** Erases events with their bodies: what is pending of them is skipped, and none can be replayed. */
  eraseEvents(tenant: TenantId, ids: readonly string[]): Promise<void>;
  /** Registers a recovery task that each replica runs every few seconds: it publishes what a crash left pending. */
  alsoResume(name: string, task: () => Promise<void>): void;
}

/** Builds the path of events from their publishers to the tenants' receivers. */
export function createWebhooksModule(platform: Platform): WebhooksModule {
  const { store, clock, config, secrets, metrics, tracer } = platform;
  const log = platform.log.child({ module: 'webhooks' });
  const policy = createAddressPolicy(config.egressAllow);
  const events = eventModel(store);
  const deliveries = deliveryModel(store);
  const subscriptions = subscriptionModel(store);

  const destinations = new KeyedJob({
    name: 'webhooks',
    run: (destination, run) => loop.serve(destination, { signal: run.signal, rest: (ms) => run.rest(ms) }),
    // A receiver's URL may be all that keeps others from it.
    fieldsOf: (destination) => ({ tenant_id: tenantOfDestination(destination) }),
  });
  const schedule = (destination: string, at: number) => destinations.schedule(destination, at);
  const queue = new DeliveryQueue({
    deliveries,
    subscriptions,
    events,
    secrets,
    clock,
    log,
    random: Math.random,
    schedule,
  });
  const sender = new Sender({ policy, clock, headerPrefix: config.productHeaderPrefix });
  const outcomes = new Counter({
    name: 'webhook_attempts_total',
    help: 'Webhook delivery attempts by outcome.',
    labelNames: ['outcome'],
    registers: [metrics],
  });
  const listeners = new Listeners({
    subscriptions,
    waiting: listenerEventModel(store),
    events,
    secrets,
    headerPrefix: config.productHeaderPrefix,
    clock,
    log,
    outcomes: new Counter({
      name: 'webhook_listener_deliveries_total',
      help: 'Events sent to webhook listeners, by how the receiver behind them answered.',
      labelNames: ['outcome'],
      registers: [metrics],
    }),
  });
  const loop = new DeliveryLoop({ queue, sender, tracer, clock, log, outcomes });
  const tenantEvents = new StoredTenantEvents({
    events,
    clock,
    log,
    fanOut: createFanOut({ subscriptions, deliveries, queue, clock, outlet: loop, listeners }),
  });

  const subscriptionService = new Subscriptions({
    subscriptions,
    secrets,
    policy,
    clock,
    skipPending: (scope, id, reason) => deliveryService.skipPending(scope, id, reason),
  });
  const deliveryService = new Deliveries({
    deliveries,
    events,
    subscriptions: subscriptionService,
    clock,
    cursors: platform.cursors,
    due: schedule,
  });

  const resumed = new Map<string, () => Promise<void>>([
    ['events', () => tenantEvents.resume()],
    ['attempts', () => queue.resume()],
  ]);
  let timer: Timer | undefined;
  let resuming: Promise<unknown> = Promise.resolve();
  const resume = () => {
    resuming = Promise.all(
      [...resumed].map(([what, task]) =>
        task().catch((err: unknown) => log.error({ err, what }, 'what was cut short could not be resumed')),
      ),
    ).finally(() => {
      if (!stopped) timer = clock.schedule(RESUME_INTERVAL_MS, resume);
    });
  };
  let stopped = false;

  let adoption: Timer | undefined;
  let adopting: Promise<void> | undefined;
  let ensuredAt = Number.NEGATIVE_INFINITY;
  let adoptionWanted = false;
  const adopt = () => {
    adoption = clock.schedule(ADOPT_INTERVAL_MS, adopt);
    adoptionWanted = true;
    adopting ??= adoptWhileWanted().finally(() => {
      adopting = undefined;
    });
  };
  /** Looks once more where one look took longer than it is to the next. */
  const adoptWhileWanted = async () => {
    while (adoptionWanted && !stopped) {
      adoptionWanted = false;
      await adoptDestinations().catch((err: unknown) =>
        log.error({ err }, 'deliveries whose sender died could not be found'),
      );
    }
  };
  const adoptDestinations = async () => {
    const now = clock.monotonic();
    if (now - ensuredAt >= ENSURE_INTERVAL_MS) {
      await destinations.ensure(await queue.destinations());
      ensuredAt = now;
    }
    await queue.adopt();
  };

  return {
    name: 'webhooks',
    events: tenantEvents,
    deliveriesOfCall: (scope, callId, page) => deliveryService.listOfCall(scope, callId, page),
    eraseEvents: (tenant, ids) => tenantEvents.erase(tenant, ids),
    alsoResume: (name, task) => {
      resumed.set(name, task);
    },
    routes: webhookRoutes({
      subscriptions: subscriptionService,
      deliveries: deliveryService,
      events: new EventLog({ events, cursors: platform.cursors }),
      listeners,
      clock,
    }),
    keyedJobs: [destinations],
    async start() {
      loop.start();
      resume();
      adopt();
    },
    endStreams: () => listeners.close(),
    async stop() {
      stopped = true;
      listeners.close();
      timer?.cancel();
      adoption?.cancel();
      await Promise.all([resuming, adopting]);
      await loop.stop();
      await tenantEvents.settled();
      await listeners.settled();
    },
  };
}
