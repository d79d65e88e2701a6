import { setTimeout as sleep } from 'node:timers/promises';
import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { HEARTBEAT_INTERVAL_MS, type Heartbeat } from '@voice/shared/contracts/worker';
import { silentLog } from '@voice/shared/log/log';
import { NO_TRACING } from '@voice/shared/tracing/tracer';
import mongoose, { type Connection } from 'mongoose';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { compose } from '../composition.js';
import { CursorCodec } from '../platform/http/pagination.js';
import { ROUND_EVERY_MS, Rounds } from '../platform/jobs/rounds.js';
import type { Module, Platform } from '../platform/module.js';
import { SecretBox } from '../platform/secrets/secret-box.js';
import { testConfig } from '../testing/control-plane.js';
import { startTestStore, type TestStore } from '../testing/store.js';
import { uriWith } from '../testing/store-uri.js';
import { MONITORED, WatchedCommands } from '../testing/watched-commands.js';

const MINUTE_MS = 60_000;

/** Commands by collection: 3.2 a second. What the lock of the rounds and the scan of due jobs add is in platform/jobs. */
const IN_A_MINUTE: Readonly<Record<string, number>> = {
  // A heartbeat every two seconds: what the worker says of itself.
  'workers.update': 30,
  // The calls that it should have, at every fourth of them; what is due to any sweep of calls, every two seconds; changes
  // that are not published, every ten.
  'calls.find': 7 + 30 + 6,
  // Whether a worker was lost, as soon as one could be; whether somebody has listened for it.
  'workers.find': 7,
  'sweeps.findAndModify': 30,
  'calls.distinct': 6,
  // Deliveries whose sender died, every four seconds; what is due and has no job, every ten.
  'webhook_deliveries.find': 15 + 6 + 1,
  'scheduled_jobs.find': 1,
  'events.find': 6,
  'agents.find': 6,
  'transfers.find': 15,
  'usage_records.find': 6,
  // Entries of ledgers that nobody posted.
  'billing_pending_entries.distinct': 6,
  'integration_revocations.findAndModify': 6,
  'phone_numbers.find': 3,
  'campaigns.find': 2,
  // Tenants with something to erase by age.
  'tenants.find': 1,
};

let store: TestStore;
let connection: Connection;
beforeAll(async () => {
  store = await startTestStore();
  connection = await mongoose
    .createConnection(uriWith(store.uri, MONITORED), { autoIndex: false, autoCreate: false })
    .asPromise();
});
afterAll(async () => {
  await connection?.close();
  await store?.close();
});

/** Waits until every command that was sent is answered, and nothing follows from it. */
function quietAfter(connected: Connection): () => Promise<void> {
  let open = 0;
  let sent = 0;
  const client = connected.getClient();
  client.on('commandStarted', () => {
    open++;
    sent++;
  });
  client.on('commandSucceeded', () => open--);
  client.on('commandFailed', () => open--);
  return async () => {
    for (let before = -1; before !== sent || open > 0; ) {
      before = sent;
      await sleep(3);
    }
  };
}

function platformOf(clock: ScriptedClock): Platform {
  const config = testConfig(store.uri);
  return {
    config,
    clock,
    log: silentLog,
    store: connection,
    metrics: new Registry(),
    tracer: NO_TRACING,
    secrets: new SecretBox(config.secretsKeys),
    cursors: new CursorCodec(config.secretsKeys),
    publicUrl: () => 'http://127.0.0.1:1',
    internalUrl: () => 'http://127.0.0.1:1',
  };
}

/** Returns what a worker's heartbeat does. */
function heartbeats(modules: readonly Module[]): () => Promise<void> {
  const path = '/internal/workers/heartbeat';
  const route = modules
    .flatMap(({ internalRoutes = [] }) => internalRoutes)
    .find((declared) => declared.path === path)!;
  const body: Heartbeat = {
    worker_id: 'worker-1',
    control_url: 'http://127.0.0.1:1',
    media_url: 'ws://127.0.0.1:1',
    capacity: 10,
    live: 0,
    reserved: 0,
    draining: false,
    calls: [],
    spooled_calls: [],
  };
  return async () => void (await route.handler({ body } as never));
}

it('sends the store three commands a second while there are no calls', async () => {
  const clock = new ScriptedClock();
  const { modules } = compose(platformOf(clock));
  const working = modules.filter(({ name }) => name !== 'jobs');
  const quiet = quietAfter(connection);
  const rounds = new Rounds({
    jobs: working.flatMap(({ jobs = [] }) => jobs),
    log: silentLog,
    now: () => clock.monotonic(),
  });
  const beat = heartbeats(working);
  const twoSeconds = async () => {
    clock.advance(ROUND_EVERY_MS);
    await Promise.all([rounds.run(), beat()]);
    await quiet();
  };
  expect(HEARTBEAT_INTERVAL_MS).toBe(ROUND_EVERY_MS);
  for (const module of working) await module.start?.();
  try {
    // The sweep for lost workers judges after it has listened for a while.
    for (let ms = 0; ms < MINUTE_MS; ms += ROUND_EVERY_MS) await twoSeconds();
    const watched = new WatchedCommands(connection);
    for (let ms = 0; ms < MINUTE_MS; ms += ROUND_EVERY_MS) await twoSeconds();
    const counts: Record<string, number> = {};
    for (const { collection, name } of watched.take()) {
      counts[`${collection}.${name}`] = (counts[`${collection}.${name}`] ?? 0) + 1;
    }
    expect(counts).toEqual(IN_A_MINUTE);
  } finally {
    rounds.stop();
    for (const module of [...working].reverse()) await module.stop?.();
  }
});
