import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callModel } from '../../calls/record/model.js';
import { rollupModel } from '../../platform/rollups/model.js';
import { startTestStore, type TestStore } from '../../testing/store.js';
import { type LargestTenant, OWED, seed } from './seed.js';

const CALLS = 60;

let store: TestStore;
let largest: LargestTenant;
const progress: string[] = [];

beforeAll(async () => {
  store = await startTestStore();
  largest = await seed(store.uri, { calls: CALLS, tenants: 3, campaigns: 12 }, (text) => progress.push(text));
});
afterAll(() => store?.close());

describe('the store that is filled for the bench of many calls', () => {
  it('has the calls that were asked for, a tenth of them of the tenant that is measured', async () => {
    const calls = callModel(await store.connect());
    expect(await calls.countDocuments({})).toBe(CALLS);
    expect(largest.callIds).toHaveLength(CALLS / 10);
    const own = await calls.find({ _id: { $in: [...largest.callIds] } }).lean();
    expect(own).toHaveLength(CALLS / 10);
    expect(new Set(own.map(({ tenant_id }) => tenant_id)).size).toBe(1);
    expect(new Set(own.map(({ agent_id }) => agent_id))).toEqual(new Set([largest.agentId]));
  });

  it('owes nothing to any call: nothing is left to do while answers are measured', async () => {
    const calls = callModel(await store.connect());
    const isOwed = [...OWED, 'fold_due_at', 'erase_due_at'].map((field) => ({ [field]: { $ne: null } }));
    expect(await calls.countDocuments({ $or: isOwed })).toBe(0);
  });

  it('has its sums, and says how far it is', async () => {
    expect(await rollupModel(await store.connect()).countDocuments({})).toBeGreaterThan(0);
    expect(progress.at(-1)).toBe(`${CALLS} calls written; counting them`);
  });
});
