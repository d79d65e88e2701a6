import { TEST_NUMBERS } from '@voice/shared/contracts/test-numbers';
import { derivedId } from '@voice/shared/ids/ids';
import type { Connection } from 'mongoose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isMutating } from '../platform/http/route-traits.js';
import { startTestControlPlane, type TestAnswer, type TestControlPlane } from '../testing/control-plane.js';
import { startTestStore, type TestStore } from '../testing/store.js';
import { WebhookReceiver } from '../testing/webhook-receiver.js';
import { acceptedBody } from './body-arbitrary.js';
import { COLLECTIONS_WITHOUT_MODE, MODE_DECISIONS, type ModeDecision } from './mode-decisions.js';
import { concretePath, isId, type Operation, operationsOf } from './operations.js';
import {
  isSum,
  POPULATED_ENV,
  type PopulatedTenant,
  populate,
  settled,
  unmarked,
} from './populated-tenant.js';

/** A tenant that has one of everything in one mode, and a key of each. */
interface World {
  readonly tenant: PopulatedTenant;
  readonly own: string;
  readonly other: string;
}

/** Names in paths that are nobody's own. */
const KNOWN_TO_ALL: Readonly<Record<string, string>> = { slug: 'slack', provider: 'deepgram' };

let store: TestStore;
let connection: Connection;
let receiver: WebhookReceiver;
let plane: TestControlPlane;
let all: readonly Operation[];
const worlds: Record<'sandbox' | 'production', World> = {} as never;

beforeAll(async () => {
  store = await startTestStore();
  connection = await store.connect();
  receiver = await WebhookReceiver.start();
  plane = await startTestControlPlane(store.uri, {
    env: {
      ...POPULATED_ENV,
      // Nobody listens there either.
      TWILIO_ACCOUNT_SID: `AC${'1'.repeat(32)}`,
      TWILIO_AUTH_TOKEN: 'a token',
      TWILIO_API_URL: 'http://127.0.0.1:1',
    },
  });
  const [sandbox, production] = [await inSandbox('in the sandbox'), await inSandbox('in production')];
  await settled(() => rowsOf(production.tenant));
  worlds.sandbox = sandbox;
  worlds.production = { ...production, own: production.other, other: production.own };
  await makeProduction(production.tenant);
  all = await operationsOf(plane);
});
afterAll(async () => {
  await plane?.close();
  await store?.close();
  await receiver?.close();
});

async function inSandbox(name: string): Promise<World> {
  const tenant = await populate(plane, connection, receiver, name);
  const { key: other } = await plane.newKey({ tenant: name, sandbox: false });
  return { tenant, own: tenant.key, other };
}

/** Everything that the tenant has in the sandbox is production's from now on: in the store, for nothing is dialed here. */
async function makeProduction({ tenantId }: PopulatedTenant): Promise<void> {
  for (const { name } of await connection.db!.listCollections().toArray()) {
    await connection
      .db!.collection(name)
      .updateMany({ tenant_id: tenantId, sandbox: true }, { $set: { sandbox: false } });
  }
}

/** A verified number of the tenant in one mode, put there by hand: nothing is bought here. */
async function ownCallerId(tenantId: string, sandbox: boolean): Promise<string> {
  const number = '+12025550177';
  await connection.db!.collection<{ _id: string }>('phone_numbers').updateOne(
    { _id: derivedId(tenantId, 'caller id of the other mode') },
    {
      $set: {
        tenant_id: tenantId,
        number,
        sandbox,
        provider: sandbox ? 'simulated' : 'twilio',
        agent_id: null,
        caller_id_verified_at: new Date(),
        attestation: 'A',
        source: 'imported',
        state: 'active',
        created_at: new Date(),
        moved_at: new Date(),
        claim: `${tenantId}/other`,
        carrier_number_id: null,
      },
    },
    { upsert: true },
  );
  return number;
}

/** What the shared agents, counters and jobs are kept in: it may change. */
const SHARED = new Set(['agents', 'users', 'rate_windows', 'idempotency_keys', 'capacity_claims']);

/** Every document of the tenant that belongs to a mode, by collection and id. */
async function rowsOf({ tenantId }: PopulatedTenant): Promise<Record<string, string>> {
  const rows: Record<string, string> = {};
  for (const { name } of await connection.db!.listCollections().toArray()) {
    if (SHARED.has(name) || isSum(name)) continue;
    for (const row of await connection.db!.collection(name).find({ tenant_id: tenantId }).toArray()) {
      rows[`${name}/${row._id}`] = JSON.stringify(unmarked(row));
    }
  }
  return rows;
}

