import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { SANDBOX_CALLER_ID, TEST_NUMBERS } from '@voice/shared/contracts/test-numbers';
import { newId } from '@voice/shared/ids/ids';
import { silentLog } from '@voice/shared/log/log';
import mongoose from 'mongoose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { POPULATED_ENV } from '../../conformance/populated-tenant.js';
import { startTestControlPlane, type TestControlPlane } from '../../testing/control-plane.js';
import { eventually } from '../../testing/eventually.js';
import { startTestStore, type TestStore } from '../../testing/store.js';
import { uriWith } from '../../testing/store-uri.js';
import { explainQuery, MONITORED, WatchedCommands } from '../../testing/watched-commands.js';
import { SecretBox } from '../secrets/secret-box.js';
import { SecretRotation } from './rotation.js';
import { SEALED_COLUMNS } from './sealed-columns.js';

const FIRST = 'the first key of thirty-two characters';
const SECOND = 'the second key of thirty-two characters';
const SECRET = 'a-secret-that-an-agent-was-given';

let store: TestStore;
const open: TestControlPlane[] = [];

beforeAll(async () => {
  store = await startTestStore();
});
afterAll(async () => {
  await Promise.all(open.map((plane) => plane.close()));
  await store?.close();
});

async function startWith(secretsKey: string, old = ''): Promise<TestControlPlane> {
  const env = { ...POPULATED_ENV, SECRETS_KEY: secretsKey, SECRETS_KEYS_OLD: old };
  const plane = await startTestControlPlane(store.uri, { env });
  open.push(plane);
  return plane;
}

interface Rotation {
  readonly state: string;
  readonly rewritten: number;
  readonly unreadable: number;
  readonly key_id: string;
}
const status = async (plane: TestControlPlane) =>
  (await plane.internal('GET', '/internal/secrets/rotation')).json as Rotation;
const rotated = async (plane: TestControlPlane) => {
  expect((await plane.internal('POST', '/internal/secrets/rotation')).status).toBe(202);
  return eventually(
    () => status(plane),
    ({ state }) => state === 'done',
  );
};

/** Every sealed value of the store, wherever it is. */
async function sealedValues(plane: TestControlPlane): Promise<{ place: string; value: string }[]> {
  const { db } = plane.platform.store;
  const found: { place: string; value: string }[] = [];
  for (const { name } of await db!.listCollections().toArray()) {
    for (const row of await db!.collection(name).find().toArray()) {
      for (const [field, value] of Object.entries(row)) {
        if (typeof value === 'string' && /^v[12]\.[\w.-]{38,}$/.test(value)) {
          found.push({ place: `${name}.${field}`, value });
        }
      }
    }
  }
  return found;
}

/** A tenant with something sealed in agents, webhooks, calls, test sessions, integrations and kept answers. */
async function fill(plane: TestControlPlane) {
  const { key: live } = await plane.newKey({ sandbox: false });
  const vendorKey = { api_key: SECRET, verify: false };
  await plane.request('PUT', '/api/v1/vendor-keys/deepgram', { key: live, body: vendorKey });
  const { key } = await plane.newKey();
  const ask = async (method: string, path: string, body: unknown) => {
    const headers = { 'idempotency-key': newId() };
    const answer = await plane.request(method, path, { key, body, headers });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer;
  };
  const other = await ask('POST', '/api/v1/agents', { name: 'Bob', system_prompt: 'Help.' });
  const { id: otherId } = other.json as { id: string };
  const agent = await ask('POST', '/api/v1/agents', {
    name: 'Ann',
    system_prompt: 'Help.',
    tools: [
      { type: 'http', name: 'look', description: 'x', url: 'https://example.com/', secret: SECRET },
      { type: 'transfer_to_agent', agents: [{ agent_id: otherId, name: 'Bob' }] },
    ],
  });
  const { id: agentId } = agent.json as { id: string };
  const webhook = await ask('POST', '/api/v1/webhooks', { url: 'https://example.com/hook' });
  const call = await ask('POST', '/api/v1/calls', {
    agent_id: agentId,
    from_number: SANDBOX_CALLER_ID,
    to_number: TEST_NUMBERS[0]!.number,
  });
  await ask('POST', `/api/v1/agents/${agentId}/test/text`, { message: 'Hello' });
  await ask('POST', '/api/v1/integrations/zapier/api-key-connect', {
    webhook_url: 'https://hooks.zapier.com/hooks/catch/1/abc/',
  }).catch(() => {});
  const { id: callId } = call.json as { id: string };
  const handoff = { call_id: callId, tool_call_id: 't', reason: '', summary: '' };
  const granted = await plane.internal('POST', '/internal/calls/handoff', {
    ...handoff,
    from_agent_id: agentId,
    agent_id: otherId,
  });
  expect(granted.json).toMatchObject({ ok: true });
  return { key, agentId, callId, webhookId: (webhook.json as { id: string }).id };
}

