import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { newId, newTenantId } from '@voice/shared/ids/ids';
import { silentLog } from '@voice/shared/log/log';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ReadsByTenantAndId } from '../../platform/store/reads-by-id.js';
import { startTestStore, type TestStore } from '../../testing/store.js';
import type { TenantEvent } from '../../webhooks/events/tenant-events.js';
import { type AnalysisRow, analysisModel } from '../record/analysis-model.js';
import { type CallDocument, type CallModel, callModel } from '../record/model.js';
import { transcriptModel } from '../record/transcript-model.js';
import { EndPublisher } from './end-publisher.js';
import { callPublications } from './steps.js';

let store: TestStore;
let calls: CallModel;
let clock: ScriptedClock;
let published: TenantEvent[];
let progress: string[];
/** As a process makes it when it starts. */
let newPublisher: (emit?: () => Promise<void>) => EndPublisher;

beforeAll(async () => {
  store = await startTestStore();
});
afterAll(() => store?.close());
beforeEach(async () => {
  const connection = await store.connect();
  clock = new ScriptedClock();
  calls = callModel(connection);
  await calls.deleteMany({});
  [published, progress] = [[], []];
  newPublisher = (emit) =>
    new EndPublisher({
      calls,
      clock,
      log: silentLog,
      publications: callPublications({
        transcripts: transcriptModel(connection),
        analysisReads: new ReadsByTenantAndId<AnalysisRow>(analysisModel(connection)),
        eventsOf: async () => [],
        publishProgress: async ({ _id }) => {
          progress.push(_id);
        },
        recordingUrl: async ({ recording }) =>
          recording && { url: 'https://example.com/r.mp3', expiresAt: new Date(clock.now() + 900_000) },
        costUsd: async (call) => (call.cost ? 0.5 : null),
        contactPublication: {
          name: 'contact',
          isReady: () => true,
          publish: async (_call, notBefore) => notBefore,
        },
        publicUrl: () => 'https://example.com',
      }),
      events: {
        async emitAll(events) {
          if (events.length > 0) await emit?.();
          for (const event of events) if (!published.some(({ id }) => id === event.id)) published.push(event);
        },
      },
    });
  const row = { agent_id: newId(), campaign_id: null, turns_count: 2, turns: '[]', created_at: new Date(0) };
  await transcriptModel(connection).deleteMany({});
  rowOf = (call) => transcriptModel(connection).insertOne({ _id: call, tenant_id: tenant, ...row });
});
const tenant = newTenantId();
let rowOf: (callId: string) => Promise<unknown>;

/** A call that has just ended, as its end leaves it. */
async function endedCall(more: Partial<CallDocument> = {}): Promise<string> {
  const now = new Date(clock.now());
  const call: Partial<CallDocument> = {
    _id: newId(),
    tenant_id: tenant,
    created_at: now,
    updated_at: now,
    agent_id: newId(),
    status: 'COMPLETED',
    direction: 'outbound',
    from_number: '+15005550100',
    to_number: '+15005550006',
    sandbox: false,
    carrier: 'twilio',
    outcome: null,
    summary: null,
    recording: null,
    duration_ms: 4000,
    media_started_at: now,
    ended_at: now,
    end_reason: 'agent_hangup',
    publish_due_at: now,
    end_held_until: new Date(clock.now() + 12_000),
    published: [],
    post_call_done: [],
    ...more,
  };
  await calls.collection.insertOne({ timeline: [], ...call } as never);
  await rowOf(call._id!);
  return call._id!;
}
const done = (id: string, steps: string[], set: Partial<CallDocument> = {}) =>
  calls.updateOne({ _id: id }, { $set: { post_call_done: steps, ...set } });
const types = () => published.map(({ type }) => type);
const recording = () => ({ key: 'k', size_bytes: 1, duration_ms: 3900, stored_at: new Date(clock.now()) });
/** Seconds go by with a sweep in each. */
async function seconds(count: number, publisher: EndPublisher): Promise<void> {
  for (let i = 0; i < count; i++) {
    clock.advance(1000);
    await publisher.sweep();
  }
}

