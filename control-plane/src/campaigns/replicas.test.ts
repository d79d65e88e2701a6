import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { interPlaneAuthorization } from '@voice/shared/inter-plane/token';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CallModel, callModel } from '../calls/record/model.js';
import type { TestControlPlane } from '../testing/control-plane.js';
import { type ControlPlaneProcess, startControlPlaneProcess } from '../testing/control-plane-process.js';
import { eventually } from '../testing/eventually.js';
import { LoadBalancer } from '../testing/load-balancer.js';
import { ScriptedWorker } from '../testing/scripted-worker.js';
import { startTestStore, type TestStore } from '../testing/store.js';
import { AnsweringCarrier } from './testing/answering-carrier.js';

/** Ends what hangs, in ms: on a busy machine two processes take their time to start. */
const LIMIT_MS = 240_000;
const SECRET = 'an internal secret for tests';
const CONTACTS = 80;
const CALLS_PER_MINUTE = 1200;
const MAX_CONCURRENT = 30;

let store: TestStore;
let carrier: AnsweringCarrier;
let worker: ScriptedWorker;
let dataDir: string;
let calls: CallModel;
/** What clients and carriers know, whichever replica is alive. */
let front: LoadBalancer;
const replicas = new Set<ControlPlaneProcess>();

async function startReplica(): Promise<void> {
  const replica = await startControlPlaneProcess({
    PUBLIC_URL: front.url,
    MONGODB_URI: store.uri,
    DATA_DIR: dataDir,
    INTERNAL_SECRET: SECRET,
    RATE_LIMIT_CAMPAIGN_DISPATCH: '100000',
    ...carrier.env,
  });
  replicas.add(replica);
  front.add(replica);
}

async function kill(replica: ControlPlaneProcess): Promise<void> {
  replicas.delete(replica);
  front.remove(replica);
  await replica.kill();
}

async function send(method: string, path: string, authorization: string, body?: unknown) {
  const response = await fetch(front.url + path, {
    method,
    headers: { authorization, 'content-type': 'application/json' },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: text ? JSON.parse(text) : null };
}
const internal: TestControlPlane['internal'] = (method, path, value) => {
  const body = value === undefined ? undefined : JSON.stringify(value);
  const signed = { secret: SECRET, method, path, body, now: Date.now() };
  return send(method, path, interPlaneAuthorization(signed), value);
};
const plane = { internal } as TestControlPlane;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'replicas-test-'));
  store = await startTestStore();
  worker = await ScriptedWorker.start({ id: 'worker-1', secret: SECRET, capacity: 1000 });
  carrier = await AnsweringCarrier.start({ worker, plane: () => plane });
  calls = callModel(await store.connect());
  front = await LoadBalancer.start();
  await startReplica();
  await startReplica();
}, LIMIT_MS);
afterAll(async () => {
  await Promise.all([...replicas].map(kill));
  await front?.close();
  await worker?.close();
  await carrier?.close();
  await store?.close();
  await rm(dataDir, { recursive: true, force: true });
});

describe('a campaign on two replicas, one of which is killed half-way', () => {
  // @rule 1.5
  it('calls everybody once, never faster than its rate, and never exceeds max_concurrent', {
    timeout: LIMIT_MS,
  }, async () => {
    const made = await internal('POST', '/internal/keys', { name: 'k', sandbox: true, tenant: 't' });
    const key = `Bearer ${(made.json as { key: string }).key}`;
    const agent = await send('POST', '/api/v1/agents', key, { name: 'A', system_prompt: 'x' });
    await worker.heartbeat(plane, {}, await store.connect());
    carrier.script = () => ({ status: 'completed', afterMs: 100 });
    const campaign = await send('POST', '/api/v1/campaigns', key, {
      name: 'Everybody',
      agent_id: (agent.json as { id: string }).id,
      contacts: Array.from({ length: CONTACTS }, () => ({ phone: '+15005550006' })),
      calls_per_minute: CALLS_PER_MINUTE,
      max_concurrent: MAX_CONCURRENT,
      // A call that was being dialed when its replica died fails, once the carrier is known to be silent.
      retry_policy: { max_attempts: 1 },
    });
    expect([campaign.status, campaign.text]).toEqual([201, expect.anything()]);
    const path = `/api/v1/campaigns/${(campaign.json as { id: string }).id}`;
    expect((await send('POST', `${path}/start`, key)).status).toBe(200);
    await eventually(() => carrier.dialedAt.length >= CONTACTS / 2, Boolean, 120_000);
    const [doomed] = replicas;
    await kill(doomed!);
    const live = { $in: ['QUEUED', 'RINGING', 'IN_PROGRESS'] as const };
    const underWay = (await calls.find({ status: live }, { _id: 1 }).lean()).map(({ _id }) => _id);
    await eventually(
      () => calls.countDocuments({}),
      (count) => count >= CONTACTS,
      120_000,
    );
    // All but those that were under way when the replica died are over within a moment.
    await eventually(
      () => calls.countDocuments({ status: live, _id: { $nin: underWay } }),
      (count) => count === 0,
      120_000,
    );
    await new Promise((resolve) => setTimeout(resolve, 1000));

    // Nobody twice: neither a second call of a contact that was reached, nor a call dialed twice.
    const stored = await calls.find({}, { contact_id: 1, queued_at: 1, status: 1 }).lean();
    const reached = stored.filter(({ status }) => status === 'COMPLETED').map(({ contact_id: id }) => id);
    expect(new Set(reached).size).toBe(reached.length);
    expect(new Set(carrier.dialedAt.map(({ callId }) => callId)).size).toBe(carrier.dialedAt.length);
    expect(new Set(stored.map(({ contact_id: id }) => id)).size).toBe(CONTACTS);

    expect(carrier.most).toBeLessThanOrEqual(MAX_CONCURRENT);

    // A slot each, counted from the start, on whichever replica; slower only where the machine is, which is the
    // bench's to hold to 2 %.
    const { started_at } = (await send('GET', path, key)).json as { started_at: string };
    const queued = stored.map(({ queued_at: at }) => at.getTime()).sort((a, b) => a - b);
    for (const [n, at] of queued.entries()) {
      expect(at - Date.parse(started_at)).toBeGreaterThanOrEqual((n * 60_000) / CALLS_PER_MINUTE);
    }
  });
});
