import { newId, newTenantId, type TenantId } from '@voice/shared/ids/ids';
import type { Model } from 'mongoose';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { rollupModel, rollupStateModel } from '../../platform/rollups/model.js';
import { addedUp } from '../../platform/rollups/sums.js';
import type { TenantScope } from '../../platform/store/tenant-scope.js';
import { ensureIndexes, startTestStore, type TestStore } from '../../testing/store.js';
import { analysisModel } from '../record/analysis-model.js';
import { type CallDocument, callModel } from '../record/model.js';
import { CallRollups } from './call-rollups.js';

const DAY = Date.UTC(2026, 2, 5);
const HOUR_MS = 3_600_000;

let store: TestStore;
let models: ReturnType<typeof modelsOf>;
let tenant: TenantId;
let scope: TenantScope;

const modelsOf = (connection: Awaited<ReturnType<TestStore['connect']>>) => ({
  calls: callModel(connection),
  analyses: analysisModel(connection),
  rows: rollupModel(connection),
  states: rollupStateModel(connection),
});

beforeAll(async () => {
  store = await startTestStore();
  const connection = await store.connect();
  models = modelsOf(connection);
  await ensureIndexes(connection);
});
afterAll(() => store?.close());
beforeEach(() => {
  tenant = newTenantId();
  scope = { tenant, sandbox: false };
});

/** Stores a call whose post-call steps are through, unless the fields say otherwise. */
async function stored(fields: Partial<CallDocument> = {}): Promise<string> {
  const at = new Date(DAY + HOUR_MS);
  const call = {
    _id: newId(),
    tenant_id: tenant as string,
    sandbox: false,
    carrier: 'simulated',
    agent_id: 'agent',
    campaign_id: null,
    contact_id: null,
    status: 'COMPLETED',
    created_at: at,
    queued_at: at,
    started_at: at,
    ended_at: at,
    post_call_due_at: null,
    duration_ms: 1000,
    outcome: 'sold',
    cost: { stt: 1, llm: 2, tts: 3, carrier: 4, service: 5 },
    ...fields,
  };
  await models.calls.collection.insertOne(call as never);
  return call._id;
}

const rollups = (own: Partial<typeof models> = {}) => new CallRollups({ ...models, ...own });
/** What all calls of the scope amount to, by the sums of its days. */
const sums = async (of: CallRollups = rollups()) => {
  const parts = await of.since(scope, DAY - 30 * 24 * HOUR_MS);
  return addedUp(parts.filter(({ subject }) => subject === 'calls').map((part) => part.sums));
};
const contacts = async (of: CallRollups, campaignId: string) => {
  const parts = await of.ofCampaign(scope, campaignId);
  return addedUp(parts.filter(({ subject }) => subject === 'campaign_contacts').map((part) => part.sums));
};

/** Lets so many operations of a model through, all models together; then every one fails, as after a kill. */
function killedAfter(operations: number): typeof models {
  let left = operations;
  const watched = <T extends Model<never>>(model: T): T =>
    new Proxy(model, {
      get(target, name) {
        const value = Reflect.get(target, name) as unknown;
        if (typeof value !== 'function') return value;
        return (...given: unknown[]) => {
          if (left-- <= 0) throw new Error('killed');
          return (value as (...all: unknown[]) => unknown).apply(target, given);
        };
      },
    });
  return Object.fromEntries(
    Object.entries(models).map(([name, model]) => [name, watched(model as never)]),
  ) as unknown as typeof models;
}

