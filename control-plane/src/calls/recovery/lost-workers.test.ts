import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { newId, newTenantId } from '@voice/shared/ids/ids';
import { silentLog } from '@voice/shared/log/log';
import { Registry } from 'prom-client';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { BackgroundWork } from '../../platform/jobs/background.js';
import { Carriers } from '../../telephony/carriers/carriers.js';
import { type CountedConnection, connectCounted } from '../../testing/counted-commands.js';
import { ScriptedWorker } from '../../testing/scripted-worker.js';
import { startTestStore, type TestStore } from '../../testing/store.js';
import { WorkerCommands } from '../../workers/commands.js';
import { WorkerHolds } from '../../workers/holds.js';
import { workerModel } from '../../workers/model.js';
import { Placement } from '../../workers/placement.js';
import { WorkerRegistry } from '../../workers/registry.js';
import { sweepModel } from '../../workers/sweep-model.js';
import { WorkerClient } from '../../workers/worker-client.js';
import { CallEnding } from '../ending/call-ending.js';
import { callEventModel } from '../record/call-event-model.js';
import { CallEventPublisher } from '../record/call-event-publisher.js';
import { CallMetrics } from '../record/call-metrics.js';
import { type CallDocument, type CallModel, callModel } from '../record/model.js';
import { ended } from '../testing/events.js';
import { EventIntake } from '../worker-events/event-intake.js';
import { WorkerCalls } from '../worker-events/worker-calls.js';
import { LostWorkerSweep } from './lost-worker-sweep.js';

const SECRET = 'a secret of the two planes';

let store: TestStore;
let counted: CountedConnection;
let clock: ScriptedClock;
let calls: CallModel;
let workerCalls: WorkerCalls;
/** As each replica has its own. */
let newWorkerCalls: () => WorkerCalls;
let sweep: LostWorkerSweep;
/** As a process makes it when it starts. */
let newSweep: () => LostWorkerSweep;
let intake: EventIntake;
let background: BackgroundWork;
let spoolsCame: string[];

beforeAll(async () => {
  store = await startTestStore();
});
afterAll(() => store?.close());
beforeEach(async () => {
  counted = await connectCounted(store.uri);
  const { connection } = counted;
  clock = new ScriptedClock();
  calls = callModel(connection);
  const workers = workerModel(connection);
  const sweeps = sweepModel(connection);
  await Promise.all([calls.deleteMany({}), workers.deleteMany({}), sweeps.deleteMany({})]);
  const registry = new WorkerRegistry(workers, new WorkerHolds(connection, clock), clock);
  const client = new WorkerClient({ secret: SECRET, clock });
  const commands = new WorkerCommands({ registry, client, log: silentLog });
  background = new BackgroundWork(silentLog);
  const metrics = new CallMetrics(new Registry(), registry);
  const eventPublisher = new CallEventPublisher({
    calls,
    events: { emit: async () => {} },
    background,
  });
  const shared = { calls, clock, log: silentLog, commands, metrics, eventPublisher };
  const placement = new Placement({ registry, client, log: silentLog });
  const ending = new CallEnding({ ...shared, carriers: new Carriers([]), placement, background });
  intake = new EventIntake({
    ...shared,
    onStored: async () => {},
    readArchived: async () => [],
    transfers: { request: async () => {}, callerOf: async () => 'here' },
    events: callEventModel(connection),
    ending,
  });
  spoolsCame = [];
  newWorkerCalls = () =>
    new WorkerCalls({
      calls,
      registry,
      client,
      ending,
      intake,
      onSpoolCame: ({ _id }) => spoolsCame.push(_id),
      clock,
      log: silentLog,
    });
  workerCalls = newWorkerCalls();
  newSweep = () => new LostWorkerSweep({ sweeps, workerCalls, clock });
  sweep = newSweep();
});