const decided = ({ route }: Operation): ModeDecision | undefined => MODE_DECISIONS[route.operationId];
const named = ({ method, path }: Operation) => `${method.toUpperCase()} ${path}`;
const code = ({ json }: TestAnswer) => (json as { code?: string } | undefined)?.code;
/** Whether the path names something that belongs to a mode. */
const namesOwned = ({ parameters }: Operation) =>
  parameters.some((name) => isId(name) && name !== 'agent_id');

function send(operation: Operation, world: World, key: string): Promise<TestAnswer> {
  const { route, method } = operation;
  const path = concretePath(operation, (name) => world.tenant.ids[name] ?? KNOWN_TO_ALL[name] ?? name);
  const sample = route.bodyType === 'stream' ? undefined : acceptedBody(route);
  const future = typeof sample === 'object' && sample !== null && 'next_retry_at' in sample;
  const body = future ? { ...sample, next_retry_at: '2099-01-01T00:00:00Z' } : sample;
  return plane.request(method.toUpperCase(), path, {
    key,
    ...(isMutating(method) && body !== undefined ? { body } : {}),
  });
}

/** Those of the operations for which the condition does not hold, with what they answered. */
async function unlike(
  operations: readonly Operation[],
  world: World,
  key: string,
  condition: (answer: TestAnswer) => boolean,
): Promise<string[]> {
  const wrong: string[] = [];
  for (const operation of operations) {
    const answer = await send(operation, world, key);
    if (!condition(answer)) wrong.push(`${named(operation)}: ${answer.status} ${answer.text.slice(0, 160)}`);
  }
  return wrong;
}

describe('the mode of every operation of the OpenAPI description', () => {
  it('is decided, and described as it is', async () => {
    const undecided = all.filter((operation) => decided(operation) === undefined).map(named);
    expect(undecided, 'decide it in mode-decisions.ts').toEqual([]);
    const { json } = await plane.request('GET', '/v1/openapi.json');
    const { paths } = json as { paths: Record<string, Record<string, { 'x-mode'?: string }>> };
    const described = all.map(({ path, method, route }) => [
      route.operationId,
      paths[path]![method]!['x-mode'] ?? 'public',
    ]);
    expect(Object.fromEntries(described)).toEqual(
      Object.fromEntries(all.map((operation) => [operation.route.operationId, decided(operation)])),
    );
  });
});

describe.each(['sandbox', 'production'] as const)('what belongs to the %s', (mode) => {
  const owned = () => all.filter((operation) => decided(operation) === 'own');

  it('is not found by a key of the other mode, which changes nothing of it', async () => {
    const world = worlds[mode];
    const before = await rowsOf(world.tenant);
    expect(Object.keys(before).length).toBeGreaterThan(12);
    const byId = owned().filter(namesOwned);
    expect(byId.length).toBeGreaterThan(35);
    expect(await unlike(byId, world, world.other, ({ status }) => status === 404)).toEqual([]);
    const after = await rowsOf(world.tenant);
    expect(Object.fromEntries(Object.keys(before).map((key) => [key, after[key]]))).toEqual(before);
  });

  it('is in no answer to a key of the other mode', async () => {
    const world = worlds[mode];
    // What is of the tenant, whatever the mode.
    const { agent_id: _agent, member_id: _member, invitation_id: _invitation, ...ids } = world.tenant.ids;
    const without = all.filter((operation) => decided(operation) !== 'public' && !namesOwned(operation));
    const shows = await unlike(
      without.filter(({ method }) => !isMutating(method)),
      world,
      world.other,
      ({ text }) => !Object.values(ids).some((id) => text.includes(id)),
    );
    expect(shows).toEqual([]);
  });

  it('is not changed by whatever else a key of the other mode can do', async () => {
    const world = worlds[mode];
    const before = await rowsOf(world.tenant);
    const others = all.filter(
      (operation) =>
        decided(operation) !== 'public' && isMutating(operation.method) && !namesOwned(operation),
    );
    const failed = await unlike(
      others.filter(({ route }) => route.operationId !== 'deleteAgent'),
      world,
      world.other,
      ({ status }) => status < 500 || [502, 503, 504].includes(status),
    );
    expect(failed).toEqual([]);
    const after = await rowsOf(world.tenant);
    expect(Object.fromEntries(Object.keys(before).map((key) => [key, after[key]]))).toEqual(before);
  });

  it('is read by a key of its own mode', async () => {
    const world = worlds[mode];
    const reads = owned().filter(({ method, route }) => method === 'get' && !(101 in route.responses));
    const allowed = ['recording_not_found', 'decision_log_not_found'];
    const refused = await unlike(
      reads.filter(({ route }) => route.operationId !== 'followCall'),
      world,
      world.own,
      (answer) => answer.status < 400 || allowed.includes(code(answer) ?? '') || answer.status === 502,
    );
    expect(refused).toEqual([]);
  });
});

