import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { asTenantId, newId } from '@voice/shared/ids/ids';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestStore, type TestStore } from '../../testing/store.js';
import { IMPORT_LEASE_MS, ImportLeases } from './import-leases.js';

let store: TestStore;
const clock = new ScriptedClock();

beforeAll(async () => {
  store = await startTestStore();
});
afterAll(() => store?.close());

/** As one replica has them. */
const leases = async () => new ImportLeases({ store: await store.connect(), clock });
const never = () => new Promise<never>(() => {});
const BUSY = { code: 'import_in_progress', status: 409, retryable: true };

it('a tenant imports one file at a time over all replicas, and the next when that is done or failed', async () => {
  const [one, other] = [await leases(), await leases()];
  const tenant = asTenantId(newId());
  await one.run(tenant, async () => {
    await expect(other.run(tenant, async () => {})).rejects.toMatchObject(BUSY);
    expect(await other.run(asTenantId(newId()), async () => 'theirs')).toBe('theirs');
  });
  const failing = one.run(tenant, () => Promise.reject(new Error('no such file')));
  await expect(failing).rejects.toThrow('no such file');
  expect(await other.run(tenant, async () => 'done')).toBe('done');
});

it('an import whose replica died stands in the way until its lease is over', async () => {
  const [dying, other] = [await leases(), await leases()];
  const tenant = asTenantId(newId());
  await new Promise<void>((begun) => {
    void dying.run(tenant, () => {
      begun();
      return never();
    });
  });
  await expect(other.run(tenant, async () => {})).rejects.toMatchObject(BUSY);
  clock.advance(IMPORT_LEASE_MS);
  expect(await other.run(tenant, async () => 'done')).toBe('done');
});