afterEach(() => counted?.connection.close());

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
const beat = (
  workerId: string,
  held: string[],
  { controlUrl = 'http://127.0.0.1:1', spooled }: { controlUrl?: string; spooled?: string[] } = {},
) =>
  workerCalls.heartbeat({
    worker_id: workerId,
    control_url: controlUrl,
    media_url: 'ws://127.0.0.1:1',
    capacity: 10,
    live: held.length,
    reserved: 0,
    draining: false,
    calls: held,
    ...(spooled ? { spooled_calls: spooled } : {}),
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
    // A minute before, and ten seconds until it reported last: the silence after that is no conversation.
    expect(call.duration_ms).toBe(70_000);
    expect(call.ended_at?.getTime()).toBe(clock.now() - 12_000);
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

  it('loses all its other calls where one cannot be ended, and that one once it can', async () => {
    const [stuck, other, unknown] = [await callAt('w'), await callAt('w'), await callAt('nobody')];
    await seconds(10, () => beat('w', [stuck, other]));
    const { tenant_id } = await read(stuck);
    const events = calls.db.collection<{ _id: string }>('call_events');
    const unreadable = { tenant_id, call_id: stuck, seq: 1, kind: 'ended', body: 'no JSON' };
    await events.insertOne({ _id: `${stuck}:1`, ...unreadable });
    await seconds(12);
    const statuses = async () =>
      Promise.all([stuck, other, unknown].map(async (id) => (await read(id)).status));
    expect(await statuses()).toEqual(['IN_PROGRESS', 'FAILED', 'FAILED']);
    // The worker is back without it: its heartbeats are taken all the same.
    for (let n = 0; n < 5; n++) {
      clock.advance(2000);
      expect(await beat('w', [])).toEqual([]);
    }
    await events.deleteOne({ _id: `${stuck}:1` });
    await beat('w', []);
    expect(await statuses()).toEqual(['FAILED', 'FAILED', 'FAILED']);
  });

  it('loses its calls in batches, each by what its worker last said of it', async () => {
    const ids = await Promise.all(Array.from({ length: 40 }, () => callAt('w')));
    await seconds(10, () => beat('w', ids));
    const { tenant_id } = await read(ids[7]!);
    const last = new Date(clock.now() + 1500);
    await calls.db.collection('call_events').insertMany(
      [1, 2].map((seq) => ({
        _id: `${ids[7]}:${seq}` as never,
        tenant_id,
        call_id: ids[7],
        seq,
        kind: 'turn',
        at: new Date(last.getTime() + (seq - 2) * 1000),
        body: '{}',
      })),
    );
    await seconds(6);
    expect((await read(ids[0]!)).status).toBe('IN_PROGRESS');
    const before = counted.sent();
    await seconds(6);
    // The sweep's own, the worker and its calls; then calls, events and ends of all, and what is published of each.
    expect(counted.sent() - before).toBeLessThan(25);
    const lost = await Promise.all(ids.map(read));
    expect(new Set(lost.map(({ end_reason }) => end_reason))).toEqual(new Set(['worker_lost']));
    const of7 = lost.map(({ duration_ms }, n) => [n, duration_ms]).filter(([, ms]) => ms !== 70_000);
    expect(of7).toEqual([[7, 71_500]]);
  });

  it('and started again under its old name without the call loses it as well', async () => {
    const id = await callAt('w');
    await seconds(10, () => beat('w', [id]));
    await seconds(4, () => beat('w', []));
    expect((await read(id)).status).toBe('IN_PROGRESS');
    const asHeld = clock.now() - 4000;
    await seconds(6, () => beat('w', []));
    expect(await read(id)).toMatchObject({ status: 'FAILED', end_reason: 'worker_lost' });
    expect((await read(id)).ended_at?.getTime()).toBe(asHeld);
  });
});

describe('heartbeats between two comparisons', () => {
  it.each([0, 1, 2, 3, 4, 5, 6])(
    'lose a call at the same time, and to the same millisecond, as a comparison would (%i after the first)',
    async (beats) => {
      const [kept, gone] = [await callAt('w'), await callAt('w')];
      await beat('w', [kept, gone]);
      await seconds(2 * beats, () => beat('w', [kept, gone]));
      const heldAt = clock.now();
      await seconds(6, () => beat('w', [kept]));
      expect((await read(gone)).status).toBe('IN_PROGRESS');
      await seconds(2, () => beat('w', [kept]));
      expect(await read(gone)).toMatchObject({ status: 'FAILED', ended_at: new Date(heldAt) });
      expect((await read(kept)).status).toBe('IN_PROGRESS');
    },
  );

  it('do so too where two replicas take them in turns, and where the other takes over', async () => {
    const [one, other] = [workerCalls, newWorkerCalls()];
    const [kept, gone] = [await callAt('w'), await callAt('w')];
    const inTurns = (...held: string[]) => {
      workerCalls = workerCalls === one ? other : one;
      return beat('w', held);
    };
    await seconds(6, () => inTurns(kept, gone));
    await seconds(6, () => beat('w', [kept, gone]));
    const heldAt = clock.now();
    await seconds(8, () => inTurns(kept));
    expect(await read(gone)).toMatchObject({ status: 'FAILED', ended_at: new Date(heldAt) });
    expect((await read(kept)).status).toBe('IN_PROGRESS');
  });

  it('lose nothing of a call that has ended, and find one that was never held within eight seconds and six', async () => {
    const [ended, never] = [await callAt('w'), await callAt('w')];
    await beat('w', [ended, never]);
    await calls.updateOne({ _id: never }, { $set: { worker_id: 'another' } });
    await seconds(2, () => beat('w', [ended]));
    await calls.updateOne({ _id: ended }, { $set: { status: 'COMPLETED', ended_at: new Date(clock.now()) } });
    await calls.updateOne({ _id: never }, { $set: { worker_id: 'w' } });
    await seconds(14, () => beat('w', []));
    expect((await read(ended)).status).toBe('COMPLETED');
    expect(await read(never)).toMatchObject({ status: 'FAILED', end_reason: 'worker_lost' });
  });
});

