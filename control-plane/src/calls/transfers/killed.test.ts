import { SANDBOX_CALLER_ID } from '@voice/shared/contracts/test-numbers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TestControlPlane } from '../../testing/control-plane.js';
import { eventually } from '../../testing/eventually.js';
import { type DialedCall, ScriptedCarrier } from '../../testing/scripted-carrier.js';
import { ScriptedWorker } from '../../testing/scripted-worker.js';
import { startTestStore, type TestStore } from '../../testing/store.js';
import { WebhookReceiver } from '../../testing/webhook-receiver.js';
import { ended, mediaStarted } from '../testing/events.js';
import { type TransferModel, type TransferRow, transferModel } from './model.js';
import { RestartableControlPlane } from './testing/restartable-control-plane.js';

const HUMAN = '+15005550014';
/** How long the jobs of a new process may take to begin, in ms: the dead one's locks must end first. */
const TAKEN_OVER_WITHIN_MS = 120_000;

interface Call {
  status: string;
  end_reason: string | null;
  extra: { transfer_in_progress: boolean };
}

let store: TestStore;
let carrier: ScriptedCarrier;
let receiver: WebhookReceiver;
let worker: ScriptedWorker;
let plane: RestartableControlPlane;
let transfers: TransferModel;
let key: string;
let agentId: string;
let beats: NodeJS.Timeout;

beforeAll(async () => {
  store = await startTestStore();
  carrier = await ScriptedCarrier.start();
  receiver = await WebhookReceiver.start();
  plane = await RestartableControlPlane.start(store.uri, { ...carrier.env, EGRESS_ALLOW: '127.0.0.0/8' });
  worker = await ScriptedWorker.start({ id: 'worker-1', secret: plane.secret, capacity: 100 });
  const connection = await store.connect();
  transfers = transferModel(connection);
  const made = await plane.internal('POST', '/internal/keys', { name: 'k', sandbox: true, tenant: 't' });
  ({ key } = made.json as { key: string });
  const agent = await plane.request('POST', '/api/v1/agents', key, {
    name: 'Ann',
    system_prompt: 'You call.',
  });
  agentId = (agent.json as { id: string }).id;
  await plane.request('POST', '/api/v1/webhooks', key, {
    url: receiver.url(),
    event_types: ['call.transferred'],
    sandbox: true,
  });
  const beat = () => worker.heartbeat(plane as unknown as TestControlPlane, {}, connection);
  await beat();
  beats = setInterval(() => void beat().catch(() => {}), 500);
});
afterAll(async () => {
  clearInterval(beats);
  await plane?.close();
  await worker?.close();
  await receiver?.close();
  await carrier?.close();
  await store?.close();
});
beforeEach(() => {
  carrier.beforeAnswer = async () => {};
  carrier.beforeRedirect = async () => {};
});
afterEach(() => expect(worker.refused).toEqual([]));

const call = async (id: string) => (await plane.request('GET', `/api/v1/calls/${id}`, key)).json as Call;
const rowOf = (id: string) => transfers.findOne({ call_id: id }).orFail().lean<TransferRow>().exec();
const legOf = (transferId: string) =>
  carrier.dialed.find(({ form }) => form.StatusCallback?.includes(`transfer_id=${transferId}`))!;
const joined = (line: DialedCall) => carrier.redirected.filter(({ sid }) => sid === line.sid);
const deliveriesOf = (id: string) => receiver.received.filter(({ event }) => event.data.call_id === id);
/** Makes the row look as if its process had died long ago: nobody need wait for the phone to stop ringing. */
const age = (id: string) => transfers.updateOne({ call_id: id }, { $set: { moved_at: new Date(0) } });

/** Starts another control plane, to which the row is new however long that takes: it is not given up by itself. */
async function startAnother(id: string): Promise<void> {
  const later = new Date(Date.now() + 300_000);
  await transfers.updateOne({ call_id: id }, { $set: { moved_at: later, deadline_at: later } });
  await plane.start();
}

