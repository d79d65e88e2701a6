/** @replicas Limits of codes are one for all replicas. */

import { type Clock, systemClock } from '@voice/shared/clock/clock';
import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { newId, newTenantId } from '@voice/shared/ids/ids';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestControlPlane, type TestControlPlane } from '../../testing/control-plane.js';
import { type SimulatedCarrierProcess, startSimulatedCarrier } from '../../testing/simulated-carrier.js';
import { ensureIndexes, startTestStore, type TestStore } from '../../testing/store.js';
import { phoneNumberModel } from '../phones/model.js';
import { CodeQuota, codeQuotaModel } from './code-quota.js';

const CODES_A_TENANT = 3;

let store: TestStore;
let carrier: SimulatedCarrierProcess;
let plane: TestControlPlane;
let key: string;
let tenantId: string;
let serial = 0;

/** A control plane whose codes come from a number in the US. */
const boot = (env: Readonly<Record<string, string>> = {}, clock: Clock = systemClock) =>
  startTestControlPlane(store.uri, {
    clock,
    env: { ...carrier.env, ...carrier.twilioEnv, VERIFICATION_FROM_NUMBER: '+14155550100', ...env },
  });

beforeAll(async () => {
  [store, carrier] = await Promise.all([startTestStore(), startSimulatedCarrier()]);
  plane = await boot({ VERIFICATIONS_PER_DAY_TENANT: String(CODES_A_TENANT) });
});
afterAll(async () => {
  await plane?.close();
  await carrier?.close();
  await store?.close();
});
beforeEach(async () => {
  ({ key, tenantId } = await plane.newKey({ sandbox: false }));
});

const start = async (number: string, as = key, by = plane, channel = 'sms') => {
  const answer = await by.request('POST', '/api/v1/verifications', {
    key: as,
    body: { phone_number: number, channel },
  });
  return { ...answer, refusal: [answer.status, (answer.json as { code?: string; reason?: string }).code] };
};
const reasonOf = async (number: string, as = key, by = plane) =>
  ((await start(number, as, by)).json as { reason?: string }).reason;
const aNumber = () => `+1212555${String(3000 + serial++)}`;
const REFUSED = [403, 'verification_destination_refused'];
const FULL = [429, 'verification_limit_reached'];
/** A number of the tenant's, verified or not. */
const own = async (number: string, verified: boolean) =>
  phoneNumberModel(await store.connect()).create({
    _id: newId(),
    tenant_id: tenantId,
    number,
    claim: newId(),
    provider: 'twilio',
    caller_id_verified_at: verified ? new Date() : null,
    created_at: new Date(),
    state: 'active',
    sandbox: false,
  });

describe('where verification codes go', () => {
  it.each([
    ['a premium number', '+19002345678'],
    ['a premium number of a country that is allowed', '+448712345678'],
    ['a personal number, which forwards anywhere', '+447012345678'],
    ['a pager', '+4916412345'],
    ['a satellite phone (Inmarsat)', '+870773123456'],
    ['a satellite phone (Iridium)', '+881612345678'],
    ['an international network', '+88216123456'],
    ['an international premium number', '+979123456789'],
    ['no number that there is', '+4990012345678'],
  ])('never to %s, by neither channel', async (_, number) => {
    const everywhere = await boot({ VERIFICATION_COUNTRIES: '*' });
    for (const channel of ['sms', 'voice']) {
      expect((await start(number, key, everywhere, channel)).refusal).toEqual(REFUSED);
    }
    await everywhere.close();
    expect(await carrier.messagesTo(number)).toEqual([]);
  });

  it("to the country of the installation's own number, unless the operator has named the tenant's", async () => {
    expect((await start(aNumber())).status).toBe(200);
    expect((await start('+447400123456')).refusal).toEqual(REFUSED);
    expect(await reasonOf('+447400123456')).toBe('country_not_allowed');
    const country = await plane.internal('PUT', `/internal/tenants/${tenantId}/country`, { country: 'GB' });
    expect(country.json).toMatchObject({ id: tenantId, country: 'GB' });
    expect((await start('+447400123456')).status).toBe(200);
    expect((await start(aNumber())).refusal).toEqual(REFUSED);
  });

  it('to a neighbour under the same calling code only as to any other country', async () => {
    expect(await reasonOf('+18764230000')).toBe('country_not_allowed');
  });

  it('to the countries of numbers that are shown to be the tenant’s, and not of those it only brought along', async () => {
    await own('+4930901820', false);
    expect(await reasonOf('+4915112345678')).toBe('country_not_allowed');
    await own('+4930901821', true);
    expect((await start('+4915112345678')).status).toBe(200);
  });

  it('to the countries that the configuration names, for every tenant', async () => {
    const some = await boot({ VERIFICATION_COUNTRIES: 'de, at' });
    expect((await start('+4915112345679', key, some)).status).toBe(200);
    expect(await reasonOf(aNumber(), key, some)).toBe('country_not_allowed');
    await some.close();
  });

  it('anywhere in the sandbox: nobody real is called', async () => {
    const { key: test } = await plane.newKey();
    expect((await start('+19002345678', test)).status).toBe(200);
  });
});

