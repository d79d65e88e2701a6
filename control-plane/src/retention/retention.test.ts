import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { asTenantId } from '@voice/shared/ids/ids';
import { silentLog } from '@voice/shared/log/log';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CallDocument } from '../calls/record/model.js';
import type { RetentionSettings } from '../identity/tenants/retention-settings.js';
import { TenantsService } from '../identity/tenants/service.js';
import { startTestStore, type TestStore } from '../testing/store.js';
import { Retention, type RetentionOptions } from './retention.js';
import type { RetentionProgress } from './retention-progress.js';

const clock = new ScriptedClock();

/** Tenants with one old call each, in production. `broken`: what cannot be erased, as `<tenant> <part>`. */
function scene(tenants: readonly string[], broken: readonly string[]) {
  const retention: RetentionSettings = { recordings_days: 1, transcripts_days: 2, calls_days: null };
  const looked: Record<string, number> = {};
  const erased: string[] = [];
  const noted: string[] = [];
  const options = {
    tenants: {
      retentionDue: async () => tenants.map((_id) => ({ _id, retention })),
      retentionLooked: async ({ _id }: { _id: string }, at: number) => {
        looked[_id] = at - clock.now();
      },
    },
    calls: {
      createdBetween: async ({ tenant, sandbox }: { tenant: string; sandbox: boolean }) =>
        sandbox ? [] : [{ _id: `call of ${tenant}`, tenant_id: tenant, status: 'COMPLETED' }],
    },
    erasure: {
      erasePart: async ({ tenant_id }: CallDocument, part: string) => {
        if (broken.includes(`${tenant_id} ${part}`)) throw new Error(`${tenant_id} ${part}`);
        erased.push(`${tenant_id} ${part}`);
      },
    },
    progress: {
      of: async () => ({ created_at: new Date(0), _id: '', left: [] }),
      note: async ({ tenant }: { tenant: string }, part: string) => void noted.push(`${tenant} ${part}`),
      madeUp: async () => {},
    },
    clock,
    log: silentLog,
  } as unknown as RetentionOptions;
  return { retention: new Retention(options), looked, erased, noted };
}

describe('retention', () => {
  it('of a call that cannot be erased holds up neither other parts nor other tenants', async () => {
    const { retention, looked, erased, noted } = scene(['a', 'b'], ['a transcripts']);
    await expect(retention.run()).rejects.toThrow('a transcripts');
    expect(erased).toEqual(['a recordings', 'b transcripts', 'b recordings']);
    expect(noted).toEqual(erased);
    expect(looked).toEqual({ a: 5 * 60_000, b: 60 * 60_000 });
  });

  it('is tried for few tenants while nothing can be erased: others come first in the next run', async () => {
    const tenants = ['a', 'b', 'c', 'd'];
    const broken = tenants.flatMap((tenant) => [`${tenant} transcripts`, `${tenant} recordings`]);
    const { retention, looked } = scene(tenants, broken);
    await expect(retention.run()).rejects.toThrow('a transcripts');
    expect(Object.keys(looked)).toEqual(['a', 'b', 'c']);
  });
});