async function live(): Promise<{ id: string; line: DialedCall }> {
  const body = { agent_id: agentId, from_number: SANDBOX_CALLER_ID, to_number: '+15005550006' };
  const { id } = (await plane.request('POST', '/api/v1/calls', key, body)).json as { id: string };
  const line = (await eventually(() => carrier.callOf(id)))!;
  await carrier.report(line, 'in-progress');
  const events = worker.number(id, [mediaStarted(line.sid)]);
  await worker.send(plane as unknown as TestControlPlane, events);
  await eventually(
    () => call(id),
    ({ status }) => status === 'IN_PROGRESS',
  );
  return { id, line };
}

const transfer = (id: string) =>
  plane.request('POST', `/api/v1/calls/${id}/transfer`, key, {
    destination: HUMAN,
    transfer_type: 'warm',
  });

/** Kills the control plane while it waits for the carrier's answer to the human's call; starts another. */
async function killedWhileTheHumanIsCalled(id: string): Promise<TransferRow> {
  carrier.beforeAnswer = () => plane.kill();
  await expect(transfer(id)).rejects.toThrow();
  carrier.beforeAnswer = async () => {};
  await startAnother(id);
  const row = await rowOf(id);
  expect(row).toMatchObject({ stage: 'calling', leg_id: null });
  expect(await call(id)).toMatchObject({ status: 'IN_PROGRESS', extra: { transfer_in_progress: true } });
  return row;
}

describe('a control plane that is killed while a human is called for a warm transfer', {
  timeout: 480_000,
}, () => {
  it('leaves a transfer that the next one finishes when the human answers, once', async () => {
    const { id, line } = await live();
    const leg = legOf((await killedWhileTheHumanIsCalled(id))._id);
    await carrier.takes(leg);
    await carrier.takes(leg);
    expect(await call(id)).toMatchObject({
      status: 'COMPLETED',
      end_reason: 'transferred',
      extra: { transfer_in_progress: false },
    });
    expect(joined(line)).toHaveLength(1);
    await eventually(() => deliveriesOf(id).length > 0);
    expect(deliveriesOf(id)).toHaveLength(1);
  });

  // @rule 4.13
  it('leaves a guard that is released when nobody answers; the call goes on and can be transferred', async () => {
    const { id, line } = await live();
    await killedWhileTheHumanIsCalled(id);
    await age(id);
    await eventually(
      () => call(id),
      ({ extra }) => !extra.transfer_in_progress,
      TAKEN_OVER_WITHIN_MS,
    );
    expect(await call(id)).toMatchObject({ status: 'IN_PROGRESS' });
    expect(joined(line)).toEqual([]);
    expect((await transfer(id)).json).toMatchObject({ status: 'in_progress' });
  });
});

describe('a control plane that is killed while it brings the caller over', { timeout: 480_000 }, () => {
  // @rule 4.15
  it('leaves a transfer that the next one finishes, once, though it never heard the carrier’s answer', async () => {
    const { id, line } = await live();
    const { transfer_id } = (await transfer(id)).json as { transfer_id: string };
    const leg = legOf(transfer_id);
    leg.status = 'in-progress';
    carrier.beforeRedirect = () => plane.kill();
    await carrier.report(leg, 'in-progress');
    await expect(carrier.briefed(leg)).rejects.toThrow();
    carrier.beforeRedirect = async () => {};
    await startAnother(id);
    // The carrier's new instructions end our stream, which the worker takes for a hang-up.
    const events = worker.number(id, [ended('caller_hangup', 5000)]);
    await worker.send(plane as unknown as TestControlPlane, events);
    await carrier.takes(leg);
    expect(await call(id)).toMatchObject({ status: 'IN_PROGRESS', extra: { transfer_in_progress: true } });
    await age(id);
    await eventually(
      () => call(id),
      ({ status }) => status === 'COMPLETED',
      TAKEN_OVER_WITHIN_MS,
    );
    expect(await call(id)).toMatchObject({
      end_reason: 'transferred',
      extra: { transfer_in_progress: false },
    });
    expect(joined(line)).toHaveLength(1);
    await eventually(() => deliveriesOf(id).length > 0);
    expect(deliveriesOf(id)).toHaveLength(1);
    expect(carrier.hungUp).not.toContain(leg.sid);
  });
});
