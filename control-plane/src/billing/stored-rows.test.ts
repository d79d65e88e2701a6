import { newId } from '@voice/shared/ids/ids';
import type { Connection, Document, Model } from 'mongoose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ensureIndexes, startTestStore, type TestStore } from '../testing/store.js';
import { NEW_ACCOUNT } from './account-state.js';
import { admissionModel } from './admission-model.js';
import { customerModel } from './customer-model.js';
import { ledgerModel } from './ledger-model.js';
import { overdraftModel } from './overdraft-model.js';
import { pendingEntryModel } from './pending-entry-model.js';
import { usageRow } from './testing/usage-rows.js';
import { NOT_METERED, usageModel } from './usage-model.js';

const at = new Date(0);
const customer = () => ({ _id: newId(), customer_id: newId(), created_at: at });
const admission = () => ({ _id: newId(), entries: [{ id: newId(), at, hold: 5 }], updated_at: at });
const entry = () => ({
  _id: newId(),
  tenant_id: newId(),
  seq: 1,
  at,
  change: { kind: 'credit', amount: 5, reason: '' },
  billable: 0,
  notices: [{ kind: 'cap_approaching', spent: 8, limit: 10 }],
  state: NEW_ACCOUNT,
});
const pending = () => ({
  _id: newId(),
  tenant_id: newId(),
  at,
  change: { kind: 'usage', callId: newId(), cost: 5 },
});
const overdraft = () => ({
  ...NOT_METERED,
  _id: newId(),
  tenant_id: newId(),
  meter_at: at,
  meter_due_at: at,
});
const record = () =>
  usageRow({
    test_session: true,
    meter_at: at,
    turn_stages: [[400, 310.5, null, 900, 905, 1]],
    realtime: {
      audio_ms: 1,
      input_audio_tokens: 2,
      input_text_tokens: 3,
      cached_audio_tokens: 4,
      cached_text_tokens: 5,
      output_audio_tokens: 6,
      output_text_tokens: 7,
    },
  });

type AnyModel = Model<Record<string, unknown>>;
const KINDS: readonly [
  what: string,
  model: (store: Connection) => AnyModel,
  /** Never renamed: what is stored would be lost. */
  collection: string,
  row: () => object,
  optional: readonly string[],
][] = [
  ['a customer', customerModel as never, 'payment_customers', customer, []],
  // (A list that is missing is empty.)
  ['admissions', admissionModel as never, 'spending_admissions', admission, ['entries']],
  ['an entry of the ledger', ledgerModel as never, 'billing_ledger', entry, ['notices']],
  ['a pending entry', pendingEntryModel as never, 'billing_pending_entries', pending, []],
  ['an overdraft', overdraftModel as never, 'billing_overdrafts', overdraft, ['meter_due_at']],
  [
    'a usage record',
    usageModel as never,
    'usage_records',
    record,
    ['test_session', 'meter_at', 'realtime', 'meter_due_at', 'response_latencies_ms', 'turn_stages'],
  ],
];

/** The fields for which a document would not be stored. */
const problemsOf = (document: Pick<Document, 'validate'>): Promise<string[]> =>
  document.validate().then(
    () => [],
    (error: { readonly errors: object }) => Object.keys(error.errors),
  );

let store: TestStore;
let connection: Connection;

beforeAll(async () => {
  store = await startTestStore();
  connection = await store.connect();
  for (const [, model] of KINDS) model(connection);
  await ensureIndexes(connection);
});
afterAll(() => store?.close());

describe.each(KINDS)('%s', (_, modelOf, collection, newRow, optional) => {
  it('is stored as it is, and nothing besides', async () => {
    const row = newRow();
    const model = modelOf(connection);
    await model.insertMany([row as never]);
    const { _id } = row as { _id: string };
    expect(await connection.collection(collection).findOne({ _id: _id as never })).toEqual(row);
  });

  it('is not stored without one of its fields, nor with any other', async () => {
    const row = newRow();
    const model = modelOf(connection);
    for (const field of Object.keys(row).filter((name) => !optional.includes(name))) {
      const { [field]: __, ...rest } = row as Record<string, unknown>;
      expect(await problemsOf(new model(rest))).toContain(field);
    }
    expect(() => new model({ ...row, other: 1 } as never)).toThrow(/other/);
  });
});

