/** @replicas Limits of spending are one for all replicas. */

import { newId } from '@voice/shared/ids/ids';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callModel } from '../calls/record/model.js';
import { startTestControlPlane } from '../testing/control-plane.js';
import { eventually } from '../testing/eventually.js';
import { startTestStore, type TestStore } from '../testing/store.js';
import { ledgerModel } from './ledger-model.js';
import { BilledCalls, type BilledTenant, TWO_MINUTES_USD } from './testing/billed-calls.js';

let store: TestStore;
let calls: BilledCalls;

beforeAll(async () => {
  store = await startTestStore();
  calls = await BilledCalls.start((env) => startTestControlPlane(store.uri, { env }));
});
afterAll(async () => {
  await calls?.close();
  await store?.close();
});

const path = (tenant: BilledTenant) => `/internal/billing/tenants/${tenant.id}`;
const grant = (tenant: BilledTenant, usd: number, id = newId()) =>
  calls.plane.internal('POST', `${path(tenant)}/credit`, { id, amount_usd: usd });
const setCap = (tenant: BilledTenant, usd: number | null) =>
  calls.plane.internal('PUT', `${path(tenant)}/daily-cap`, { limit_usd: usd });

/** What a request for a production call is answered. */
async function asked(tenant: BilledTenant, key = tenant.liveKey) {
  const answer = await calls.plane.request('POST', '/api/v1/calls', {
    key,
    body: { agent_id: tenant.agentId, from_number: '+12025550100', to_number: '+12025550123' },
  });
  return [answer.status, (answer.json as { code: string }).code];
}
/** Of a tenant that may spend: it has no such number. */
const NO_NUMBER = [403, 'caller_id_unverified'];

describe('credit', () => {
  // @rule 6.27
  it('granted by the operator is used up by calls; at zero calls are refused with 402', async () => {
    const tenant = await calls.newTenant();
    await grant(tenant, 0.05);
    await calls.held(tenant);
    expect(await asked(tenant)).toEqual(NO_NUMBER);
    const { id } = await calls.held(tenant);
    expect(await asked(tenant)).toEqual([402, 'credit_exhausted']);
    const notices = await eventually(
      () => calls.eventsOf(tenant, 'usage.credit_exhausted'),
      (events) => events.length === 2,
    );
    expect(notices[0]).toMatchObject({ tenant_id: tenant.id, in_advance: true });
    expect(notices[1]).toEqual({ tenant_id: tenant.id, last_call_id: id, in_advance: false });
    await grant(tenant, 10);
    expect(await asked(tenant)).toEqual(NO_NUMBER);
  });

  it('notes with a call what a minute of its own agent is taken to cost, until it is charged', async () => {
    const { id } = await calls.held(await calls.newTenant());
    const call = await callModel(calls.plane.testStore()).findById(id).lean().orFail();
    // The service's share alone: the agent runs on this machine, and was dialed on a simulated line.
    expect(call.hold_per_minute).toBe(10_000);
  });

  it('does not concern the sandbox', async () => {
    const tenant = await calls.newTenant();
    await grant(tenant, 0.01);
    await calls.held(tenant);
    expect(await asked(tenant)).toEqual([402, 'credit_exhausted']);
    expect(await asked(tenant, tenant.sandboxKey)).toEqual([403, 'sandbox_number_required']);
    expect((await calls.held(tenant, { sandbox: true })).cost?.total).toBe(0);
  });

  it('is used up by each of the calls that end at the same time, once', async () => {
    const tenant = await calls.newTenant();
    await grant(tenant, 1);
    const held = await Promise.all(Array.from({ length: 6 }, () => calls.held(tenant)));
    const account = await calls.plane.internal('GET', path(tenant));
    const spent_usd = (held.length * Math.round(TWO_MINUTES_USD * 1000)) / 1000;
    expect(account.json).toMatchObject({ spent_usd, credit_usd: (1000 - spent_usd * 1000) / 1000 });
    const entries = await eventually(
      () => ledgerModel(calls.plane.platform.store).find({ tenant_id: tenant.id }).sort({ seq: 1 }).lean(),
      (rows) => rows.length === held.length + 1,
    );
    expect(entries.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(entries.slice(1).map(({ _id }) => _id)).toEqual(expect.arrayContaining(held.map(({ id }) => id)));
  });

  it('granted twice under one id is granted once', async () => {
    const tenant = await calls.newTenant();
    const id = newId();
    const answers = await Promise.all([grant(tenant, 5, id), grant(tenant, 5, id)]);
    expect(answers.map(({ json }) => (json as { credit_usd: number }).credit_usd)).toEqual([5, 5]);
  });
});

describe('the daily cap', () => {
  // @rule 6.28
  it('is announced once when daily spend reaches 80% of the limit; at the limit calls are refused with 402', async () => {
    const tenant = await calls.newTenant();
    await setCap(tenant, 0.096);
    await calls.held(tenant);
    expect(await calls.eventsOf(tenant, 'usage.daily_cap_approaching')).toEqual([]);
    await calls.held(tenant, { durationMs: 60_000 * 1.5 });
    expect(await asked(tenant)).toEqual(NO_NUMBER);
    await calls.held(tenant);
    expect(await asked(tenant)).toEqual([402, 'daily_cap_reached']);
    const announced = await eventually(
      () => calls.eventsOf(tenant, 'usage.daily_cap_approaching'),
      (events) => events.length > 0,
    );
    expect(announced).toEqual([{ spent_usd: TWO_MINUTES_USD + 0.043, limit_usd: 0.096 }]);
    await setCap(tenant, null);
    expect(await asked(tenant)).toEqual(NO_NUMBER);
    expect(await calls.eventsOf(tenant, 'usage.daily_cap_approaching')).toHaveLength(1);
  });
});

describe("the operator's routes", () => {
  it('know tenants only, need the inter-plane token and are not in the description', async () => {
    const nobody = `/internal/billing/tenants/${newId()}`;
    expect((await calls.plane.internal('GET', nobody)).status).toBe(404);
    const { liveKey: key } = await calls.newTenant();
    expect((await calls.plane.request('GET', nobody, { key })).status).toBe(404);
    const description = await calls.plane.request('GET', '/v1/openapi.json');
    expect(description.text).not.toContain('/internal/');
  });
});

it('free credit is given to every new tenant once', async () => {
  const other = await startTestControlPlane(store.uri, { env: { FREE_CREDIT_USD: '2.5' } });
  const name = `tenant ${newId()}`;
  const { tenantId } = await other.newKey({ tenant: name });
  await other.newKey({ tenant: name });
  const account = await other.internal('GET', `/internal/billing/tenants/${tenantId}`);
  await other.close();
  expect(account.json).toMatchObject({ credit_usd: 2.5 });
});
