import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { newId, newTenantId, type TenantId } from '@voice/shared/ids/ids';
import type { Connection } from 'mongoose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CountedConnection, connectCounted } from '../testing/counted-commands.js';
import type { TestStore } from '../testing/store.js';
import type { LedgerModel, LedgerRow } from './ledger-model.js';
import type { PendingEntryModel } from './pending-entry-model.js';
import { ledgerOn, startLedgerStore } from './testing/ledgers.js';

let store: TestStore;
let connection: Connection;
let entries: LedgerModel;
let pending: PendingEntryModel;
/** Those of two replicas. */
let connections: readonly [CountedConnection, CountedConnection];
const clock = new ScriptedClock();

beforeAll(async () => {
  ({ store, connection, entries, pending } = await startLedgerStore());
  connections = [await connectCounted(store.uri), await connectCounted(store.uri)];
});
afterAll(async () => {
  for (const one of connections ?? []) await one.connection.close();
  await store?.close();
});

const usage = (callId: string, cost: number) => ({ kind: 'usage', callId, cost }) as const;
const credit = (amount: number) => ({ kind: 'credit', amount, reason: '' }) as const;
const rowsOf = (tenant: TenantId) => entries.find({ tenant_id: tenant }).sort({ seq: 1 }).lean<LedgerRow[]>();
const pendingOf = (tenant: TenantId) => pending.countDocuments({ tenant_id: tenant });

describe('changes that are entered on two replicas at the same time', () => {
  it('are neither lost nor doubled, each by two of them', async () => {
    const tenant = newTenantId();
    const replicas = connections.map((one) => ledgerOn(one.connection, clock));
    const ids = Array.from({ length: 10 }, () => newId());
    await Promise.all(ids.flatMap((id) => replicas.map((ledger) => ledger.enter(tenant, id, credit(7)))));
    expect(await replicas[1]!.stateOf(tenant)).toMatchObject({ credit: 70, creditPeriod: 10 });
    const rows = await rowsOf(tenant);
    expect(rows.map(({ seq }) => seq)).toEqual(ids.map((_, n) => n + 1));
  });
});

describe('many calls of one tenant that end at the same time on two replicas', () => {
  it('are entered once each, in few commands, and the account is right at every moment', async () => {
    const tenant = newTenantId();
    const followed: string[] = [];
    const onPosted = async ({ _id, tenant_id }: LedgerRow) => {
      if (tenant_id === tenant) followed.push(_id);
    };
    const replicas = connections.map((one) => ledgerOn(one.connection, clock, { onPosted }));
    await replicas[0]!.enter(tenant, newId(), credit(10_000));
    const ids = Array.from({ length: 200 }, () => newId());
    const sent = () => connections[0].sent() + connections[1].sent();
    const before = sent();
    let acknowledged = 0;
    // Each call by one of them, and every tenth by both.
    const ends = ids.map(async (id, n) => {
      const by = n % 10 === 0 ? replicas : [replicas[n % 2]!];
      await Promise.all(by.map((ledger) => ledger.append(tenant, id, usage(id, 7))));
      acknowledged += 7;
    });
    const reader = ledgerOn(connection, clock);
    const isOver = Promise.all(ends).then(() => Promise.all(replicas.map((ledger) => ledger.flush())));
    let going = true;
    void isOver.finally(() => {
      going = false;
    });
    for (let least = 0; going; ) {
      least = Math.max(least, acknowledged);
      const { totalSpent, credit } = await reader.stateOf(tenant);
      expect(totalSpent).toBeGreaterThanOrEqual(least);
      expect(totalSpent).toBeLessThanOrEqual(1400);
      expect(credit).toBe(10_000 - totalSpent);
      least = totalSpent;
    }
    await isOver;
    // One after another on two replicas, they took 1492 commands, 173 of them refused.
    expect(sent() - before).toBeLessThan(100);
    expect(connections[0].refused() + connections[1].refused()).toBeLessThan(20);
    clock.jump(5000);
    await replicas[0]!.sweep();
    expect([await pendingOf(tenant), new Set(followed).size]).toEqual([0, 201]);
    const rows = await rowsOf(tenant);
    expect(rows.map(({ seq, state }) => [seq, state.totalSpent])).toEqual(
      Array.from({ length: 201 }, (_, n) => [n + 1, 7 * n]),
    );
    expect(rows.slice(1).map(({ _id }) => _id)).toEqual(expect.arrayContaining(ids));
    expect(await reader.stateOf(tenant)).toEqual(rows.at(-1)?.state);
  });
});
