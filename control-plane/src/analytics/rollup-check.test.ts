import { newTenantId } from '@voice/shared/ids/ids';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type RollupChange, type RollupStateModel, rollupStateModel } from '../platform/rollups/model.js';
import type { TenantScope } from '../platform/store/tenant-scope.js';
import { startTestStore, type TestStore } from '../testing/store.js';
import { RollupCheck } from './rollup-check.js';

let store: TestStore;
let states: RollupStateModel;
beforeAll(async () => {
  store = await startTestStore();
  states = rollupStateModel(await store.connect());
});
afterAll(() => store?.close());

it('goes from owner to owner, repairs where it is asked to, and shows the first rows that differ', async () => {
  const tenant = newTenantId();
  const owned = { tenant_id: tenant as string, sandbox: true, seq: 1, batch: null };
  const ids = [`calls/${tenant}/sandbox`, `usage/${tenant}/sandbox`] as const;
  await states.insertMany(ids.map((_id) => ({ ...owned, _id })));
  const asked: [string, TenantScope, boolean | undefined][] = [];
  const kind = (name: string, found: RollupChange[]) => ({
    differences: async (scope: TenantScope, repair?: boolean) => {
      asked.push([name, scope, repair]);
      return found;
    },
  });
  const lacking = Array.from({ length: 21 }, (_, day) => ({
    subject: 'calls',
    subject_id: '',
    day,
    add: { x: 1 },
  }));
  const check = new RollupCheck({
    states,
    kinds: { calls: kind('calls', lacking), usage: kind('usage', []) },
  });

  const first = await check.next('', false);
  expect(first).toMatchObject({ id: ids[0], tenant_id: tenant, sandbox: true, different: 21 });
  expect(first?.differences).toEqual(lacking.slice(0, 20));
  expect(await check.next(ids[0], true)).toMatchObject({ id: ids[1], different: 0, differences: [] });
  expect(await check.next(ids[1], false)).toBeNull();
  const scope = { tenant, sandbox: true };
  expect(asked).toEqual([
    ['calls', scope, false],
    ['usage', scope, true],
  ]);
});
