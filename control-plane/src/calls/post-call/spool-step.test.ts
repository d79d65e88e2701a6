import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import type { CallEvent } from '@voice/shared/contracts/call-events';
import { newId, newTenantId } from '@voice/shared/ids/ids';
import { silentLog } from '@voice/shared/log/log';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../testing/eventually.js';
import { startTestStore, type TestStore } from '../../testing/store.js';
import { correctLoss } from '../record/call-changes.js';
import { type CallDocument, type CallModel, callModel } from '../record/model.js';
import { agentMessage } from '../testing/events.js';
import { PostCall } from './post-call.js';
import { lastKnownMediaAt, spoolStep } from './spool-step.js';
import { DONE } from './step.js';

let store: TestStore;
let calls: CallModel;
let clock: ScriptedClock;
let events: CallEvent[];
/** How many turns the transcript was made of, each time it was made. */
let transcripts: number[];
let postCall: PostCall;
const tenant = newTenantId();

beforeAll(async () => {
  store = await startTestStore();
});
afterAll(() => store?.close());
beforeEach(async () => {
  calls = callModel(await store.connect());
  await calls.deleteMany({});
  clock = new ScriptedClock();
  [events, transcripts] = [[], []];
  postCall = new PostCall({
    calls,
    steps: [
      spoolStep({ calls, eventsOf: async () => events, clock }),
      {
        name: 'transcript',
        async run() {
          transcripts.push(events.length);
          return DONE;
        },
      },
    ],
    onProgress: () => {},
    clock,
    log: silentLog,
  });
});

/** A call of ten seconds whose worker was found to be lost just now. */
async function lostCall(): Promise<string> {
  const now = clock.now();
  const due = new Date(now + 60_000);
  const call: Partial<CallDocument> = {
    _id: newId(),
    tenant_id: tenant,
    status: 'FAILED',
    end_reason: 'worker_lost',
    queued_at: new Date(now - 20_000),
    ringing_at: new Date(now - 19_000),
    started_at: new Date(now - 18_000),
    media_started_at: new Date(now - 18_000),
    ended_at: new Date(now - 8000),
    duration_ms: 10_000,
    recording: null,
    lost_at: new Date(now),
    spool_due_at: due,
    post_call_due_at: due,
    publish_due_at: due,
    post_call_done: [],
    post_call_attempts: 0,
    post_call_lease_until: new Date(0),
  };
  await calls.collection.insertOne({ timeline: [], ...call } as never);
  return call._id!;
}
const keyOf = (id: string) => ({ _id: id, tenant_id: tenant });
const read = (id: string) => calls.findOne({ _id: id }).orFail().lean<CallDocument>();
const turn = (id: string, seq: number, at: number) =>
  ({ call_id: id, seq, at, ...agentMessage(seq, 'Hello.') }) as CallEvent;

describe('what happens to a lost call after its end', () => {
  it('waits a minute for what its worker had spooled, then is made of all that came, once', async () => {
    const id = await lostCall();
    events.push(turn(id, 1, clock.now() - 9000));
    const { spool_due_at: due } = await read(id);
    await postCall.wake(keyOf(id));
    // Looked at and put back.
    await eventually(async () => (await read(id)).post_call_due_at?.getTime() === due!.getTime());
    clock.advance(59_000);
    await postCall.run(keyOf(id));
    expect(transcripts).toEqual([]);
    events.push(turn(id, 2, clock.now() - 59_000 - 6500));
    clock.advance(1000);
    await postCall.run(keyOf(id));
    await postCall.run(keyOf(id));
    expect(transcripts).toEqual([2]);
    // The last that is known of its media came with the spool.
    expect(await read(id)).toMatchObject({ status: 'FAILED', duration_ms: 11_500, spool_due_at: null });
    await postCall.stop();
  });

  it('is that of a call which ended properly where the spool says so', async () => {
    const id = await lostCall();
    const end = {
      to: 'ended',
      at: clock.now() - 7000,
      cause: 'worker',
      endReason: 'agent_hangup',
      durationMs: 11_000,
    } as const;
    expect(await correctLoss(calls, tenant, id, end, clock.now())).toBe('COMPLETED');
    expect(await correctLoss(calls, tenant, id, end, clock.now())).toBeNull();
    await postCall.run(keyOf(id));
    expect(transcripts).toEqual([0]);
    expect(await read(id)).toMatchObject({ status: 'COMPLETED', duration_ms: 11_000 });
  });
});

describe('until when the media of a lost call is known to have run', () => {
  const call = { ended_at: new Date(5000), media_started_at: new Date(1000), recording: null };

  it('is the latest of its end, its events and its recording', () => {
    expect(lastKnownMediaAt(call, [])).toBe(5000);
    expect(lastKnownMediaAt(call, [{ at: 3000 }, { at: 6000 }])).toBe(6000);
    const recording = { key: 'k', size_bytes: 1, duration_ms: 5500, stored_at: new Date(0) };
    expect(lastKnownMediaAt({ ...call, recording }, [{ at: 6000 }])).toBe(6500);
  });
});