it.each([
  ...['none', 'pending', 'sent', 'no_customer', 'expired'].map((state) => [state, []] as const),
  ['else', ['meter_state']],
] as const)('a usage record is in one of the states of its report: %s', async (meter_state, problems) => {
  const model = usageModel(connection);
  expect(await problemsOf(new model(record()).set({ meter_state }))).toEqual(problems);
});

it('a usage record has every part of its cost', async () => {
  const { carrier: _, ...cost } = record().cost;
  const model = usageModel(connection);
  expect(await problemsOf(new model({ ...record(), cost }))).toContain('cost.carrier');
});

it('a number is taken once in the ledger of a tenant, and by every tenant', async () => {
  const model = ledgerModel(connection);
  const first = entry();
  await model.collection.insertOne(first as never);
  await model.collection.insertOne({ ...entry(), seq: 2, tenant_id: first.tenant_id } as never);
  await model.collection.insertOne(entry() as never);
  const again = { ...entry(), tenant_id: first.tenant_id };
  await expect(model.collection.insertOne(again as never)).rejects.toMatchObject({ code: 11000 });
});

it('a customer of the payment provider is one tenant', async () => {
  const model = customerModel(connection);
  const first = customer();
  await model.collection.insertOne(first as never);
  const again = { ...customer(), customer_id: first.customer_id };
  await expect(model.collection.insertOne(again as never)).rejects.toMatchObject({ code: 11000 });
});

it('admissions are forgotten an hour after the last', async () => {
  const indexes = await admissionModel(connection).collection.indexes();
  expect(indexes).toContainEqual(
    expect.objectContaining({ key: { updated_at: 1 }, expireAfterSeconds: 3600 }),
  );
});

describe('what is looked for often is found without a look at the rest', () => {
  /** How many documents are looked at for what a query finds. */
  const examined = async (model: AnyModel, filter: object, sort: Record<string, 1 | -1> = {}) => {
    const plan = await model.find(filter).sort(sort).limit(1).lean().explain('executionStats');
    return (plan as unknown as { executionStats: { totalDocsExamined: number } }).executionStats
      .totalDocsExamined;
  };

  it("a ledger's last entry, and its last before a time", async () => {
    const model = ledgerModel(connection);
    const tenant_id = newId();
    const rows = [1, 2, 3, 4].map((seq) => ({ ...entry(), tenant_id, seq, at: new Date(seq) }));
    await model.collection.insertMany(rows as never[]);
    const any = model as never as AnyModel;
    expect(await examined(any, { tenant_id }, { seq: -1 })).toBe(1);
    const before = { tenant_id, at: { $lte: new Date(2) } };
    expect(await examined(any, before, { at: -1, seq: -1 })).toBe(1);
  });

  it("a tenant's pending entries in their order, and who has any that was left", async () => {
    const model = pendingEntryModel(connection);
    const tenant_id = newId();
    const rows = [9, 7, 8].map((time) => ({ ...pending(), tenant_id, at: new Date(time) }));
    await model.insertMany([...rows, ...[10, 11].map((time) => ({ ...pending(), at: new Date(time) }))]);
    const any = model as never as AnyModel;
    expect(await examined(any, { tenant_id }, { at: 1, _id: 1 })).toBe(1);
    expect(await examined(any, { at: { $gt: new Date(1), $lte: new Date(7) } })).toBe(1);
  });

  it('the usage that is due to be reported', async () => {
    const model = usageModel(connection);
    const due = usageRow({ meter_due_at: new Date(5) });
    await model.insertMany([usageRow(), due, usageRow({ meter_due_at: new Date(7) })]);
    const isDue = { $gte: new Date(0), $lte: new Date(5) };
    expect(await examined(model as never, { meter_due_at: isDue })).toBe(1);
  });

  it('the overdrafts that are due to be reported, and those of a tenant', async () => {
    const model = overdraftModel(connection);
    const due = { ...overdraft(), meter_due_at: new Date(5) };
    const others = [
      { ...overdraft(), meter_due_at: null },
      { ...overdraft(), meter_due_at: new Date(7) },
    ];
    await model.insertMany([due, ...others]);
    const isDue = { $gt: new Date(0), $lte: new Date(5) };
    expect(await examined(model as never, { meter_due_at: isDue })).toBe(1);
    expect(await examined(model as never, { tenant_id: due.tenant_id, meter_state: 'none' })).toBe(1);
  });

  it('a customer by its id at the payment provider', async () => {
    const model = customerModel(connection);
    const { customer_id } = (await model.insertMany([customer(), customer()]))[1]!;
    expect(await examined(model as never, { customer_id })).toBe(1);
  });
});
