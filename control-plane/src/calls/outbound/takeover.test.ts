/** @replicas Leases: another replica takes up what one has left. */

import { SANDBOX_CALLER_ID } from '@voice/shared/contracts/test-numbers';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestControlPlane, type TestControlPlane } from '../../testing/control-plane.js';
import { eventually } from '../../testing/eventually.js';
import { createAgent, startTestInstallation } from '../../testing/installation.js';
import type { ScriptedCarrier } from '../../testing/scripted-carrier.js';
import { ScriptedWorker } from '../../testing/scripted-worker.js';
import type { TestStore } from '../../testing/store.js';
import { type CallModel, callModel } from '../record/model.js';
import type { CallResponse } from '../record/schemas.js';
import { DIAL_CALLBACK_WAIT_MS } from '../recovery/reconciliation.js';
import { ended, mediaStarted, streamMissing } from '../testing/events.js';

let store: TestStore;
let carrier: ScriptedCarrier;
let plane: TestControlPlane;
let worker: ScriptedWorker;
let calls: CallModel;
let key: string;
let agentId: string;

beforeAll(async () => {
  const installation = await startTestInstallation();
  ({ store, carrier, plane, worker } = installation);
  calls = callModel(await store.connect());
  ({ key } = await plane.newKey());
  agentId = await createAgent(plane, key);
  return installation.close;
});
beforeEach(async () => {
  worker.mode = 'full';
  carrier.mode = 'takes';
  await worker.heartbeat(plane);
});

async function queued(): Promise<string> {
  const made = await plane.request('POST', '/api/v1/calls', {
    key,
    body: { agent_id: agentId, from_number: SANDBOX_CALLER_ID, to_number: '+15005550006' },
  });
  return (made.json as { id: string }).id;
}
const get = async (id: string) =>
  (await plane.request('GET', `/api/v1/calls/${id}`, { key })).json as CallResponse;

/** Makes the store say that another replica holds the call's lease, as one does that was killed. */
const heldByTheDead = (id: string, until: number, stage = 'waiting') =>
  calls.updateOne(
    { _id: id },
    {
      $set: {
        dispatch_lease_owner: 'a replica that was killed',
        dispatch_lease_until: new Date(until),
        dispatch_stage: stage,
      },
    },
  );

describe('when the replica that dispatches a call is killed', () => {
  it('another dials the call once the lease has lapsed, and not before', async () => {
    const id = await queued();
    const lapsesAt = Date.now() + 2500;
    await heldByTheDead(id, lapsesAt);
    worker.mode = 'reserves';
    await eventually(() => carrier.callOf(id));
    expect(Date.now()).toBeGreaterThanOrEqual(lapsesAt);
    expect(carrier.dialed.filter(({ form }) => form.StatusCallback?.includes(id))).toHaveLength(1);
  });
});

describe('two replicas', () => {
  it('dial each call once, whichever of them was asked, and both report the same', async () => {
    const other = await startTestControlPlane(store.uri, { env: carrier.env });
    try {
      const ids = await Promise.all([1, 2, 3, 4].map(queued));
      // All leases have lapsed: both replicas' safety nets and the first one's dispatchers want the calls.
      await calls.updateMany(
        { _id: { $in: ids } },
        { $set: { dispatch_lease_until: new Date(Date.now() - 1) } },
      );
      worker.mode = 'reserves';
      await worker.heartbeat(other);
      for (const id of ids) {
        const line = (await eventually(() => carrier.callOf(id)))!;
        await worker.send(other, worker.number(id, [ended('agent_hangup', 10)]));
        await carrier.report(line, 'completed');
        expect((await get(id)).status).toBe('COMPLETED');
        const there = await other.request('GET', `/api/v1/calls/${id}`, { key });
        expect((there.json as CallResponse).status).toBe('COMPLETED');
      }
      const dialedIds = carrier.dialed.map(({ form }) => form.StatusCallback!.split('call_id=')[1]);
      expect(new Set(dialedIds).size).toBe(dialedIds.length);
    } finally {
      await other.close();
    }
  });
});

describe('a call for which no worker has a place', () => {
  it('fails with no_capacity at its deadline', async () => {
    const id = await queued();
    await calls.updateOne({ _id: id }, { $set: { dispatch_deadline_at: new Date(Date.now() + 500) } });
    const call = await eventually(
      () => get(id),
      ({ status }) => status === 'FAILED',
    );
    expect(call).toMatchObject({ end_reason: 'no_capacity', error_code: 'no_capacity' });
    expect(worker.refused).toEqual([]);
  });

  it('fails with what the carrier said where it had a place and the carrier would not dial', async () => {
    worker.mode = 'reserves';
    carrier.mode = { status: 503, code: 20503 };
    const id = await queued();
    // Between two attempts: the last failure leaves time for another, which comes too late.
    await calls.updateOne({ _id: id }, { $set: { dispatch_deadline_at: new Date(Date.now() + 2200) } });
    const call = await eventually(
      () => get(id),
      ({ status }) => status === 'FAILED',
    );
    expect(call.end_reason).toBe('carrier_failed');
    expect(call.error_code).not.toBe('no_capacity');
    expect(worker.held).not.toContain(id);
  });

  it('goes to the next worker when one is gone', async () => {
    const other = await ScriptedWorker.start({
      id: 'worker-2',
      secret: plane.platform.config.internalSecret,
    });
    await other.heartbeat(plane);
    worker.mode = 'breaks';
    const id = await queued();
    await eventually(() => carrier.callOf(id));
    expect(other.held).toContain(id);
    await other.close();
  });
});