describe('the end of a completed call', () => {
  it('is held until outcome, summary, cost and recording are there, then goes first', async () => {
    const publisher = newPublisher();
    const id = await endedCall();
    await publisher.publish({ _id: id, tenant_id: tenant });
    await done(id, ['transcript', 'analysis', 'cost'], {
      outcome: 'booked',
      summary: 'Booked.',
      cost: {} as never,
    });
    await publisher.publish({ _id: id, tenant_id: tenant });
    expect(types()).toEqual([]);
    await done(id, ['transcript', 'analysis', 'cost'], { recording: recording() });
    await publisher.publish({ _id: id, tenant_id: tenant });
    expect(types()).toEqual(['call.completed', 'transcript.ready', 'recording.ready']);
    expect(published[0]!.data).toMatchObject({
      outcome: 'booked',
      summary: 'Booked.',
      cost_usd: 0.5,
      recording_url: 'https://example.com/r.mp3',
    });
    expect(progress).toEqual([id]);
    expect((await calls.findById(id))?.publish_due_at).toBeNull();
  });

  it('is not held where outcome and recording have failed', async () => {
    const publisher = newPublisher();
    const id = await endedCall();
    await done(id, ['transcript', 'analysis', 'cost', 'recording']);
    await publisher.publish({ _id: id, tenant_id: tenant });
    expect(published[0]).toMatchObject({
      type: 'call.completed',
      data: { outcome: null, recording_url: null },
    });
  });

  it('goes without them 15 s after the end, and they come by their own events, in order', async () => {
    const publisher = newPublisher();
    const id = await endedCall();
    await done(id, ['transcript']);
    await seconds(10, publisher);
    expect(types()).toEqual([]);
    await seconds(5, publisher);
    expect(types()).toEqual(['call.completed', 'transcript.ready']);
    expect(published[0]!.data).toMatchObject({ outcome: null, summary: null, recording_url: null });
    // The analysis is there first; its event waits for the recording's.
    await done(id, ['transcript', 'analysis'], { outcome: 'late' });
    await seconds(5, publisher);
    expect(types()).toHaveLength(2);
    await done(id, ['transcript', 'analysis'], { recording: recording() });
    await seconds(5, publisher);
    expect(types()).toEqual(['call.completed', 'transcript.ready', 'recording.ready']);
  });

  it('of which no recording is made waits for the cost, and the events after it for nothing', async () => {
    const publisher = newPublisher();
    const id = await endedCall();
    const analysis = { tenant_id: tenant, status: 'complete', created_at: new Date(0) } as const;
    await analysisModel(await store.connect()).collection.insertOne({ _id: id, ...analysis } as never);
    await done(id, ['transcript', 'analysis'], { recording_expected: false });
    await seconds(10, publisher);
    expect(types()).toEqual([]);
    await seconds(5, publisher);
    expect(types()).toEqual(['call.completed', 'transcript.ready', 'analysis.ready']);
  });

  it('held by a replica that dies goes out in time by another, once', async () => {
    const dying = newPublisher(() => Promise.reject(new Error('killed')));
    const id = await endedCall();
    await done(id, ['transcript']);
    for (let i = 0; i < 13; i++) {
      clock.advance(1000);
      await dying.sweep();
    }
    expect(published).toEqual([]);
    const [one, two] = [newPublisher(), newPublisher()];
    await Promise.all([one.sweep(), two.sweep()]);
    expect(types()).toEqual(['call.completed', 'transcript.ready']);
  });

  it('carries no time that is later than those of the events after it', async () => {
    const publisher = newPublisher();
    const id = await endedCall();
    await done(id, ['transcript', 'analysis', 'cost', 'recording'], { recording: recording() });
    await publisher.publish({ _id: id, tenant_id: tenant });
    const times = published.map(({ occurredAt }) => occurredAt);
    expect(times).toEqual([...times].sort((a, b) => a - b));
  });
});

describe('the end of a call that came to nothing', () => {
  it.each([
    ['FAILED', 'carrier_failed'],
    ['BUSY', 'busy'],
    ['NO_ANSWER', 'no_answer'],
  ] as const)('is published at once (%s)', async (status, reason) => {
    const id = await endedCall({ status, end_reason: reason });
    await newPublisher().publish({ _id: id, tenant_id: tenant });
    expect(published).toMatchObject([{ type: 'call.failed', data: { status, error_code: reason } }]);
  });

  it('is not published while what its lost worker had spooled is waited for', async () => {
    const publisher = newPublisher();
    const id = await endedCall({
      status: 'FAILED',
      end_reason: 'worker_lost',
      spool_due_at: new Date(clock.now() + 60_000),
    });
    await seconds(20, publisher);
    expect(types()).toEqual([]);
    await calls.updateOne({ _id: id }, { $set: { spool_due_at: null } });
    await publisher.publish({ _id: id, tenant_id: tenant });
    expect(types()).toEqual(['call.failed']);
  });
});
