import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { newId, newTenantId } from '@voice/shared/ids/ids';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestStore, type TestStore } from '../../testing/store.js';
import { callModel } from '../record/model.js';
import { ErasedCalls, type ErasedCallsOptions } from './erased-calls.js';

let store: TestStore;
beforeAll(async () => {
  store = await startTestStore();
});
afterAll(() => store?.close());

it('lists a call that somebody asked to erase before those that are erased once more', async () => {
  const clock = new ScriptedClock();
  const calls = callModel(await store.connect());
  const erased = new ErasedCalls({ records: { calls }, clock } as unknown as ErasedCallsOptions);
  const dueFor = async (ms: number, erasedAt: Date | null) => {
    const _id = newId();
    const erase_due_at = new Date(clock.now() - ms);
    const call = { _id, tenant_id: newTenantId(), erase_due_at, erased_at: erasedAt };
    await calls.collection.insertOne(call as never);
    return _id;
  };
  const byRetention = [await dueFor(9000, new Date(1)), await dueFor(8000, new Date(1))];
  const asked = [await dueFor(20, null), await dueFor(10, null)];
  await dueFor(-1, null);
  const due = async (limit: number) => (await erased.due(limit)).map(({ _id }) => _id);
  expect(await due(2)).toEqual(asked);
  expect(await due(3)).toEqual([...asked, byRetention[0]]);
  expect(await due(10)).toEqual([...asked, ...byRetention]);
});
