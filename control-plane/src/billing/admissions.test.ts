import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { ServiceError } from '@voice/shared/errors/service-error';
import { newId, newTenantId, type TenantId } from '@voice/shared/ids/ids';
import { mongo } from 'mongoose';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { HOLDS_NOTHING } from '../calls/record/hold.js';
import { type CallDocument, type CallModel, callModel } from '../calls/record/model.js';
import { RATES } from '../platform/money/rates.js';
import { ensureIndexes, startTestStore, type TestStore } from '../testing/store.js';
import { type AdmissionModel, admissionModel } from './admission-model.js';
import { Admissions, type AdmissionsOptions } from './admissions.js';
import type { Ledger } from './ledger.js';
import { ledgerOn } from './testing/ledgers.js';
import { ASSUMED_AGENT, typicalMinute } from './typical-minute.js';

/** A minute of a call of which only its line is known. */
const NEW_CALL_HOLD = typicalMinute(
  { agent: ASSUMED_AGENT, carrier: 'twilio', direction: 'outbound', toNumber: '+12025550123' },
  RATES,
);

let store: TestStore;
let calls: CallModel;
let ledger: Ledger;
let rows: AdmissionModel;
/** Two replicas of one store, each with connections of its own. */
let replicas: readonly [Admissions, Admissions];
let tenant: TenantId;
const clock = new ScriptedClock();

beforeAll(async () => {
  store = await startTestStore();
  const [a, b] = [await replica(), await replica()];
  replicas = [a.admissions, b.admissions];
  ({ calls, ledger, rows } = a);
});
afterAll(() => store?.close());
beforeEach(() => {
  clock.jump(60_000);
  tenant = newTenantId();
});

/** Decides on what a test puts in the place of what is there. */
const admissionsOn = (edges: Partial<AdmissionsOptions>) =>
  new Admissions({ billing: 'off', rates: RATES, ledger, calls, admissions: rows, clock, ...edges });

async function replica() {
  const connection = await store.connect();
  const calls = callModel(connection);
  const ledger = ledgerOn(connection, clock);
  const rows = admissionModel(connection);
  const admissions = admissionsOn({ ledger, calls, admissions: rows });
  await ensureIndexes(connection);
  return { calls, ledger, rows, admissions };
}

const grant = (credit: number) =>
  ledger.enter(tenant, newId(), { kind: 'credit', amount: credit, reason: '' });
const cap = (limit: number) => ledger.enter(tenant, newId(), { kind: 'daily_cap', limit });

/** Stores a call as far as it concerns what is held. */
async function stored(fields: Partial<CallDocument> = {}): Promise<string> {
  const id = newId();
  const at = new Date(clock.now());
  await calls.collection.insertOne({
    _id: id,
    tenant_id: tenant,
    sandbox: false,
    status: 'IN_PROGRESS',
    carrier: 'twilio',
    direction: 'outbound',
    to_number: '+12025550123',
    created_at: at,
    started_at: at,
    duration_ms: null,
    post_call_due_at: null,
    post_call_done: [],
    ...fields,
  } as never);
  return id;
}
const change = (id: string, fields: Partial<CallDocument>) =>
  calls.collection.updateOne({ _id: id as never }, { $set: fields });
const over = () => ({
  status: 'COMPLETED' as const,
  duration_ms: 60_000,
  post_call_due_at: new Date(clock.now()),
});

/** Admits a call and stores it; what it was refused with, or its id. */
async function begun(by = replicas[0]): Promise<string> {
  try {
    await by.admit({ tenant, sandbox: false });
    return await stored();
  } catch (error) {
    if (error instanceof ServiceError) return error.code;
    throw error;
  }
}
const refused = async (by = replicas[0]) =>
  by.admit({ tenant, sandbox: false }).then(
    () => null,
    (error: ServiceError) => [error.status, error.code],
  );

