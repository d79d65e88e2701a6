import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { newId, newTenantId } from '@voice/shared/ids/ids';
import { silentLog } from '@voice/shared/log/log';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Carriers } from '../carriers/carriers.js';
import { startTestStore, type TestStore } from '../testing/store.js';
import { WorkerCommands } from '../workers/commands.js';
import { workerModel } from '../workers/model.js';
import { Placement } from '../workers/placement.js';
import { WorkerRegistry } from '../workers/registry.js';
import { sweepModel } from '../workers/sweep-model.js';
import { WorkerClient } from '../workers/worker-client.js';
import { BackgroundWork } from './background.js';
import { CallEnding } from './call-ending.js';
import { callEventModel } from './call-event-model.js';
import { CallMetrics } from './call-metrics.js';
import { CallTelling } from './call-telling.js';
import { EventIntake } from './event-intake.js';
import { LostWorkerSweep } from './lost-worker-sweep.js';
import { type CallDocument, type CallModel, callModel } from './model.js';
import { ended } from './testing/events.js';
import { WorkerCalls } from './worker-calls.js';

let store: TestStore;
let clock: ScriptedClock;
let calls: CallModel;
let workerCalls: WorkerCalls;
let sweep: LostWorkerSweep;
/** As a process makes it when it starts. */
let newSweep: () => LostWorkerSweep;
let intake: EventIntake;
let background: BackgroundWork;

beforeAll(async () => {
  store = await startTestStore();
});
afterAll(() => store?.close());
beforeEach(async () => {
  const connection = await store.connect();
  clock = new ScriptedClock();
  calls = callModel(connection);
  const workers = workerModel(connection);
  const sweeps = sweepModel(connection);
  await Promise.all([calls.deleteMany({}), workers.deleteMany({}), sweeps.deleteMany({})]);
  const registry = new WorkerRegistry(workers, clock);
  const client = new WorkerClient({ secret: 'unused', clock });
  const commands = new WorkerCommands({ registry, client, log: silentLog });
  background = new BackgroundWork(silentLog);
  const metrics = new CallMetrics(new Registry(), registry);
  const telling = new CallTelling({
    calls,
    events: { emit: async () => {} },
    background,
    recordingUrl: () => null,
    costUsd: async () => null,
  });
  const shared = { calls, clock, log: silentLog, commands, metrics, telling };
  const placement = new Placement({ registry, client, log: silentLog });
  const ending = new CallEnding({ ...shared, carriers: new Carriers([]), placement, background });
  intake = new EventIntake({
    ...shared,
    hear: async () => {},
    transfers: { request: async () => {}, handingOver: async () => false },
    events: callEventModel(connection),
    ending,
  });
  workerCalls = new WorkerCalls({ calls, registry, ending, intake, clock, log: silentLog });
  newSweep = () => new LostWorkerSweep({ sweeps, workerCalls, clock });
  sweep = newSweep();
});

/** A call in progress at the worker, placed a minute ago. */
async function callAt(workerId: string): Promise<string> {
  const minuteAgo = new Date(clock.now() - 60_000);
  const call: Partial<CallDocument> = {
    _id: newId(),
    tenant_id: newTenantId(),
    created_at: minuteAgo,
    updated_at: minuteAgo,
    agent_id: newId(),
    status: 'IN_PROGRESS',
    direction: 'outbound',
    from_number: '+15005550100',
    to_number: '+15005550006',
    sandbox: true,
    compliance_check_id: newId(),
    agent_snapshot: '',
    variables: '{}',
    metadata: '{}',
    carrier: 'simulated',
    worker_id: workerId,
    placed_at: minuteAgo,
    media_started_at: minuteAgo,
    dispatch_stage: 'dialed',
    dispatch_lease_until: minuteAgo,
    dispatch_deadline_at: minuteAgo,
    queued_at: minuteAgo,
    started_at: minuteAgo,
  };
  // The empty strings are as good as any here; nobody dials this call.
  await calls.collection.insertOne({ timeline: [], ...call } as never);
  return call._id!;
}
const read = (id: string) => calls.findOne({ _id: id }).orFail().lean<CallDocument>();
const beat = (workerId: string, held: string[]) =>
  workerCalls.heartbeat({
    worker_id: workerId,
    control_url: 'http://127.0.0.1:1',
    media_url: 'ws://127.0.0.1:1',
    capacity: 10,
    live: held.length,
    reserved: 0,
    draining: false,
    calls: held,
  });
