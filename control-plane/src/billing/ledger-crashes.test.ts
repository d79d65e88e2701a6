import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { newId, newTenantId, type TenantId } from '@voice/shared/ids/ids';
import type { Connection } from 'mongoose';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TestStore } from '../testing/store.js';
import type { AccountChange } from './account-state.js';
import type { Ledger, LedgerOptions } from './ledger.js';
import type { LedgerModel, LedgerRow } from './ledger-model.js';
import type { PendingEntryModel } from './pending-entry-model.js';
import { ledgerOn, startLedgerStore } from './testing/ledgers.js';

let store: TestStore;
let connection: Connection;
let entries: LedgerModel;
let pending: PendingEntryModel;

beforeAll(async () => {
  ({ store, connection, entries, pending } = await startLedgerStore());
});
afterAll(() => store?.close());

/**
 * When a replica dies: in the middle of a write of several documents, or after it, before it learns of it. Before a write
 * the store is as it is after the one before; the first leaves nothing.
 */
type Moment = 'half-way' | 'after';

/** The ledger of a replica that dies at its nth write, what follows from an entry being one. */
function mortal(
  clock: ScriptedClock,
  dies: { readonly at: number; readonly moment: Moment },
  followed: Set<string>,
) {
  let writes = 0;
  let isDead = false;
  const write = async <Result>(work: () => Promise<Result>, half = work): Promise<Result> => {
    if (!isDead) writes++;
    const isLast = writes === dies.at;
    if (isDead) throw new Error('killed');
    const result = await (isLast && dies.moment === 'half-way' ? half() : work());
    isDead = isLast;
    if (isLast) throw new Error('killed');
    return result;
  };
  const firstHalf = <Item>(items: readonly Item[]) => items.slice(0, Math.ceil(items.length / 2)) as Item[];
  const mortalEntries = Object.create(entries) as LedgerModel;
  mortalEntries.insertMany = ((rows: LedgerRow[], options: object) =>
    write(
      () => entries.insertMany(rows, options),
      () => entries.insertMany(firstHalf(rows), options),
    )) as never;
  const mortalPending = Object.create(pending) as PendingEntryModel;
  mortalPending.deleteMany = ((filter: { _id: { $in: string[] } }) =>
    write(
      () => pending.deleteMany(filter).exec(),
      () => pending.deleteMany({ ...filter, _id: { $in: firstHalf(filter._id.$in) } }).exec(),
    )) as never;
  Object.defineProperty(mortalPending, 'collection', {
    value: {
      insertMany: (rows: never[], options: object) =>
        write(
          () => pending.collection.insertMany(rows, options),
          () => pending.collection.insertMany(firstHalf(rows), options),
        ),
    },
  });
  const onPosted: LedgerOptions['onPosted'] = ({ _id }) => write(async () => void followed.add(_id));
  const ledger = ledgerOn(connection, clock, { entries: mortalEntries, pending: mortalPending, onPosted });
  return { ledger, isDead: () => isDead };
}

interface Change {
  readonly id: string;
  readonly change: AccountChange;
}

const changesOf = (): Change[] => {
  const grant = { id: newId(), change: { kind: 'credit', amount: 20, reason: '' } } as const;
  const usage = Array.from({ length: 4 }, () => newId()).map((id) => ({
    id,
    change: { kind: 'usage', callId: id, cost: 7 } as const,
  }));
  return [grant, ...usage];
};

/** Makes the changes as replicas do: what somebody waits for is entered, usage is appended. Returns what was acknowledged. */
async function make(ledger: Ledger, tenant: TenantId, changes: readonly Change[]): Promise<number> {
  const [grant, ...usage] = changes;
  const outcomes = await Promise.allSettled([ledger.enter(tenant, grant!.id, grant!.change)]);
  outcomes.push(
    ...((await Promise.allSettled(
      usage.map(({ id, change }) => ledger.append(tenant, id, change)),
    )) as typeof outcomes),
  );
  await ledger.flush();
  return outcomes.slice(1).filter(({ status }) => status === 'fulfilled').length * 7;
}

/** Runs changes on a replica that dies, then again on another; returns whether the first one died. */
async function runs(at: number, moment: Moment): Promise<boolean> {
  const clock = new ScriptedClock();
  const tenant = newTenantId();
  const changes = changesOf();
  /** The entries of which was done what follows from them. */
  const followed = new Set<string>();
  const first = mortal(clock, { at, moment }, followed);
  const acknowledged = await make(first.ledger, tenant, changes);
  const next = ledgerOn(connection, clock, { onPosted: async ({ _id }) => void followed.add(_id) });
  const { totalSpent } = await next.stateOf(tenant);
  expect.soft(totalSpent, 'what was acknowledged counts').toBeGreaterThanOrEqual(acknowledged);
  expect.soft(totalSpent).toBeLessThanOrEqual(28);

  await make(next, tenant, changes);
  const state = await next.stateOf(tenant);
  expect.soft(state).toMatchObject({ totalSpent: 28, creditPeriod: 1 });
  clock.jump(5000);
  await next.sweep();
  const rows = await entries.find({ tenant_id: tenant }).sort({ seq: 1 }).lean<LedgerRow[]>();
  expect.soft(rows.map(({ _id }) => _id).toSorted()).toEqual(changes.map(({ id }) => id).toSorted());
  expect.soft(rows.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5]);
  expect.soft(rows.at(-1)?.state).toMatchObject({ totalSpent: 28, credit: state.credit });
  // What no credit covers is billed, wherever the grant came to stand.
  const billed = rows.reduce((sum, { billable }) => sum + billable, 0);
  expect.soft(billed + 20 - (state.credit ?? 0)).toBe(28);
  expect.soft(await pending.countDocuments({ tenant_id: tenant })).toBe(0);
  expect.soft(await next.postedStateOf(tenant)).toEqual(rows.at(-1)?.state);
  expect.soft([...followed].toSorted()).toEqual(changes.map(({ id }) => id).toSorted());
  return first.isDead();
}

it.each(['half-way', 'after'] as const)(
  'an entry is made once, and what follows from it is done, whichever write a replica dies in: %s',
  async (moment) => {
    let at = 1;
    while (await runs(at, moment)) at++;
    // Pending and posted, what follows and its removal: of the grant and of the usage.
    expect(at).toBeGreaterThan(8);
  },
);
