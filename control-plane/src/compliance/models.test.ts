import { newId, newTenantId } from '@voice/shared/ids/ids';
import { createConnection } from 'mongoose';
import { describe, expect, it } from 'vitest';
import { capacityClaimModel } from './capacity-claims.js';
import { dncEntryModel, operatorDncModel } from './dnc/model.js';
import { CHECK_NAMES, complianceCheckModel } from './model.js';

/** A model of whatever documents. */
interface StoredModel {
  new (document: object): { validate(): Promise<void>; toObject(): object };
  readonly collection: { readonly name: string };
  readonly schema: { indexes(): [object, { unique?: boolean }][] };
}

/** Never connected: a model judges documents without a store. */
const connection = createConnection();
const storedModel = (model: unknown) => model as StoredModel;
const checks = storedModel(complianceCheckModel(connection));
const entries = storedModel(dncEntryModel(connection));
const operator = storedModel(operatorDncModel(connection));
const claims = storedModel(capacityClaimModel(connection));

const [tenant_id, created_at] = [newTenantId(), new Date()];
const number = '+12125550123';
const everyCheck = (outcome: string) =>
  Object.fromEntries(CHECK_NAMES.map((name) => [name, { outcome, reason: null }]));

const check = {
  _id: newId(),
  tenant_id,
  sandbox: false,
  decision: 'denied',
  reasons: ['do_not_call'],
  checks: everyCheck('passed'),
  inputs: '{}',
  to_number: number,
  created_at,
};
const entry = { _id: newId(), tenant_id, sandbox: true, number, source: 'api', created_at };

/** The paths of which a document complains. */
const complaints = (model: StoredModel, document: object): Promise<string[]> =>
  new model(document).validate().then(
    () => [],
    (error: { errors: object }) => Object.keys(error.errors),
  );

describe.each<[string, StoredModel, string, Readonly<Record<string, unknown>>, object]>([
  [
    'a compliance check',
    checks,
    'compliance_checks',
    check,
    {
      from_number: null,
      agent_id: null,
      state: null,
      timezone: null,
      timezones: [],
      requires_two_party_consent: null,
      recording: null,
      next_open_at: null,
    },
  ],
  ['a do-not-call entry', entries, 'dnc_entries', entry, { note: null, call_id: null, quote: null }],
  ["an entry of the operator's", operator, 'operator_dnc', { _id: number, created_at }, { note: null }],
  [
    "a tenant's claims",
    claims,
    'capacity_claims',
    { _id: 'x', revision: 1, claims: [{ check_id: 'c', at: created_at }] },
    {},
  ],
])('%s', (_what, model, collection, whole, defaults) => {
  it('is stored with these fields and no other', async () => {
    expect(await complaints(model, whole)).toEqual([]);
    expect(new model(whole).toObject()).toEqual({ ...whole, ...defaults });
    expect(() => new model({ ...whole, another: 1 })).toThrow('another');
    expect(model.collection.name).toBe(collection);
  });

  it('is not stored where anything of it is missing', async () => {
    for (const field of Object.keys(whole)) {
      expect(
        await complaints(model, { ...whole, [field]: field === 'checks' ? {} : null }),
        field,
      ).toContainEqual(expect.stringMatching(`^${field}`));
    }
  });
});

describe('a value that is not one of the known ones', () => {
  it.each([
    ['decision', ['allowed', 'denied']],
    ['recording', ['off', 'announced', 'unannounced']],
  ])('is no %s of a check', async (field, known) => {
    for (const value of known) expect(await complaints(checks, { ...check, [field]: value })).toEqual([]);
    for (const value of ['', 'x'])
      expect(await complaints(checks, { ...check, [field]: value })).toEqual([field]);
  });

  it('is no outcome of a check, of which each has its own', async () => {
    for (const outcome of ['passed', 'failed', 'not_evaluated']) {
      expect(await complaints(checks, { ...check, checks: everyCheck(outcome) })).toEqual([]);
    }
    for (const name of CHECK_NAMES) {
      for (const wrong of [{ outcome: 'x' }, { outcome: '' }, { reason: 'x' }, null]) {
        const one = { ...check, checks: { ...check.checks, [name]: wrong } };
        expect((await complaints(checks, one)).join()).toContain(`checks.${name}`);
      }
    }
  });

  it('is no source of a do-not-call entry', async () => {
    for (const source of ['api', 'import', 'opt_out']) {
      expect(await complaints(entries, { ...entry, source })).toEqual([]);
    }
    for (const source of ['', 'x'])
      expect(await complaints(entries, { ...entry, source })).toEqual(['source']);
  });
});

it('has the indexes that its questions need, and a number is on a list once', () => {
  const newestFirst = { created_at: -1, _id: -1 };
  const denied = { partialFilterExpression: { decision: 'denied' } };
  expect(checks.schema.indexes()).toMatchObject([
    [{ tenant_id: 1, sandbox: 1, ...newestFirst }, {}],
    [{ tenant_id: 1, sandbox: 1, to_number: 1, ...newestFirst }, {}],
    [{ tenant_id: 1, sandbox: 1, decision: 1, ...newestFirst }, denied],
    [{ tenant_id: 1, sandbox: 1, reasons: 1, ...newestFirst }, denied],
    [{ tenant_id: 1, erased_with: 1 }, { partialFilterExpression: { erased_with: { $exists: true } } }],
  ]);
  expect(entries.schema.indexes()).toMatchObject([
    [{ tenant_id: 1, sandbox: 1, number: 1 }, { unique: true }],
    [{ tenant_id: 1, sandbox: 1, ...newestFirst }, {}],
    [{ tenant_id: 1, sandbox: 1, source: 1, ...newestFirst }, {}],
  ]);
});