/** Seconds go by with a sweep every two, and what else happens in each of them. */
async function seconds(count: number, each: () => Promise<unknown> = async () => {}): Promise<void> {
  for (let i = 0; i < count; i += 2) {
    clock.advance(2000);
    await each();
    await sweep.run();
  }
  await background.settled();
}

describe('a worker that was killed', () => {
  it('loses its calls within twelve seconds, and their story is kept', async () => {
    const id = await callAt('w');
    await seconds(10, () => beat('w', [id]));
    expect((await read(id)).status).toBe('IN_PROGRESS');
    await seconds(6);
    expect((await read(id)).status).toBe('IN_PROGRESS');
    await seconds(6);
    const call = await read(id);
    expect(call).toMatchObject({ status: 'FAILED', end_reason: 'worker_lost', error_code: 'worker_lost' });
    expect(call.duration_ms).toBeGreaterThan(60_000);
    expect(call.timeline.map(({ type }) => type)).toEqual(['call.failed']);
  });

  it('whose last event was accepted has ended the call as the event says', async () => {
    const id = await callAt('w');
    await seconds(10, () => beat('w', [id]));
    const { tenant_id } = await read(id);
    const event = { call_id: id, seq: 1, at: clock.now(), ...ended('agent_hangup', 1000) };
    await calls.db.collection('call_events').insertOne({
      _id: `${id}:1` as never,
      tenant_id,
      call_id: id,
      seq: 1,
      kind: 'ended',
      body: JSON.stringify(event),
    });
    await seconds(14);
    expect(await read(id)).toMatchObject({ status: 'COMPLETED', end_reason: 'agent_hangup' });
  });

  it('and started again under its old name without the call loses it as well', async () => {
    const id = await callAt('w');
    await seconds(10, () => beat('w', [id]));
    await seconds(4, () => beat('w', []));
    expect((await read(id)).status).toBe('IN_PROGRESS');
    await seconds(6, () => beat('w', []));
    expect(await read(id)).toMatchObject({ status: 'FAILED', end_reason: 'worker_lost' });
  });
});

describe('a worker that lives', () => {
  it('keeps its calls through an outage of the control plane', async () => {
    const id = await callAt('w');
    await seconds(10, () => beat('w', [id]));
    clock.advance(60_000);
    await seconds(6);
    await seconds(10, () => beat('w', [id]));
    expect((await read(id)).status).toBe('IN_PROGRESS');
  });

  it('keeps its calls while the control plane ends and starts again and again, and hears no heartbeat', async () => {
    const id = await callAt('w');
    await seconds(10, () => beat('w', [id]));
    for (let start = 0; start < 6; start++) {
      clock.advance(4000);
      sweep = newSweep();
      await sweep.run();
    }
    await seconds(10, () => beat('w', [id]));
    expect((await read(id)).status).toBe('IN_PROGRESS');
  });

  it('keeps a call that one heartbeat did not mention', async () => {
    const id = await callAt('w');
    await seconds(10, () => beat('w', [id]));
    await seconds(4, () => beat('w', []));
    await seconds(4, () => beat('w', [id]));
    await seconds(4, () => beat('w', []));
    expect((await read(id)).status).toBe('IN_PROGRESS');
  });

  it('is told which of its calls are over', async () => {
    const id = await callAt('w');
    const stranger = newId();
    expect(await beat('w', [id, stranger])).toEqual([]);
    await calls.updateOne({ _id: id }, { $set: { status: 'FAILED' } });
    expect(await beat('w', [id, stranger])).toEqual([id]);
  });
});

describe('calls of a worker that nobody knows', () => {
  it('are lost', async () => {
    const id = await callAt('forgotten');
    await seconds(8);
    expect((await read(id)).status).toBe('IN_PROGRESS');
    await seconds(4);
    expect((await read(id)).status).toBe('FAILED');
  });
});
