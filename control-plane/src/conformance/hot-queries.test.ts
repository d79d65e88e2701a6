import { SANDBOX_CALLER_ID, TEST_NUMBERS } from '@voice/shared/contracts/test-numbers';
import { newId } from '@voice/shared/ids/ids';
import type { mongo } from 'mongoose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Route } from '../platform/http/route.js';
import { actsForTenant } from '../platform/http/route-traits.js';
import type { TestControlPlane } from '../testing/control-plane.js';
import { startTestInstallation, type TestInstallation } from '../testing/installation.js';
import { explainQuery, type SentQuery, WatchedCommands } from '../testing/watched-commands.js';
import { deliveryModel, pendingDelivery } from '../webhooks/deliveries/delivery-model.js';
import { DeliveryQueue } from '../webhooks/deliveries/delivery-queue.js';
import { eventModel } from '../webhooks/events/model.js';
import { subscriptionModel } from '../webhooks/subscriptions/subscription-model.js';
import { SMALL_COLLECTIONS } from './small-collections.js';

/** Documents of the tenant in each collection that grows. */
const COPIES = 300;
/** What is asked for at a time. */
const LIMIT = 20;
/** The largest page that anything here asks for without being given a limit: most lists have 50, contacts 100. */
const PAGE = 101;

let installation: TestInstallation;
let plane: TestControlPlane;
let watched: WatchedCommands;
let key: string;
let tenant: string;
/** Path parameters, by name. */
const known: Record<string, string> = {};
const seen = new Map<string, string>();

const made = async (path: string, body: object): Promise<Record<string, unknown>> => {
  const { status, json, text } = await plane.request('POST', `/api/v1${path}`, { key, body });
  if (status >= 300) throw new Error(`${path}: ${status} ${text}`);
  return json as Record<string, unknown>;
};

beforeAll(async () => {
  installation = await startTestInstallation({
    capacity: 10,
    env: { EGRESS_ALLOW: '127.0.0.0/8' },
  });
  plane = installation.plane;
  await installation.worker.heartbeat(plane);
  watched = new WatchedCommands(plane.platform.store);
  const owner = await plane.newKey({ sandbox: true });
  key = owner.key;
  tenant = owner.tenantId;
  known.key_id = owner.id;
  const { number } = TEST_NUMBERS[0]!;
  const agent = await made('/agents', { name: 'Ann', system_prompt: 'You call.' });
  known.agent_id = String(agent.id);
  const call = await made('/calls', {
    agent_id: known.agent_id,
    from_number: SANDBOX_CALLER_ID,
    to_number: number,
  });
  known.call_id = String(call.id);
  const campaign = await made('/campaigns', {
    name: 'Spring',
    agent_id: known.agent_id,
    contacts: Array.from({ length: COPIES }, (_, n) => ({ phone: `+1500555${1000 + n}` })),
  });
  known.campaign_id = String(campaign.id);
  const webhook = await made('/webhooks', { url: 'http://127.0.0.1:9/', event_types: ['*'], sandbox: true });
  known.webhook_id = String(webhook.id);
  await made(`/webhooks/${known.webhook_id}/test`, { event_type: 'call.started', payload: {} });
  const entry = await made('/compliance/dnc', { phone_number: '+14155550123' });
  known.entry_id = String(entry.id);
  await multiply(owner.tenantId);
}, 120_000);
afterAll(async () => {
  await installation?.close();
});

/** Makes many of each document that the tenant has, of other statuses, agents and times; and some of other tenants. */
async function multiply(tenant: string): Promise<void> {
  const db = plane.platform.store.db!;
  for (const { name } of await db.listCollections().toArray()) {
    if (name in SMALL_COLLECTIONS || name === 'campaign_contacts' || name === 'apikeys') continue;
    const rows = db.collection<mongo.Document & { _id: string }>(name);
    const row = await rows.findOne({ tenant_id: tenant });
    if (row) await rows.insertMany(copiesOf(name, row), { ordered: false }).catch(() => {});
  }
}

