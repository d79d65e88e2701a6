import { newId, newTenantId } from '@voice/shared/ids/ids';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestStore, type TestStore } from '../../testing/store.js';
import { type CallModel, callModel } from '../record/model.js';
import { giveBackIfStray } from './stray-place.js';

let store: TestStore;
let calls: CallModel;

beforeAll(async () => {
  store = await startTestStore();
  calls = callModel(await store.connect());
});
afterAll(() => store?.close());

describe('a place for a call that somebody else may dispatch meanwhile', () => {
  it.each([
    ['is kept where the call waits at that worker', { status: 'QUEUED', worker_id: 'worker-1' }, []],
    ['is given back where it waits elsewhere', { status: 'RINGING', worker_id: 'worker-2' }, ['worker-1']],
    ['is kept where another dispatcher looks for a place', { status: 'QUEUED', worker_id: null }, []],
    ['is given back where it is over', { status: 'FAILED', worker_id: 'worker-1' }, ['worker-1']],
    ['is given back where it is not stored', null, ['worker-1']],
  ] as const)('%s', async (_where, stored, expected) => {
    const key = { _id: newId(), tenant_id: newTenantId() };
    if (stored) await calls.collection.insertOne({ ...key, ...stored } as never);
    const givenBack: string[] = [];
    const placement = {
      giveBack: async (workerId: string, callId: string) => {
        expect(callId).toBe(key._id);
        givenBack.push(workerId);
        return null;
      },
    };
    const isStray = await giveBackIfStray({ calls, placement }, key, 'worker-1');
    expect(givenBack).toEqual(expected);
    expect(isStray).toBe(expected.length > 0);
  });
});
