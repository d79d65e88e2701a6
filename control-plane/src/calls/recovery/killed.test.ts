import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SANDBOX_CALLER_ID } from '@voice/shared/contracts/test-numbers';
import { interPlaneAuthorization } from '@voice/shared/inter-plane/token';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestControlPlane } from '../../testing/control-plane.js';
import { type ControlPlaneProcess, startControlPlaneProcess } from '../../testing/control-plane-process.js';
import { eventually } from '../../testing/eventually.js';
import { LoadBalancer } from '../../testing/load-balancer.js';
import { ScriptedCarrier } from '../../testing/scripted-carrier.js';
import { ScriptedWorker } from '../../testing/scripted-worker.js';
import { startTestStore, type TestStore } from '../../testing/store.js';
import { type CallModel, callModel } from '../record/model.js';
import type { CallDetailResponse } from '../record/schemas.js';
import { agentMessage, ended, mediaStarted } from '../testing/events.js';

const SECRET = 'an internal secret for tests';
const ROUNDS = 5;
const CALLS_A_ROUND = 4;
const TURNS = 12;

let store: TestStore;
let carrier: ScriptedCarrier;
let worker: ScriptedWorker;
let dataDir: string;
let calls: CallModel;
/** The address that clients, the worker and the carrier know, whichever process serves behind it. */
let front: LoadBalancer;
let serving: ControlPlaneProcess | undefined;

async function startProcess(): Promise<void> {
  serving = await startControlPlaneProcess({
    PUBLIC_URL: front.url,
    MONGODB_URI: store.uri,
    DATA_DIR: dataDir,
    INTERNAL_SECRET: SECRET,
    ...carrier.env,
  });
  front.add(serving);
}

async function killProcess(): Promise<void> {
  if (!serving) return;
  const killed = serving;
  serving = undefined;
  await killed.kill();
  front.remove(killed);
}

const send = async (method: string, path: string, authorization: string, body?: unknown) => {
  const response = await fetch(front.url + path, {
    method,
    headers: { authorization, 'content-type': 'application/json' },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await response.text();
  return {
    status: response.status,
    text,
    headers: response.headers,
    json: text ? JSON.parse(text) : undefined,
  };
};
const internal = (method: string, path: string, value?: unknown) => {
  const body = value === undefined ? undefined : JSON.stringify(value);
  const signed = { secret: SECRET, method, path, body, now: Date.now() };
  return send(method, path, interPlaneAuthorization(signed), value);
};
/** As much of a control plane as the scripted worker speaks to. */
const plane = { internal } as unknown as TestControlPlane;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'killed-test-'));
  front = await LoadBalancer.start();
  store = await startTestStore();
  carrier = await ScriptedCarrier.start();
  worker = await ScriptedWorker.start({ id: 'worker-1', secret: SECRET, capacity: 1000 });
  calls = callModel(await store.connect());
  await startProcess();
});
afterAll(async () => {
  await killProcess();
  await front?.close();
  await worker?.close();
  await carrier?.close();
  await store?.close();
  await rm(dataDir, { recursive: true, force: true });
});