describe('what calls amount to', () => {
  it('is the same before a call is counted and after, and each is counted once', async () => {
    await stored();
    await stored({ status: 'VOICEMAIL', outcome: null });
    await stored({ status: 'IN_PROGRESS', ended_at: null, duration_ms: null, outcome: null, cost: null });
    await stored({ carrier: 'websocket' });
    const before = await sums();
    expect(before).toMatchObject({
      'COMPLETED|calls': 1,
      'COMPLETED|answered': 1,
      'COMPLETED|cost': 15,
      'VOICEMAIL|calls': 1,
      'IN_PROGRESS|calls': 1,
    });
    expect(before).not.toHaveProperty('VOICEMAIL|answered');
    expect(await rollups().rollups.foldAll(scope)).toBe(3);
    expect(await rollups().rollups.foldAll(scope)).toBe(0);
    expect(await sums()).toEqual(before);
    const byHour = await models.rows.find({ tenant_id: tenant, subject: 'calls_by_hour' }).lean();
    expect(byHour.map((row) => row.sums)).toEqual([
      { '1|calls': 2, '1|answered': 1, '1|completed': 1, '1|outcome|736f6c64': 1 },
    ]);
    expect(await models.calls.countDocuments({ tenant_id: tenant, rollup_seq: null })).toBe(1);
  });

  it('waits for the post-call steps of a call, which decide its outcome and cost', async () => {
    const id = await stored({ post_call_due_at: new Date(DAY), outcome: null, cost: null });
    await rollups().rollups.foldAll(scope);
    await models.calls.updateOne({ _id: id }, { $set: { post_call_due_at: null, outcome: 'sold' } });
    await rollups().rollups.foldAll(scope);
    const { 'outcome|736f6c64': sold, 'COMPLETED|calls': calls } = await sums();
    expect([sold, calls]).toEqual([1, 1]);
  });

  it('keeps sandbox and production apart', async () => {
    await stored();
    await stored({ sandbox: true });
    await stored({ sandbox: true });
    await rollups().rollups.sweep();
    expect((await sums())['COMPLETED|calls']).toBe(1);
    scope = { tenant, sandbox: true };
    expect((await sums())['COMPLETED|calls']).toBe(2);
  });

  it('counts a contact once, whichever of its calls were counted when', async () => {
    const campaign_id = newId();
    const ofContact = (contact_id: string, fields: Partial<CallDocument>) =>
      stored({ campaign_id, contact_id, ...fields });
    await ofContact('a', { status: 'NO_ANSWER', started_at: null, outcome: null });
    await rollups().rollups.foldAll(scope);
    await ofContact('a', {});
    await rollups().rollups.foldAll(scope);
    await ofContact('a', { outcome: 'other' });
    await ofContact('b', { outcome: null });
    const expected = {
      attempted: 2,
      answered: 2,
      completed: 2,
      'outcome|736f6c64': 1,
      'outcome|6f74686572': 1,
    };
    expect(await contacts(rollups(), campaign_id)).toEqual(expected);
    await rollups().rollups.foldAll(scope);
    expect(await contacts(rollups(), campaign_id)).toEqual(expected);
    expect(await rollups().rollups.differences(scope)).toEqual([]);
  });
});

describe('a replica that counts', () => {
  it('may be killed between any two steps: another goes on, and what is read in between is right', async () => {
    const campaign_id = newId();
    for (let operations = 0, finished = false; !finished; operations++) {
      for (const contact_id of ['a', 'b']) await stored({ campaign_id, contact_id });
      const expected = await sums();
      finished = await rollups(killedAfter(operations))
        .rollups.foldAll(scope)
        .then(
          () => true,
          () => false,
        );
      expect([operations, await sums()]).toEqual([operations, expected]);
      await rollups().rollups.foldAll(scope);
      expect([operations, await sums()]).toEqual([operations, expected]);
      expect(operations).toBeLessThan(40);
    }
    expect(await rollups().rollups.differences(scope)).toEqual([]);
  });

  it('counts all that is due of an owner by seven commands', async () => {
    await stored();
    await rollups().rollups.sweep();
    for (let n = 0; n < 3; n++) await stored({ agent_id: `agent ${n}` });
    expect(await rollups(killedAfter(7)).rollups.sweep()).toBe(3);
    expect((await sums())['COMPLETED|calls']).toBe(4);
    expect(await rollups().rollups.differences(scope)).toEqual([]);
  });

  it('may be two', async () => {
    for (let n = 0; n < 20; n++) await stored();
    await Promise.all(Array.from({ length: 4 }, () => rollups().rollups.foldAll(scope)));
    expect((await sums())['COMPLETED|calls']).toBe(20);
    expect(await rollups().rollups.differences(scope)).toEqual([]);
  });

  it('changes nothing by what it sends when others have long gone on', async () => {
    await stored();
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let reached = () => {};
    const stalled = new Promise<void>((resolve) => {
      reached = resolve;
    });
    const rows = new Proxy(models.rows, {
      get(target, name) {
        const value = Reflect.get(target, name) as unknown;
        if (name !== 'bulkWrite') return value;
        return async (...given: unknown[]) => {
          reached();
          await held;
          return (value as (...all: unknown[]) => unknown).apply(target, given);
        };
      },
    });
    const late = rollups({ rows }).rollups.fold(scope);
    await stalled;
    await rollups().rollups.foldAll(scope);
    await stored();
    await rollups().rollups.foldAll(scope);
    release();
    await late;
    expect((await sums())['COMPLETED|calls']).toBe(2);
    expect(await rollups().rollups.differences(scope)).toEqual([]);
  });
});

describe('a full count', () => {
  it('finds what a row lacks or has too much of, and puts it right', async () => {
    await stored({ campaign_id: newId() });
    await rollups().rollups.foldAll(scope);
    await models.rows.updateOne(
      { tenant_id: tenant, subject: 'calls' },
      { $inc: { 'sums.COMPLETED|calls': 3, 'sums.outcome|736f6c64': -1 } },
    );
    await models.rows.deleteMany({ tenant_id: tenant, subject: 'agent' });
    const found = await rollups().rollups.differences(scope, true);
    expect(found.map(({ subject }) => subject).sort()).toEqual(['agent', 'calls']);
    expect(found.find(({ subject }) => subject === 'calls')?.add).toEqual({
      'COMPLETED|calls': -3,
      'outcome|736f6c64': 1,
    });
    expect(await rollups().rollups.differences(scope)).toEqual([]);
    expect((await sums())['COMPLETED|calls']).toBe(1);
  });
});