describe('the record of a lost call', () => {
  /** A call that was lost just now. */
  async function lostCall(): Promise<string> {
    const id = await callAt('w');
    await seconds(10, () => beat('w', [id]));
    await seconds(12);
    expect(await read(id)).toMatchObject({ status: 'FAILED', end_reason: 'worker_lost' });
    return id;
  }
  const spooledEnd = (id: string, at: number) =>
    intake.accept({
      worker_id: 'w',
      events: [{ call_id: id, seq: 9, at, ...ended('operator_hangup', 64_000) }],
    });

  it('stays open for a minute: nothing is due before', async () => {
    const id = await lostCall();
    const call = await read(id);
    const due = new Date(call.lost_at!.getTime() + 60_000);
    expect(call).toMatchObject({ spool_due_at: due, post_call_due_at: due, publish_due_at: due });
  });

  it('is corrected by an end from before the loss, and the timeline shows it', async () => {
    const id = await lostCall();
    const endedAt = clock.now() - 16_000;
    await spooledEnd(id, endedAt);
    const call = await read(id);
    expect(call).toMatchObject({
      status: 'COMPLETED',
      end_reason: 'operator_hangup',
      error_code: null,
      error_message: null,
      duration_ms: 64_000,
      ended_at: new Date(endedAt),
      spool_due_at: null,
      post_call_due_at: new Date(clock.now()),
    });
    expect(call.timeline.map(({ type }) => type)).toEqual([
      'call.failed',
      'call.completed',
      'call.corrected',
    ]);
    expect(JSON.parse(call.timeline.at(-1)!.data)).toMatchObject({ from: 'FAILED', to: 'COMPLETED' });
  });

  it('is not corrected by an end from after the loss, nor when it is closed', async () => {
    const [late, closed] = [await lostCall(), await lostCall()];
    await spooledEnd(late, clock.now() + 1);
    await calls.updateOne({ _id: closed }, { $set: { spool_due_at: null } });
    await spooledEnd(closed, clock.now() - 16_000);
    for (const id of [late, closed]) expect((await read(id)).status).toBe('FAILED');
  });

  it('is complete when the worker is back and has nothing more to send of it', async () => {
    const id = await lostCall();
    await beat('w', []);
    await beat('w', [], { spooled: [id] });
    expect(spoolsCame).toEqual([]);
    await beat('w', [], { spooled: [] });
    expect(spoolsCame).toEqual([id]);
    expect((await read(id)).post_call_due_at?.getTime()).toBe(clock.now());
  });

  it('is complete with all others of a worker that is back, by a few commands', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, () => callAt('w')));
    await seconds(10, () => beat('w', ids));
    await seconds(12);
    await beat('w', []);
    const [open, closed, ...rest] = ids as [string, string, ...string[]];
    await calls.updateOne({ _id: closed }, { $set: { spool_due_at: null } });
    const before = counted.sent();
    await beat('w', [], { spooled: [open] });
    expect(counted.sent() - before).toBeLessThan(8);
    expect(spoolsCame.sort()).toEqual(rest.sort());
    const due = await calls.find({ _id: { $in: rest }, spool_due_at: new Date(clock.now()) }, { _id: 1 });
    expect(due).toHaveLength(rest.length);
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

  it('keeps its calls while the control plane starts again and again and receives no heartbeat', async () => {
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

  it('learns which of its calls are over by its fourth heartbeat after that', async () => {
    const id = await callAt('w');
    const stranger = newId();
    expect(await beat('w', [id, stranger])).toEqual([]);
    await calls.updateOne({ _id: id }, { $set: { status: 'FAILED' } });
    const ended: string[] = [];
    for (let n = 0; n < 4; n++) {
      clock.advance(2000);
      ended.push(...(await beat('w', [id, stranger])));
    }
    expect(ended).toEqual([id]);
  });
});

describe('a worker whose heartbeats do not arrive', () => {
  it('keeps its calls while it answers the judge itself, and loses them when it does not', async () => {
    const worker = await ScriptedWorker.start({ id: 'w', secret: SECRET, now: () => clock.now() });
    const id = await callAt('w');
    worker.held.add(id);
    await seconds(10, () => beat('w', [id], { controlUrl: worker.url }));
    // The replica that the worker reports to is stalled; the sweep runs on another.
    await seconds(30);
    expect((await read(id)).status).toBe('IN_PROGRESS');
    await worker.close();
    await seconds(12);
    expect(await read(id)).toMatchObject({ status: 'FAILED', end_reason: 'worker_lost' });
  });

  it('loses the calls that it says it does not hold', async () => {
    const worker = await ScriptedWorker.start({ id: 'w', secret: SECRET, now: () => clock.now() });
    const [kept, gone] = [await callAt('w'), await callAt('w')];
    worker.held.add(kept);
    await seconds(10, () => beat('w', [kept, gone], { controlUrl: worker.url }));
    await seconds(40);
    expect((await read(kept)).status).toBe('IN_PROGRESS');
    expect(await read(gone)).toMatchObject({ status: 'FAILED', end_reason: 'worker_lost' });
    await worker.close();
  });

  it('is lost when another worker answers at its address', async () => {
    const other = await ScriptedWorker.start({ id: 'other', secret: SECRET, now: () => clock.now() });
    const id = await callAt('w');
    other.held.add(id);
    await seconds(10, () => beat('w', [id], { controlUrl: other.url }));
    await seconds(12);
    expect((await read(id)).status).toBe('FAILED');
    await other.close();
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