describe('what running calls hold of the credit', () => {
  // @rule 6.27
  it('50 calls at the last cent, at the same time and over two replicas: one begins', async () => {
    await grant(10_000);
    const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => begun(replicas[i % 2])));
    expect(answers.filter((answer) => answer === 'credit_exhausted')).toHaveLength(49);
    expect(await calls.countDocuments({ tenant_id: tenant })).toBe(1);
  });

  it('as many begin as the credit has minutes for, one after another too', async () => {
    await grant(3 * NEW_CALL_HOLD);
    const answers = [await begun(), await begun(replicas[1]), await begun()];
    expect(answers).not.toContain('credit_exhausted');
    expect(await refused()).toEqual([402, 'credit_exhausted']);
    expect(await refused(replicas[1])).toEqual([402, 'credit_exhausted']);
  });

  it('is what a minute of the agent costs: a dear one leaves room for fewer', async () => {
    await grant(3 * NEW_CALL_HOLD);
    const dear = async () => 2 * NEW_CALL_HOLD;
    await replicas[0].admit({ tenant, sandbox: false }, dear);
    await stored({ hold_per_minute: 2 * NEW_CALL_HOLD });
    expect(await replicas[0].held(tenant)).toBe(2 * NEW_CALL_HOLD);
    await replicas[1].admit({ tenant, sandbox: false }, dear);
    await expect(replicas[0].admit({ tenant, sandbox: false }, dear)).rejects.toMatchObject({
      code: 'credit_exhausted',
    });
  });

  it('is nothing for the first: the last micro-dollar lets one begin', async () => {
    await grant(1);
    expect(await begun()).not.toBe('credit_exhausted');
    expect(await refused()).toEqual([402, 'credit_exhausted']);
  });

  it('grows with the minutes that they run', async () => {
    await grant(3 * NEW_CALL_HOLD);
    await stored();
    expect(await refused()).toBeNull();
    clock.jump(2 * 60_000 + 1);
    expect(await refused()).toEqual([402, 'credit_exhausted']);
  });

  it('is held until the ledger has what the call cost, and is free then', async () => {
    await grant(NEW_CALL_HOLD + 10);
    const id = await stored();
    await change(id, over());
    expect(await replicas[1].held(tenant)).toBe(NEW_CALL_HOLD);
    const second = await stored();
    expect(await refused()).toEqual([402, 'credit_exhausted']);
    await ledger.enter(tenant, id, { kind: 'usage', callId: id, cost: 10 });
    await change(id, { post_call_done: ['transcript', 'cost'] });
    await change(second, { ...over(), started_at: null });
    expect(await replicas[1].held(tenant)).toBe(0);
    expect(await refused()).toBeNull();
  });

  it('admitted and never stored, as by a replica that died, is forgotten in ten seconds', async () => {
    await grant(10);
    await replicas[0].admit({ tenant, sandbox: false });
    expect(await refused(replicas[1])).toEqual([402, 'credit_exhausted']);
    clock.jump(10_000);
    expect(await refused(replicas[1])).toBeNull();
  });

  it('admitted and refused, it holds nothing', async () => {
    await grant(1);
    await begun();
    expect(await refused()).toEqual([402, 'credit_exhausted']);
    await grant(NEW_CALL_HOLD);
    expect(await refused()).toBeNull();
  });

  it('refused and kept, a call holds nothing, and takes the place of no call that was admitted', async () => {
    await grant(1);
    const kept = { started_at: null, hold_per_minute: HOLDS_NOTHING };
    await stored({ ...kept, status: 'RINGING' });
    // Admitted, and not stored yet.
    expect(await refused()).toBeNull();
    await stored({ ...kept, status: 'FAILED' });
    expect(await refused(replicas[1])).toEqual([402, 'credit_exhausted']);
  });

  it('admitted, it is a call when that is stored, however soon it is over and charged', async () => {
    await grant(NEW_CALL_HOLD + 20);
    const short = await begun();
    await change(short, { ...over(), post_call_due_at: null, post_call_done: ['cost'] });
    await ledger.enter(tenant, short, { kind: 'usage', callId: short, cost: 10 });
    clock.jump(1000);
    await begun(replicas[1]);
    clock.jump(1000);
    expect(await refused()).toBeNull();
  });

  it('not stored yet, is what the dearest admission is taken to cost', async () => {
    await grant(2 * NEW_CALL_HOLD);
    await replicas[0].admit({ tenant, sandbox: false }, async () => 2 * NEW_CALL_HOLD);
    expect(await refused(replicas[1])).toEqual([402, 'credit_exhausted']);
  });

  it('of an admission that does not say is that of any call', async () => {
    const entries = [{ id: newId(), at: new Date(clock.now()) }];
    await rows.insertMany([{ _id: tenant, entries, updated_at: new Date(0) }]);
    await grant(NEW_CALL_HOLD);
    expect(await refused()).toEqual([402, 'credit_exhausted']);
    await grant(1);
    expect(await refused()).toBeNull();
  });

  it('is counted though another replica makes the first admission of the tenant at the same moment', async () => {
    await grant(10);
    let attempts = 0;
    const competing = Object.create(rows) as typeof rows;
    competing.findOneAndUpdate = ((...of: Parameters<typeof rows.findOneAndUpdate>) => {
      attempts += 1;
      if (attempts === 1) throw new mongo.MongoServerError({ message: 'E11000 duplicate key', code: 11000 });
      return rows.findOneAndUpdate(...of);
    }) as never;
    const admissions = admissionsOn({ admissions: competing });
    await admissions.admit({ tenant, sandbox: false });
    expect(attempts).toBe(2);
    expect(await refused()).toEqual([402, 'credit_exhausted']);
  });

  it('concerns nobody who can be billed: with a payment method, or without credit at all', async () => {
    await Promise.all(Array.from({ length: 3 }, () => stored()));
    expect(await refused()).toBeNull();
    await grant(10);
    expect(await refused()).toEqual([402, 'credit_exhausted']);
    await ledger.enter(tenant, newId(), { kind: 'payment_method', ready: true });
    expect(await refused()).toBeNull();
  });
});

