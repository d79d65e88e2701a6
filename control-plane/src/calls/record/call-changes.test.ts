import { newId, newTenantId, type TenantId } from '@voice/shared/ids/ids';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestStore, type TestStore } from '../../testing/store.js';
import { applyChange, planChange, recordOnce, type StatusChange } from './call-changes.js';
import { type CallDocument, type CallModel, callModel } from './model.js';

let store: TestStore;
let calls: CallModel;
const tenant = newTenantId();

beforeAll(async () => {
  store = await startTestStore();
  calls = callModel(await store.connect());
});
afterAll(() => store?.close());

async function queued(): Promise<string> {
  const _id = newId();
  await calls.collection.insertOne({
    _id,
    tenant_id: tenant,
    ...QUEUED,
    timeline: [],
  } as never);
  return _id;
}
const QUEUED = { status: 'QUEUED', queued_at: new Date(0), ringing_at: null, started_at: null } as const;
const read = (id: string) => calls.findOne({ _id: id }).orFail().lean<CallDocument>();
const end = (endReason: 'busy' | 'no_answer' | 'worker_lost' | 'agent_hangup'): StatusChange => ({
  to: 'ended',
  at: 9000,
  cause: endReason,
  endReason,
});

describe('a change of status', () => {
  it('that competes with others is made by exactly one of them', async () => {
    for (let round = 0; round < 10; round++) {
      const id = await queued();
      const results = await Promise.all(
        (['busy', 'no_answer', 'worker_lost', 'agent_hangup'] as const).map((reason) =>
          applyChange(calls, tenant, id, end(reason), 1),
        ),
      );
      expect(results.filter((result) => result?.applied)).toHaveLength(1);
      const call = await read(id);
      const terminal = call.timeline.filter(({ type }) => /completed|failed|busy|no_answer/.test(type));
      expect(terminal).toHaveLength(1);
      expect(JSON.parse(terminal[0]!.data)).toMatchObject({ end_reason: call.end_reason });
    }
  });

  it('records every step under an id that anybody can derive again', async () => {
    const [one, two] = [await queued(), await queued()];
    for (const id of [one, two]) await applyChange(calls, tenant, id, end('agent_hangup'), 1);
    const [first, second] = [await read(one), await read(two)];
    expect(first.timeline.map(({ type }) => type)).toEqual([
      'call.ringing',
      'call.started',
      'call.completed',
    ]);
    const again = planChange({ _id: one, ...QUEUED }, end('agent_hangup'), 2);
    expect(again?.$push.timeline.$each.map(({ id }) => id)).toEqual(first.timeline.map(({ id }) => id));
    expect(second.timeline[0]?.id).not.toBe(first.timeline[0]?.id);
  });

  it('starts from the call as its maker has read it, and from what is stored where it has moved since', async () => {
    const id = await queued();
    const seen = await read(id);
    const ringing = { to: 'RINGING', at: 5, cause: 'carrier' } as const;
    expect(await applyChange(calls, tenant, id, ringing, 5, seen)).toEqual({
      applied: true,
      status: 'RINGING',
    });
    expect(await applyChange(calls, tenant, id, ringing, 6, seen)).toEqual({
      applied: false,
      status: 'RINGING',
    });
    expect(await applyChange(calls, tenant, id, end('agent_hangup'), 9000, seen)).toMatchObject({
      applied: true,
    });
    const call = await read(id);
    expect(call.timeline.map(({ type }) => type)).toEqual(['call.ringing', 'call.started', 'call.completed']);
    expect(call.ringing_at).toEqual(new Date(5));
  });

  it('made by several at the same moment is made by one of them, also where it is the same change', async () => {
    const ids = await Promise.all([1, 2, 3].map(queued));
    const results = await Promise.all(
      ids.flatMap((id) => [1, 2].map(() => applyChange(calls, tenant, id, end('busy'), 1))),
    );
    expect(results.map((result) => result?.applied).sort()).toEqual([false, false, false, true, true, true]);
  });

  it("of another tenant's call does nothing", async () => {
    const id = await queued();
    expect(await applyChange(calls, newTenantId() as TenantId, id, end('busy'), 1)).toBeNull();
    expect((await read(id)).status).toBe('QUEUED');
  });

  it('to the end counts the duration from the media where it is known, else from the answer', () => {
    const call = {
      _id: newId(),
      ...QUEUED,
      status: 'IN_PROGRESS',
      started_at: new Date(2000),
    } as const;
    expect(planChange(call, end('worker_lost'), 1)?.$set.duration_ms).toBe(7000);
    expect(
      planChange(call, { ...end('agent_hangup'), durationMs: 5000 } as StatusChange, 1)?.$set,
    ).toMatchObject({
      duration_ms: 5000,
      status: 'COMPLETED',
    });
    const unanswered = { ...call, status: 'RINGING', started_at: null } as const;
    expect(planChange(unanswered, end('no_answer'), 1)?.$set.duration_ms).toBe(0);
  });
});

describe('times in the life of a call', () => {
  const queuedAt = (ms: number) => ({ _id: newId(), ...QUEUED, queued_at: new Date(ms) });
  const times = (update: ReturnType<typeof planChange>) =>
    update?.$push.timeline.$each.map(({ type, at }) => [type, at.getTime()]);

  it("never run backwards, though the carrier's are whole seconds", () => {
    const rang = planChange(queuedAt(5700), { to: 'RINGING', at: 5000, cause: 'carrier' }, 6000);
    expect([rang?.$set.ringing_at?.getTime(), times(rang)]).toEqual([5700, [['call.ringing', 5700]]]);
    const busy = planChange(
      { ...queuedAt(5700), status: 'RINGING', ringing_at: new Date(6200) },
      { ...end('busy'), at: 6000 } as StatusChange,
      6300,
    );
    expect([busy?.$set.ended_at?.getTime(), times(busy)]).toEqual([6200, [['call.busy', 6200]]]);
  });

  it('never run backwards in steps that are made up between others', () => {
    const update = planChange(
      queuedAt(5000),
      { ...end('agent_hangup'), at: 9000, durationMs: 60_000 } as StatusChange,
      9000,
    );
    expect(times(update)).toEqual([
      ['call.ringing', 5000],
      ['call.started', 5000],
      ['call.completed', 9000],
    ]);
  });
});

describe('what is recorded once', () => {
  it('is there once, however many record it at the same moment', async () => {
    const id = await queued();
    const entry = { name: 'dialed', type: 'call.dialed', at: 1, data: {} };
    const recorded = await Promise.all([1, 2, 3].map(() => recordOnce(calls, tenant, id, entry)));
    expect(recorded.filter(Boolean)).toHaveLength(1);
    expect((await read(id)).timeline).toHaveLength(1);
  });
});