const agentSecret = async (plane: TestControlPlane, agentId: string) => {
  const row = await plane.platform.store.collection('agents').findOne({ _id: agentId as never });
  return plane.platform.secrets.open(`agents/${agentId}`, String(row!.secrets));
};

describe('a change of SECRETS_KEY', () => {
  it('leaves everything readable, seals all of it anew in the background, and then needs the old key no more', async () => {
    const first = await startWith(FIRST);
    const filled = await fill(first);
    const before = await sealedValues(first);
    const places = new Set(before.map(({ place }) => place));
    expect([...places]).toEqual(
      expect.arrayContaining([
        'agents.secrets',
        'webhook_subscriptions.secret',
        'calls.agent_snapshot',
        'calls.handoffs',
        'vendor_keys.keys',
      ]),
    );
    expect(places.size).toBeGreaterThanOrEqual(5);

    const second = await startWith(SECOND, FIRST);
    expect(await agentSecret(second, filled.agentId)).toContain(SECRET);
    expect(await status(second)).toMatchObject({ state: 'never' });
    const done = await rotated(second);
    expect(done).toMatchObject({ rewritten: before.length, unreadable: 0 });

    const prefix = second.platform.secrets.currentPrefix;
    const after = await sealedValues(second);
    expect(after.length).toBeGreaterThanOrEqual(before.length);
    expect(after.filter(({ value }) => !value.startsWith(prefix))).toEqual([]);

    const third = await startWith(SECOND);
    expect(await agentSecret(third, filled.agentId)).toContain(SECRET);
    const read = await third.request('GET', `/api/v1/calls/${filled.callId}/detail`, { key: filled.key });
    expect(read.status).toBe(200);
  });

  it('leaves alone what no key of ours opens, and says how much that is', async () => {
    const lost = await startWith('a key of 32 characters that nobody has kept');
    await fill(lost);
    const foreign = (await sealedValues(lost)).filter(({ value }) =>
      value.startsWith(lost.platform.secrets.currentPrefix),
    );
    const plane = await startWith('one more key of thirty-two characters', SECOND);
    const { unreadable, rewritten } = await rotated(plane);
    expect(unreadable).toBe(foreign.length);
    expect(rewritten).toBeGreaterThan(0);
    const left = (await sealedValues(plane)).filter(({ value }) =>
      value.startsWith(lost.platform.secrets.currentPrefix),
    );
    expect(left).toHaveLength(foreign.length);
  });

  it('goes on where its replica has left it', async () => {
    const key = 'yet another key of thirty-two characters';
    const plane = await startWith(key, 'one more key of thirty-two characters');
    const rotations = plane.platform.store.collection('secret_rotations');
    await rotations.insertOne({
      _id: plane.platform.secrets.keyId as never,
      state: 'running',
      rewritten: 0,
      unreadable: 0,
      started_at: new Date(),
      finished_at: null,
      holder: 'a replica that is gone',
      lease_until: new Date(Date.now() - 1),
    });
    const done = await eventually(
      () => status(plane),
      ({ state }) => state === 'done',
    );
    expect(done.rewritten).toBeGreaterThan(0);
  });
});