function copiesOf(collection: string, row: mongo.Document & { _id: string }) {
  const statuses = ['COMPLETED', 'FAILED', 'NO_ANSWER', 'BUSY'];
  return Array.from({ length: COPIES }, (_, n) => {
    const at = new Date(Date.now() - 60_000 - n * 1000);
    const ended =
      collection === 'calls'
        ? {
            status: statuses[n % statuses.length],
            direction: n % 3 === 0 ? 'inbound' : 'outbound',
            agent_id: n % 2 === 0 ? row.agent_id : newId(),
            campaign_id: n % 2 === 0 ? known.campaign_id : null,
            contact_id: n % 2 === 0 ? `contact ${n % 50}` : null,
            queued_at: at,
            ended_at: at,
            post_call_due_at: null,
            carrier_call_id: `copy ${n}`,
          }
        : {};
    const delivered =
      collection === 'webhook_deliveries' ? { call_id: n % 2 === 0 ? known.call_id : newId() } : {};
    // The one that is copied may be under way.
    const sent = 'lease_owner' in row ? { status: 'succeeded', lease_owner: null } : {};
    return {
      ...row,
      ...sent,
      _id: newId(),
      ...(n % 5 === 0 ? { tenant_id: 'another' } : {}),
      created_at: at,
      ...('at' in row ? { at } : {}),
      ...('ended_at' in row ? { ended_at: at } : {}),
      ...('number' in row ? { number: `+1415556${1000 + n}` } : {}),
      ...ended,
      ...delivered,
    };
  });
}

/** Gives retention a tenant to look at. */
async function tenantKeepsAudioForADay(): Promise<void> {
  const retention = { recordings_days: 1, transcripts_days: null, calls_days: null };
  await plane.platform.store
    .collection('tenants')
    .updateMany({}, { $set: { retention, retention_due_at: new Date(1) } });
}

/** What lists are asked for: each of these by itself and all that differ together. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  status: ['COMPLETED', 'completed'],
  direction: ['inbound'],
  agent_id: ['agent_id'],
  include_total: ['true'],
  active_only: ['false'],
  outcome: ['goal_reached'],
  sort: ['outcome_score', 'duration_seconds'],
  order: ['asc'],
  phone_number: ['+14155550123'],
  to_number: ['+14155550123'],
  decision: ['allowed', 'denied'],
  reason: ['do_not_call'],
  source: ['api'],
  days: ['90'],
  q: ['tea'],
};

/** Every query string of a route that is worth asking: each subset of its parameters, with each value. */
function searchesOf({ query }: Route): Record<string, string>[] {
  const names = query && 'shape' in query ? Object.keys(query.shape as object) : [];
  const base: Record<string, string> = names.includes('limit') ? { limit: String(LIMIT) } : {};
  let searches = [base];
  for (const name of names) {
    const values = VALUES[name] ?? [];
    searches = searches.flatMap((search) => [
      search,
      ...values.map((value) => ({ ...search, [name]: known[value] ?? value })),
    ]);
  }
  return searches;
}

const readingRoutes = (): Route[] =>
  plane.modules
    .flatMap(({ routes = [] }) => routes)
    .filter((route) => route.method === 'get' && actsForTenant(route))
    .filter(({ path }) => !/\/(live|listen)$|\/available$/.test(path));

async function ask(route: Route, search: Record<string, string>): Promise<void> {
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => known[name] ?? newId());
  const get = (query: Record<string, string>) =>
    plane.request('GET', `${path}?${new URLSearchParams(query)}`, { key });
  const first = await get(search);
  const cursor = (first.json as { next_cursor?: string | null } | undefined)?.next_cursor;
  if (cursor) {
    const second = await get({ ...search, cursor });
    expect([path, search, second.status]).toEqual([path, search, 200]);
  }
}

/** Names a query by what it asks, whatever the values. */
function shapeOf({ collection, name, command }: SentQuery): string {
  const shape = (value: unknown): unknown =>
    Array.isArray(value)
      ? value.slice(0, 1).map(shape)
      : value !== null && typeof value === 'object' && Object.getPrototypeOf(value) === Object.prototype
        ? Object.fromEntries(Object.entries(value).map(([field, inner]) => [field, shape(inner)]))
        : '?';
  const { filter, query, pipeline, updates, deletes, sort } = command;
  const asked = pipeline ?? updates?.map(({ q }: mongo.Document) => q) ?? deletes ?? filter ?? query;
  return `${collection}.${name} ${JSON.stringify(shape(asked))} ${JSON.stringify(sort ?? {})}`;
}

/** Returns what is wrong with how a query finds its documents; undefined where nothing is. */
async function fault(sent: SentQuery): Promise<string | undefined> {
  for (const { stages, returned, keys, documents } of await explainQuery(plane.platform.store, sent)) {
    const isIndexed = stages.every((stage) => stage !== 'COLLSCAN' && stage !== 'RECORD_STORE_FAST_COUNT');
    const most = 1.1 * returned + namedBy(sent) + (sent.command.skip ?? 0) + PAGE;
    if (!isIndexed || documents > most || (returned > 0 && keys > 2 * most)) {
      return `${stages.join(' < ')}: ${keys} keys and ${documents} documents for ${returned}`;
    }
  }
  return undefined;
}

