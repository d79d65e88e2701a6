import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { twilioPrice } from '../telephony/carriers/twilio/price.js';
import { startTestControlPlane } from '../testing/control-plane.js';
import { eventually } from '../testing/eventually.js';
import { startTestStore, type TestStore } from '../testing/store.js';
import { BilledCalls, type BilledTenant, TWO_MINUTES_MS } from './testing/billed-calls.js';

let store: TestStore;
let calls: BilledCalls;
let tenant: BilledTenant;

beforeAll(async () => {
  store = await startTestStore();
  calls = await BilledCalls.start((env) =>
    startTestControlPlane(store.uri, {
      env: {
        ...env,
        // The scripted carrier is Twilio, too.
        TWILIO_API_URL: env.SIMULATED_CARRIER_URL!,
        TWILIO_ACCOUNT_SID: env.SIMULATED_CARRIER_ACCOUNT_SID!,
        TWILIO_AUTH_TOKEN: env.SIMULATED_CARRIER_AUTH_TOKEN!,
      },
    }),
  );
});
afterAll(async () => {
  await calls?.close();
  await store?.close();
});
beforeEach(async () => {
  calls.carrier.price = undefined;
  tenant = await calls.newTenant();
});

describe("the carrier's share of a call", () => {
  it("is the carrier's own price when it reports one", async () => {
    calls.carrier.price = { price: '-0.12340', price_unit: 'USD' };
    const { cost } = await calls.held(tenant);
    expect(cost).toMatchObject({ carrier: 0.1234, total: 0.1434, currency: 'usd' });
  });

  it('waits for the price while the carrier says that it comes', async () => {
    calls.carrier.price = { price: null, price_unit: 'USD' };
    const asked = calls.carrier.pricesAsked;
    const holding = calls.held(tenant);
    await eventually(async () => calls.carrier.pricesAsked > asked);
    calls.carrier.price = { price: '-0.02000', price_unit: 'USD' };
    expect((await holding).cost?.carrier).toBe(0.02);
  });

  it.each([
    ['reports none', undefined],
    ['reports another currency', { price: '-0.02', price_unit: 'EUR' }],
  ])('is the rate of the list when the carrier %s', async (_, price) => {
    calls.carrier.price = price;
    expect((await calls.held(tenant, { durationMs: TWO_MINUTES_MS })).cost?.carrier).toBe(0.028);
  });

  it('is nothing in the sandbox, whatever the carrier says', async () => {
    calls.carrier.price = { price: '-0.5', price_unit: 'USD' };
    expect((await calls.held(tenant, { sandbox: true })).cost).toMatchObject({ total: 0, currency: 'usd' });
  });
});

describe("Twilio's price", () => {
  it.each([
    ['-0.01400', 'USD', { kind: 'price', amount: 14_000 }],
    ['0', 'usd', { kind: 'price', amount: 0 }],
    [null, 'USD', { kind: 'pending' }],
    ['-0.014', 'JPY', { kind: 'unknown' }],
    ['free', 'USD', { kind: 'unknown' }],
    [undefined, undefined, { kind: 'unknown' }],
  ] as const)('%s %s', (price, unit, expected) => {
    expect(twilioPrice(price, unit)).toEqual(expected);
  });
});