describe('a rotation of a large store', () => {
  /** Pauses take none of the test's time. */
  class PassingClock extends ScriptedClock {
    override async sleep(ms: number): Promise<void> {
      this.advance(ms);
    }
  }

  it('looks at a thousand rows a command, however few of them are behind, and ends', async () => {
    const own = await startTestStore();
    const connection = await mongoose
      .createConnection(uriWith(own.uri, MONITORED), { autoIndex: false, autoCreate: false })
      .asPromise();
    const secrets = new SecretBox([SECOND, FIRST]);
    const clock = new PassingClock();
    const rotation = new SecretRotation({ store: connection, secrets, clock, log: silentLog });
    try {
      const calls = connection.collection<{ _id: string; handoffs: string | null }>('calls');
      const agentOf = (id: string) => secrets.seal(`tenants/t/calls/${id}/agent`, '{}');
      const ids = Array.from({ length: 3500 }, newId).sort();
      const rows = ids.map((_id) => ({ _id, tenant_id: 't', handoffs: null, agent_snapshot: agentOf(_id) }));
      await calls.insertMany(rows);
      // Few in one window, more than a batch in another, the last of all.
      const behind = [...ids.slice(5, 8), ...ids.slice(2100, 2350), ids.at(-1)!];
      const first = new SecretBox(FIRST);
      await calls.bulkWrite(
        behind.map((_id) => {
          const handoffs = first.seal(`tenants/t/calls/${_id}/handoffs`, '[]');
          return { updateOne: { filter: { _id }, update: { $set: { handoffs } } } };
        }),
      );

      const watched = new WatchedCommands(connection);
      await rotation.begin();
      const done = await eventually(
        () => rotation.status(),
        (row) => row?.state === 'done',
      );
      expect(done).toMatchObject({ rewritten: behind.length, unreadable: 0 });
      const finds = watched
        .take()
        .filter(({ name, collection }) => name === 'find' && collection === 'calls');
      const looked = await Promise.all(finds.map((sent) => explainQuery(connection, sent)));
      expect(Math.max(...looked.flat().map(({ keys, documents }) => Math.max(keys, documents)))).toBeLessThan(
        1010,
      );
    } finally {
      await rotation.stop();
      await connection.close();
      await own.close();
    }
  });
});

describe('the list of sealed columns', () => {
  it('names a column for every file that seals something', () => {
    const root = fileURLToPath(new URL('../..', import.meta.url));
    const sealing = readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && !name.includes('/testing/'))
      .filter((name) => !/^platform\/secret(s|-rotation)\//.test(name))
      .filter((name) => /\.seal\(/.test(readFileSync(`${root}/${name}`, 'utf8')));
    // A new file here needs a column in `sealed-columns.ts`, or what it seals is lost when the key is changed.
    expect(sealing.sort()).toEqual([
      'agent-testing/text-session-rows.ts',
      'agents/model.ts',
      'calls/archive/call-archive.ts',
      'calls/record/call-handoffs.ts',
      'calls/record/frozen-agent.ts',
      'integrations/connections.ts',
      'integrations/oauth-states.ts',
      'integrations/revocations.ts',
      'integrations/tool-runs.ts',
      'platform/http/idempotency.ts',
      'vendors/keys/service.ts',
      'webhooks/subscriptions/subscriptions.ts',
    ]);
    // Three files seal something of a call: the agent that it began with, those that it was handed to, and the key of
    // its archive.
    expect(new Set(SEALED_COLUMNS.map(({ collection }) => collection)).size).toBe(sealing.length - 2);
  });
});