describe('a place that nobody uses, since the replica that took it was killed', () => {
  it('runs out without harm to the call, which lives at another worker', async () => {
    const other = await ScriptedWorker.start({
      id: 'worker-3',
      secret: plane.platform.config.internalSecret,
    });
    await other.heartbeat(plane);
    const id = await queued();
    const line = (await eventually(() => carrier.callOf(id)))!;
    expect(other.held).toContain(id);
    await carrier.report(line, 'in-progress');
    const forgotten = worker.number(id, [streamMissing()]);
    const answer = await worker.send(plane, forgotten);
    // The worker may forget it.
    expect(answer.json).toEqual({ accepted: [{ call_id: id, seq: 1 }], rejected: [] });
    await other.send(plane, other.number(id, [mediaStarted(line.sid)]));
    expect((await get(id)).status).toBe('IN_PROGRESS');
    expect(carrier.hungUp).not.toContain(line.sid);
    await other.send(plane, other.number(id, [ended('agent_hangup', 700)]));
    expect(await get(id)).toMatchObject({ end_reason: 'agent_hangup', duration_ms: 700 });
    await other.close();
  });

  it('is the end of the call whose place it is', async () => {
    worker.mode = 'reserves';
    const id = await queued();
    await eventually(() => carrier.callOf(id));
    await worker.send(plane, worker.number(id, [streamMissing()]));
    expect(await get(id)).toMatchObject({ status: 'FAILED', error_code: 'media_stream_missing' });
  });
});

describe('calls of which nobody says anything', () => {
  it('ring longer than they should: the carrier is asked', async () => {
    worker.mode = 'reserves';
    const id = await queued();
    const line = (await eventually(() => carrier.callOf(id)))!;
    await carrier.report(line, 'ringing');
    line.status = 'no-answer';
    await calls.updateOne({ _id: id }, { $set: { ring_deadline_at: new Date(Date.now() - 1) } });
    const call = await eventually(
      () => get(id),
      ({ status }) => status === 'NO_ANSWER',
    );
    expect(call.end_reason).toBe('no_answer');
  });

  it('are over at the carrier: ended without the last word of the worker', async () => {
    worker.mode = 'reserves';
    const id = await queued();
    const line = (await eventually(() => carrier.callOf(id)))!;
    await carrier.report(line, 'in-progress');
    await carrier.report(line, 'completed');
    await calls.updateOne({ _id: id }, { $set: { carrier_ended_at: new Date(Date.now() - 20_000) } });
    const call = await eventually(
      () => get(id),
      ({ status }) => status === 'COMPLETED',
    );
    expect(call.end_reason).toBe('caller_hangup');
  });

  it('have ended by an event that was stored and not acted on: the event decides', async () => {
    worker.mode = 'reserves';
    const id = await queued();
    const line = (await eventually(() => carrier.callOf(id)))!;
    await carrier.report(line, 'in-progress');
    // As left by a control plane that was killed between the two.
    const event = worker.number(id, [ended('silence_timeout', 900)])[0]!;
    await calls.db.collection('call_events').insertOne({
      _id: `${id}:${event.seq}` as never,
      tenant_id: (await calls.findOne({ _id: id }).lean())!.tenant_id,
      call_id: id,
      seq: event.seq,
      kind: 'ended',
      at: new Date(event.at),
      received_at: new Date(),
      body: JSON.stringify(event),
    });
    await calls.updateOne({ _id: id }, { $set: { carrier_ended_at: new Date(Date.now() - 20_000) } });
    const call = await eventually(
      () => get(id),
      ({ status }) => status === 'COMPLETED',
    );
    expect(call.end_reason).toBe('silence_timeout');
  });
});

// Last: until a replica has listened for half a minute it judges no dialing, and the tests before take most of that.
describe('when the replica that dials a call is killed', () => {
  it('nobody dials again when the carrier may have been asked already', async () => {
    const id = await queued();
    await heldByTheDead(id, Date.now() - DIAL_CALLBACK_WAIT_MS - 1000, 'dialing');
    worker.mode = 'reserves';
    const call = await eventually(
      () => get(id),
      ({ status }) => status === 'FAILED',
    );
    expect(call).toMatchObject({ end_reason: 'carrier_failed', error_code: 'dial_outcome_unknown' });
    expect(carrier.callOf(id)).toBeUndefined();
  });
});