describe.each(['sandbox', 'production'] as const)('an id of the %s in a body', (mode) => {
  it.each([
    ['POST /api/v1/calls', 'compliance_check_not_found'],
    ['POST /api/v1/campaigns', 'caller_id_not_found'],
    ['POST /api/v1/agents/{agent_id}/test/text', 'test_session_not_found'],
  ])('is not found by a key of the other mode: %s', async (operation, expected) => {
    const { tenant, other } = worlds[mode];
    const { check_id, phone_id, session_id } = tenant.ids;
    // One that can run: what the tenant's own agent was generated with is not the question here.
    const agent = await plane.request('POST', '/api/v1/agents', {
      key: other,
      body: { name: 'A', system_prompt: 'x' },
    });
    const { id: agent_id } = agent.json as { id: string };
    const number = await ownCallerId(tenant.tenantId, mode === 'production');
    const bodies: Record<string, unknown> = {
      'POST /api/v1/calls': {
        agent_id,
        from_number: number,
        to_number: TEST_NUMBERS[0]!.number,
        compliance_check_id: check_id,
      },
      'POST /api/v1/campaigns': {
        name: 'x',
        agent_id,
        caller_id: phone_id,
        contacts: [{ phone: TEST_NUMBERS[0]!.number }],
      },
      'POST /api/v1/agents/{agent_id}/test/text': { message: 'hello', session_id },
    };
    const [method, path] = operation.split(' ') as [string, string];
    const answer = await plane.request(method, path.replace('{agent_id}', agent_id), {
      key: other,
      body: bodies[operation],
    });
    expect(answer).toMatchObject({ status: 404, json: { code: expected } });
  });
});

describe('every collection of tenants', () => {
  it('carries the mode of its documents, or it is decided how they are kept apart', () => {
    const models = Object.values(plane.platform.store.models);
    const collections = models.filter(({ schema }) => schema.path('tenant_id') !== undefined);
    expect(collections.length).toBeGreaterThan(20);
    const without = collections
      .filter(({ schema }) => schema.path('sandbox') === undefined)
      .map(({ collection }) => collection.name);
    expect(without.filter((name) => COLLECTIONS_WITHOUT_MODE[name] === undefined)).toEqual([]);
  });
});

describe('what is the same in both modes', () => {
  it.each(['sandbox', 'production'] as const)('is open to the keys of both (%s)', async (mode) => {
    const world = worlds[mode];
    const shared = all.filter((operation) => decided(operation) === 'shared');
    for (const key of [world.own, world.other]) {
      const refused = await unlike(shared, world, key, ({ status }) => status !== 403);
      expect(refused).toEqual([]);
    }
  });
});

describe('powers of production', () => {
  const powers = () => all.filter((operation) => decided(operation) === 'live');

  it('are refused to a sandbox key with 403 live_mode_required', async () => {
    const world = worlds.production;
    const refused = (answer: TestAnswer) => answer.status === 403 && code(answer) === 'live_mode_required';
    expect(powers().length).toBeGreaterThan(7);
    expect(await unlike(powers(), world, world.other, refused)).toEqual([]);
  });

  it('are not refused so to a production key', async () => {
    const world = worlds.production;
    const open = (answer: TestAnswer) => code(answer) !== 'live_mode_required';
    expect(await unlike(powers(), world, world.own, open)).toEqual([]);
  });

  it.each([
    ['/api/v1/keys', { name: 'mine', sandbox: false }],
    ['/api/v1/webhooks', { url: 'https://127.0.0.1:1/', event_types: ['*'], sandbox: false }],
  ])('are not made by a sandbox key: POST %s with sandbox false', async (path, body) => {
    const { key } = await plane.newKey();
    const answer = await plane.request('POST', path, { key, body });
    expect(answer).toMatchObject({ status: 403, json: { code: 'live_mode_required' } });
    const { sandbox: _left, ...rest } = body;
    const made = await plane.request('POST', path, { key, body: rest });
    expect(made).toMatchObject({ status: 201, json: { sandbox: true } });
  });
});