describe('how many verification codes are sent', () => {
  it('counts as dialing: the class of the route is dial', async () => {
    // All in one minute, however long they take.
    const startedAt = Date.now();
    const slow = await boot({ RATE_LIMIT_DIAL: '2' }, { ...systemClock, now: () => startedAt });
    const statuses = [];
    for (let i = 0; i < 3; i++) statuses.push((await start(aNumber(), key, slow)).status);
    await slow.close();
    expect(statuses).toEqual([200, 200, 429]);
  });

  it('is at most so many a day and tenant, over all numbers', async () => {
    for (let i = 0; i < CODES_A_TENANT; i++) expect((await start(aNumber())).status).toBe(200);
    const number = aNumber();
    const refused = await start(number);
    expect(refused.refusal).toEqual(FULL);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await carrier.messagesTo(number)).toEqual([]);
    const { key: other } = await plane.newKey({ sandbox: false });
    expect((await start(number, other)).status).toBe(200);
  });

  it('is that also when they are asked for at the same moment', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => start(aNumber())));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(CODES_A_TENANT);
  });

  it('counts what is sent: a refused one leaves room for another', async () => {
    const number = aNumber();
    expect((await start(number)).status).toBe(200);
    for (let i = 0; i < 5; i++) expect((await start(number)).refusal).toEqual([429, 'rate_limited']);
    for (let i = 1; i < CODES_A_TENANT; i++) expect((await start(aNumber())).status).toBe(200);
  });
});

describe('the quota of codes', () => {
  const clock = new ScriptedClock(Date.UTC(2030, 0, 5, 23, 0));
  let quota: CodeQuota;
  const number = () => aNumber();

  beforeAll(async () => {
    const connection = await store.connect();
    quota = new CodeQuota({
      rows: codeQuotaModel(connection),
      limits: { tenant: 4, installation: 6, number: 2 },
      clock,
    });
    await ensureIndexes(connection);
  });

  it('has a limit for the installation, whatever the tenant; the next day (UTC) is a new one', async () => {
    const [first, second] = [newTenantId(), newTenantId()];
    for (let i = 0; i < 4; i++) await quota.take(first, number());
    await expect(quota.take(first, number())).rejects.toMatchObject({
      code: 'verification_limit_reached',
      retryAfterSeconds: 3600,
    });
    for (let i = 0; i < 2; i++) await quota.take(second, number());
    await expect(quota.take(second, number())).rejects.toMatchObject({ code: 'verification_limit_reached' });
    await clock.advance(3_600_000);
    for (let i = 0; i < 4; i++) await quota.take(second, number());
  });

  it('has a limit for one number over all tenants: nobody is rung by many', async () => {
    await clock.advance(24 * 3_600_000);
    const rung = number();
    for (let i = 0; i < 2; i++) await quota.take(newTenantId(), rung);
    const tenant = newTenantId();
    await expect(quota.take(tenant, rung)).rejects.toMatchObject({ code: 'verification_limit_reached' });
    // Nothing of the refused one is kept.
    for (let i = 0; i < 4; i++) await quota.take(tenant, number());
  });
});