/** How many documents a query names by their ids: a write may have taken them out of its own filter by now. */
function namedBy({ command }: SentQuery): number {
  const filters: mongo.Document[] = [
    command.filter,
    ...(command.updates ?? []).map(({ q }: mongo.Document) => q),
  ];
  return Math.max(...filters.map((filter) => filter?._id?.$in?.length ?? 0));
}

async function faults(): Promise<string[]> {
  const found: string[] = [];
  for (const sent of watched.take()) {
    const shape = shapeOf(sent);
    if (seen.has(shape) || sent.collection in SMALL_COLLECTIONS) continue;
    const wrong = await fault(sent);
    seen.set(shape, wrong ?? 'ok');
    if (wrong !== undefined) found.push(`${shape}\n    ${wrong}`);
  }
  return found;
}

describe('what the API asks the store', () => {
  it('is found by an index, and reads no more than it answers and a page, whatever the filters', async () => {
    watched.take();
    const found: string[] = [];
    for (const route of readingRoutes()) {
      for (const search of searchesOf(route)) await ask(route, search);
      for (const wrong of await faults()) found.push(`${route.operationId}: ${wrong}`);
    }
    expect(found).toEqual([]);
    const asked = [...seen.keys()].map((shape) => shape.split('.')[0]);
    expect(asked).toEqual(expect.arrayContaining(['calls', 'campaigns', 'campaign_contacts', 'dnc_entries']));
  }, 300_000);

  it('is found by an index when a call is placed, and when the sweeps look for what is left to do', async () => {
    await tenantKeepsAudioForADay();
    watched.take();
    const { number } = TEST_NUMBERS[0]!;
    await made('/calls', { agent_id: known.agent_id, from_number: SANDBOX_CALLER_ID, to_number: number });
    for (const job of plane.modules.find(({ name }) => name === 'retention')?.jobs ?? []) await job.run();
    expect(await faults()).toEqual([]);
    expect([...seen.keys()].filter((shape) => shape.startsWith('tenants.find'))).toContainEqual(
      expect.stringContaining('retention_due_at'),
    );
  });

  it('is found by an index where deliveries are looked for that a sender left, or that wait', async () => {
    const { store, clock, secrets } = plane.platform;
    const deliveries = deliveryModel(store);
    const now = clock.now();
    const underWay = Array.from({ length: COPIES }, (_, n) => ({
      ...pendingDelivery({
        _id: newId(),
        tenant_id: newId(),
        subscription_id: newId(),
        event_id: newId(),
        event_type: 'call.started',
        sandbox: true,
        origin: 'event',
        url: `http://127.0.0.1:9/${n % 3}`,
        attempt: 1,
        dueAt: now,
        firstDueAt: now,
        now,
      }),
      lease_owner: 'another replica',
      lease_until: new Date(now + 600_000),
    }));
    await deliveries.collection.insertMany(underWay as never[]);
    const wanted: string[] = [];
    const queue = new DeliveryQueue({
      deliveries,
      subscriptions: subscriptionModel(store),
      events: eventModel(store),
      secrets,
      clock,
      random: () => 0,
      schedule: async (destination) => void wanted.push(destination),
    });
    watched.take();
    await queue.adopt();
    expect(await queue.destinations()).toEqual(
      expect.arrayContaining(underWay.map((row) => row.destination)),
    );
    expect(await faults()).toEqual([]);
    expect([...seen.keys()]).toContainEqual(expect.stringMatching(/^webhook_deliveries\.find .*lease_until/));
    expect(wanted).toEqual([]);
    // Of a tenant with many that were sent.
    const ofCall = { tenant_id: tenant, call_id: known.call_id! };
    const due = pendingDelivery({
      ...(await deliveries.findOne(ofCall).lean())!,
      _id: newId(),
      subscription_id: newId(),
      url: 'http://127.0.0.1:9/claimed',
      dueAt: now,
      firstDueAt: now,
      now,
    });
    await deliveries.collection.insertOne(due as never);
    watched.take();
    expect(
      await queue.claim(
        [due.destination],
        () => 1,
        () => false,
      ),
    ).toMatchObject({ taken: 1 });
    expect(await faults()).toEqual([]);
    expect([...seen.keys()]).toContainEqual(
      expect.stringMatching(/^webhook_deliveries\.find .*"lease_owner":"\?"/),
    );
    await plane.testStore().collection('webhook_deliveries').deleteMany({ lease_owner: 'another replica' });
  });

  it('would be found out without one', async () => {
    const sent = {
      database: plane.platform.store.name,
      collection: 'calls',
      name: 'find',
      command: { filter: { end_reason: 'no_answer' }, limit: LIMIT },
    };
    expect(await fault(sent)).toContain('COLLSCAN');
  });
});