describe('retention of the calls of one tenant', () => {
  const DAY_MS = 24 * 60 * 60_000;
  const HOUR_MS = 60 * 60_000;

  /** Calls of one tenant, the oldest first. `broken`: those that cannot be erased. */
  function tenantWith(count: number) {
    const clock = new ScriptedClock(100 * DAY_MS);
    const calls = Array.from({ length: count }, (_, n) => ({
      _id: `call ${String(n).padStart(3, '0')}`,
      tenant_id: 'a',
      status: 'COMPLETED',
      created_at: new Date(DAY_MS + n),
    }));
    const retention: RetentionSettings = { recordings_days: 30, transcripts_days: null, calls_days: null };
    const broken = new Set<string>();
    const erased = new Set<string>();
    const tried: string[] = [];
    const logged: string[] = [];
    let rest = 0;
    let place: Awaited<ReturnType<RetentionProgress['of']>> = { created_at: new Date(0), _id: '', left: [] };
    const options = {
      tenants: {
        retentionDue: async () => [{ _id: 'a', retention }],
        retentionLooked: async (_tenant: object, at: number) => {
          rest = at - clock.now();
        },
      },
      calls: {
        find: async ({ _id }: { _id: string }) => calls.find((call) => call._id === _id) ?? null,
        createdBetween: async (
          { sandbox }: { sandbox: boolean },
          after: { created_at: Date; _id: string },
          before: Date,
          limit: number,
        ) =>
          sandbox
            ? []
            : calls
                .filter(({ created_at }) => created_at > after.created_at && created_at < before)
                .slice(0, limit),
      },
      erasure: {
        erasePart: async ({ _id }: CallDocument) => {
          tried.push(_id);
          if (broken.has(_id)) throw new Error(`${_id} cannot be erased`);
          erased.add(_id);
        },
      },
      progress: {
        of: async ({ sandbox }: { sandbox: boolean }) => (sandbox ? { ...place, left: [] } : place),
        note: async (
          _scope: object,
          _part: string,
          { created_at, _id }: { created_at: Date; _id: string },
          left: readonly string[] = [],
        ) => {
          place = { created_at, _id, left: [...new Set([...place.left, ...left])] };
        },
        madeUp: async (_scope: object, _part: string, done: readonly string[]) => {
          place = { ...place, left: place.left.filter((id) => !done.includes(id)) };
        },
      },
      clock,
      log: { error: (fields: { call_id: string }) => void logged.push(fields.call_id) },
    } as unknown as RetentionOptions;
    return {
      clock,
      calls,
      retention,
      broken,
      erased,
      tried,
      logged,
      run: () => new Retention(options).run(),
      rest: () => rest,
      left: () => place.left,
    };
  }
  const idOf = (n: number) => `call ${String(n).padStart(3, '0')}`;

  it('passes by a call that cannot be erased, names it, and erases all after it', async () => {
    const tenant = tenantWith(250);
    tenant.broken.add(idOf(3)).add(idOf(120));
    await tenant.run();
    expect(tenant.erased.size).toBe(248);
    expect(tenant.left()).toEqual([idOf(3), idOf(120)]);
    expect(tenant.logged).toEqual(tenant.left());
    expect(tenant.rest()).toBe(HOUR_MS);
  });

  it('tries those that were passed by again with each look, until they are erased', async () => {
    const tenant = tenantWith(50);
    tenant.broken.add(idOf(3)).add(idOf(4));
    await tenant.run();
    tenant.tried.length = 0;
    tenant.broken.delete(idOf(4));
    await tenant.run();
    expect([tenant.tried, tenant.left()]).toEqual([[idOf(3), idOf(4)], [idOf(3)]]);
    tenant.broken.clear();
    await tenant.run();
    expect([tenant.erased.size, tenant.left()]).toEqual([50, []]);
  });

  it('tries twenty of them in a look, and others in the next', async () => {
    const tenant = tenantWith(500);
    for (let n = 0; n < 45; n++) tenant.broken.add(idOf(n * 11));
    await tenant.run();
    expect(tenant.left()).toHaveLength(45);
    tenant.tried.length = 0;
    for (let look = 0; look < 3; look++) {
      await tenant.run();
      tenant.clock.advance(HOUR_MS);
    }
    expect(tenant.tried).toHaveLength(60);
    expect(new Set(tenant.tried).size).toBe(45);
  });

  it('forgets one that is gone, and leaves one alone that is kept for longer by now', async () => {
    const tenant = tenantWith(50);
    tenant.broken.add(idOf(3)).add(idOf(4));
    await tenant.run();
    tenant.calls.splice(3, 1);
    Object.assign(tenant.retention, { recordings_days: 99.5 });
    tenant.tried.length = 0;
    await tenant.run();
    expect([tenant.tried, tenant.left()]).toEqual([[], [idOf(4)]]);
  });

  it('stops where most of a batch cannot be erased: the storage is away, and nothing is passed by', async () => {
    const tenant = tenantWith(100);
    for (let n = 0; n < 11; n++) tenant.broken.add(idOf(n));
    await expect(tenant.run()).rejects.toThrow('cannot be erased');
    expect([tenant.left(), tenant.rest()]).toEqual([[], 5 * 60_000]);
    // Nobody waits for a minute with each of the others.
    expect(tenant.tried.length).toBeLessThanOrEqual(21);
  });
});

describe('retention settings that are changed while a tenant is looked at', () => {
  const MINUTE_MS = 60_000;
  let store: TestStore;
  beforeAll(async () => {
    store = await startTestStore();
  });
  afterAll(() => store?.close());

  it('are followed a minute later, and the tenant is looked at each hour again', async () => {
    const clock = new ScriptedClock();
    const onTenantCreated = async () => {};
    const tenants = new TenantsService({ store: await store.connect(), clock, onTenantCreated });
    const tenant = asTenantId(await tenants.ensure('a'));
    await tenants.changeRetention(tenant, { recordings_days: 30 }, clock.now());
    const erased: string[] = [];
    const call = { _id: 'c', tenant_id: tenant, status: 'COMPLETED', created_at: new Date(0) };
    const retention = new Retention({
      tenants,
      calls: { createdBetween: async ({ sandbox }: { sandbox: boolean }) => (sandbox ? [] : [call]) },
      erasure: {
        async erasePart(_call: CallDocument, part: string) {
          // A long run, and a change in the middle of the first.
          clock.advance(MINUTE_MS);
          if (erased.length === 0)
            await tenants.changeRetention(tenant, { transcripts_days: 1 }, clock.now());
          clock.advance(MINUTE_MS);
          erased.push(part);
        },
      },
      progress: {
        of: async () => ({ created_at: new Date(0), _id: '', left: [] }),
        note: async () => {},
        madeUp: async () => {},
      },
      clock,
      log: silentLog,
    } as unknown as RetentionOptions);

    await retention.run();
    expect(erased).toEqual(['recordings']);
    clock.advance(MINUTE_MS);
    await retention.run();
    expect(erased.toSorted()).toEqual(['recordings', 'recordings', 'transcripts']);
    clock.advance(59 * MINUTE_MS);
    await retention.run();
    expect(erased).toHaveLength(3);
    clock.advance(MINUTE_MS);
    await retention.run();
    expect(erased).toHaveLength(5);
  });

  it('are followed where they say that nothing is erased any more: the tenant is due no more', async () => {
    const clock = new ScriptedClock();
    const onTenantCreated = async () => {};
    const tenants = new TenantsService({ store: await store.connect(), clock, onTenantCreated });
    const tenant = asTenantId(await tenants.ensure('b'));
    await tenants.changeRetention(tenant, { recordings_days: 30 }, clock.now());
    const due = (await tenants.retentionDue(10, clock.now())).find(({ _id }) => _id === tenant)!;
    await tenants.changeRetention(tenant, { recordings_days: null }, clock.now());
    await tenants.retentionLooked(due, clock.now());
    expect((await tenants.find(tenant))?.retention_due_at).toBeNull();
  });
});