describe('what running calls hold of the daily cap', () => {
  // @rule 6.28
  it('as many begin as the day has left, over two replicas', async () => {
    await cap(4 * NEW_CALL_HOLD);
    const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => begun(replicas[i % 2])));
    expect(answers.filter((answer) => answer === 'daily_cap_reached')).toHaveLength(16);
    expect(await refused()).toEqual([402, 'daily_cap_reached']);
  });
});

describe('what is asked of the store', () => {
  const unasked = new Proxy({} as never, {
    get() {
      throw new Error('nothing was to be asked');
    },
  });

  it('nothing for a sandbox call', async () => {
    const admissions = admissionsOn({ ledger: unasked, calls: unasked, admissions: unasked });
    await expect(admissions.admit({ tenant, sandbox: true })).resolves.toBeUndefined();
  });

  it('the ledger alone for a tenant without limits', async () => {
    const admissions = admissionsOn({ calls: unasked, admissions: unasked });
    await expect(admissions.admit({ tenant, sandbox: false })).resolves.toBeUndefined();
  });

  it('no call of anybody else, and none that is charged', async () => {
    const charged = { ...over(), post_call_due_at: null, post_call_done: ['cost'] };
    await Promise.all(Array.from({ length: 30 }, () => stored(charged)));
    await stored();
    const asked: object[] = [];
    const listening = {
      find: (filter: object, fields: object) => asked.push(filter) && calls.find(filter, fields),
    };
    await admissionsOn({ calls: listening as never, admissions: unasked }).held(tenant);
    const plan = await calls.find(asked[0]!).lean().explain('executionStats');
    expect(plan).toMatchObject({ executionStats: { nReturned: 1, totalDocsExamined: 1 } });
  });

  it('the ledger alone for a tenant that may not spend', async () => {
    await cap(0);
    const admissions = admissionsOn({ calls: unasked, admissions: unasked });
    const code = 'daily_cap_reached';
    await expect(admissions.admit({ tenant, sandbox: false })).rejects.toMatchObject({ code });
  });

  it('one query of the calls while there is plenty: for more than two hundred', async () => {
    await grant(201 * NEW_CALL_HOLD + 1);
    await stored();
    const admissions = admissionsOn({ admissions: unasked });
    await expect(admissions.admit({ tenant, sandbox: false })).resolves.toBeUndefined();
    await ledger.enter(tenant, newId(), { kind: 'usage', callId: newId(), cost: 1 });
    // One less: now they are admitted one after another; what fails there is not tried for ever.
    const failed = admissions.admit({ tenant, sandbox: false });
    await expect(failed).rejects.toThrow('nothing was to be asked');
  });
});

it('keeps the latest thousand admissions of a tenant', async () => {
  await grant(10);
  const entries = Array.from({ length: 1000 }, () => ({ id: newId(), at: new Date(0), hold: 1 }));
  await rows.insertMany([{ _id: tenant, entries, updated_at: new Date(0) }]);
  await begun();
  const row = await rows.findById(tenant).orFail().lean();
  expect(row.entries).toHaveLength(1000);
  expect(row.entries.at(-1)).toMatchObject({ at: new Date(clock.now()), hold: NEW_CALL_HOLD });
  expect(row.updated_at).toEqual(new Date(clock.now()));
});