/** Sends a call's events in batches until each was accepted, as the worker's spool does. */
async function deliver(callId: string, carrierCallId: string): Promise<void> {
  const turns = Array.from({ length: TURNS }, (_, i) => agentMessage(i, `Sentence ${i}`));
  const events = worker.number(callId, [
    mediaStarted(carrierCallId),
    ...turns,
    ended('agent_hangup', TURNS * 1000),
  ]);
  for (let from = 0; from < events.length; ) {
    const batch = events.slice(from, from + 3);
    const answer = await worker.send(plane, batch).catch(() => null);
    if (answer?.status === 200) {
      expect((answer.json as { rejected: unknown[] }).rejected).toEqual([]);
      from += batch.length;
    } else {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

describe('a control plane that is killed again and again in the middle of its work', () => {
  it('keeps every call that it promised and every event, and dials nobody twice', {
    // Five starts of a process, on a machine that may be busy.
    timeout: 900_000,
  }, async () => {
    const made = await internal('POST', '/internal/keys', { name: 'k', sandbox: true, tenant: 't' });
    const key = `Bearer ${(made.json as { key: string }).key}`;
    const agent = await send('POST', '/api/v1/agents', key, { name: 'A', system_prompt: 'x' });
    const connection = await store.connect();
    const beat = () => worker.heartbeat(plane, {}, connection);
    await beat();
    const beats = setInterval(() => void beat().catch(() => {}), 500);
    const promised: string[] = [];
    const deliveries: Promise<void>[] = [];
    carrier.beforeAnswer = async (line) => {
      const id = new URL(line.form.StatusCallback!).searchParams.get('call_id')!;
      // The callee has answered: asked about a call of which nothing came in time, the carrier says so.
      line.status = 'in-progress';
      deliveries.push(deliver(id, line.sid));
    };
    try {
      for (let round = 0; round < ROUNDS; round++) {
        const before = promised.length;
        const asked = Array.from({ length: CALLS_A_ROUND }, () =>
          send('POST', '/api/v1/calls', key, {
            agent_id: (agent.json as { id: string }).id,
            from_number: SANDBOX_CALLER_ID,
            to_number: '+15005550006',
          }).then(
            ({ status, json }) => {
              if (status === 202) promised.push((json as { id: string }).id);
            },
            () => {},
          ),
        );
        let answered = false;
        const answers = Promise.all(asked).then(() => {
          answered = true;
        });
        // Killed as soon as something is stored at first, and one promise later each time: or when all were answered, for
        // on a busy machine some are refused.
        await eventually(
          async () =>
            answered || (promised.length - before >= round && (await calls.countDocuments()) > before),
        );
        await killProcess();
        await answers;
        // A call that has waited for a minute is given up, and a busy machine takes longer to start a process.
        const tomorrow = new Date(Date.now() + 86_400_000);
        await calls.updateMany({ status: 'QUEUED' }, { $set: { dispatch_deadline_at: tomorrow } });
        await startProcess();
      }
      // Of some calls the kill swallowed only the answer: they are stored, and dialed like those promised.
      const stored = (await calls.find({}, { _id: 1 }).lean()).map(({ _id }) => _id);
      expect(stored).toEqual(expect.arrayContaining(promised));
      // What is stored is dialed within a lease's life, unless the kill fell between asking the carrier
      // and its answer: then nobody asks again.
      for (const id of stored) {
        await eventually(
          async () => carrier.callOf(id) !== undefined || calls.findById(id).lean(),
          (found) =>
            found === true ||
            (found !== null &&
              found.dispatch_stage === 'dialing' &&
              found.carrier_call_id === null &&
              // Its dialer is dead: a living one would have renewed it.
              found.dispatch_lease_until.getTime() <= Date.now()),
          240_000,
        );
      }
      await Promise.all(deliveries);
      const story = async (id: string) =>
        (await send('GET', `/api/v1/calls/${id}/detail`, key)).json as CallDetailResponse;
      expect(promised.length).toBeGreaterThan(0);
      const dialedIds = carrier.dialed.map(
        ({ form }) => new URL(form.StatusCallback!).searchParams.get('call_id')!,
      );
      expect(new Set(dialedIds).size).toBe(dialedIds.length);
      for (const id of dialedIds) {
        const call = await story(id);
        expect(call).toMatchObject({ status: 'COMPLETED', end_reason: 'agent_hangup', error_code: null });
        expect(call.transcript.map(({ text }) => text)).toEqual(
          Array.from({ length: TURNS }, (_, i) => `Sentence ${i}`),
        );
      }
      expect(worker.refused).toEqual([]);
    } finally {
      clearInterval(beats);
    }
  });
});
