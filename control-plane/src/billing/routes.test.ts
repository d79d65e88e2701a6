import { newTenantId } from '@voice/shared/ids/ids';
import { beforeEach, describe, expect, it } from 'vitest';
import type { AnyContext, Route } from '../platform/http/route.js';
import { billingInternalRoutes, paymentIntakeRoutes } from './internal-routes.js';
import { billingRoutes } from './routes.js';

const tenant = newTenantId();
/** What was asked of the module, by its method. */
let asked: unknown[][];
let exists: boolean;

beforeEach(() => {
  asked = [];
  exists = true;
});

const answering =
  (name: string, answer: unknown) =>
  async (...of: unknown[]) => {
    asked.push([name, ...of]);
    return answer;
  };
const checkout = {
  setup: answering('setup', 'a session'),
  buy: answering('buy', 'a session'),
  portal: answering('portal', 'https://pay.example.com/portal'),
  take: answering('take', 'credit_paid'),
} as never;
const accounts = {
  present: answering('present', 'the account'),
  addCredit: answering('addCredit', undefined),
  setDailyCap: answering('setDailyCap', undefined),
} as never;
const routes: readonly Route[] = [
  ...billingRoutes({ checkout, summary: answering('summary', 'the usage') as never }),
  ...paymentIntakeRoutes({ checkout }),
  ...billingInternalRoutes({ accounts, tenantExists: async () => exists }),
];
const routeOf = (operationId: string) => routes.find((route) => route.operationId === operationId)!;
const answer = (operationId: string, context: object) =>
  routeOf(operationId).handler({ tenant, resourceId: 'r', params: {}, ...context } as never as AnyContext);

const PROVIDER = ['payment_provider_error', 'payment_provider_not_configured', 'payment_provider_timeout'];

describe("billing's routes", () => {
  it.each([
    ['getUsage', 'get', '/api/v1/billing/usage', 'tenant_in_mode', 'Billing', undefined],
    ['setUpBilling', 'post', '/api/v1/billing/setup', 'tenant_live', 'Billing', PROVIDER],
    ['checkout', 'post', '/api/v1/billing/checkout', 'tenant_live', 'Billing', PROVIDER],
    [
      'openBillingPortal',
      'post',
      '/api/v1/billing/portal',
      'tenant_live',
      'Billing',
      ['payment_customer_missing', ...PROVIDER],
    ],
    [
      'stripeEvent',
      'post',
      '/internal/payments/stripe',
      'none',
      'Internal',
      ['invalid_signature', 'payment_provider_error', 'payment_provider_timeout'],
    ],
    [
      'getAccount',
      'get',
      '/internal/billing/tenants/{tenant_id}',
      'inter_plane',
      'Internal',
      ['tenant_not_found'],
    ],
    [
      'grantCredit',
      'post',
      '/internal/billing/tenants/{tenant_id}/credit',
      'inter_plane',
      'Internal',
      ['tenant_not_found'],
    ],
    [
      'setDailyCap',
      'put',
      '/internal/billing/tenants/{tenant_id}/daily-cap',
      'inter_plane',
      'Internal',
      ['tenant_not_found'],
    ],
  ])('%s: who may ask it, where, and how it is refused', (operationId, method, path, auth, tag, errors) => {
    expect(routeOf(operationId)).toMatchObject({ method, path, auth, tag });
    expect(routeOf(operationId).errors).toEqual(errors);
    expect(Object.keys(routeOf(operationId).responses)).toEqual(['200']);
  });

  it('the fixed tiers alone are deprecated, since 2026, and need a plan', () => {
    const deprecated = routes.filter((route) => route.deprecated !== undefined);
    expect(deprecated).toMatchObject([
      {
        operationId: 'checkout',
        deprecated: { since: new Date('2026-01-01T00:00:00Z'), successor: '/api/v1/billing/setup' },
        requiredFields: ['plan'],
      },
    ]);
  });

  it('usage is of 1 to 90 days, 30 by default', () => {
    const { query } = routeOf('getUsage');
    const days = (text?: string) => query!.safeParse(text === undefined ? {} : { days: text }).data;
    expect([days(), days('1'), days('90')]).toEqual([{ days: 30 }, { days: 1 }, { days: 90 }]);
    expect([days('0'), days('91')]).toEqual([undefined, undefined]);
  });
});

describe('what is asked of billing', () => {
  const scope = { tenant, sandbox: true };
  const account = { status: 200, body: 'the account' };

  it("is the tenant's usage in its mode", async () => {
    expect(await answer('getUsage', { scope, query: { days: 7 } })).toEqual({
      status: 200,
      body: 'the usage',
    });
    expect(asked).toEqual([['summary', { scope, days: 7 }]]);
  });

  it('is a page to set up billing on, with a body or without', async () => {
    const body = { success_url: 'https://example.com' };
    expect(await answer('setUpBilling', { body })).toEqual({ status: 200, body: 'a session' });
    await answer('setUpBilling', { body: undefined });
    expect(asked).toEqual([
      ['setup', tenant, 'r', body],
      ['setup', tenant, 'r', {}],
    ]);
  });

  it('is a page to pay for a plan on', async () => {
    const body = { plan: 'growth' };
    expect(await answer('checkout', { body })).toEqual({ status: 200, body: 'a session' });
    expect(asked).toEqual([['buy', tenant, 'r', body, 'growth']]);
  });

  it('is the portal', async () => {
    const url = 'https://pay.example.com/portal';
    expect(await answer('openBillingPortal', {})).toEqual({ status: 200, body: { portal_url: url, url } });
    expect(asked).toEqual([['portal', tenant]]);
  });

  it('is to take what the payment provider reports, as it was signed', async () => {
    const request = { get: (name: string) => (name === 'stripe-signature' ? 't=1' : undefined) };
    const rawBody = Buffer.from('{}');
    const taken = { status: 200, body: { received: 'credit_paid' } };
    expect(await answer('stripeEvent', { rawBody, request })).toEqual(taken);
    expect(asked).toEqual([['take', rawBody, 't=1']]);
  });

  it("is the operator's: to see an account, to grant credit once an id, to set a cap or take it away", async () => {
    const params = { tenant_id: tenant };
    expect(await answer('getAccount', { params })).toEqual(account);
    const body = { id: 'g', amount_usd: 2.5, reason: 'A gift.' };
    expect(await answer('grantCredit', { params, body })).toEqual(account);
    expect(await answer('setDailyCap', { params, body: { limit_usd: 3 } })).toEqual(account);
    await answer('setDailyCap', { params, body: { limit_usd: null } });
    const present = ['present', tenant];
    expect(asked).toEqual([
      present,
      ['addCredit', tenant, 'operator:g', 2_500_000, 'A gift.'],
      present,
      ['setDailyCap', tenant, 'r', 3_000_000],
      present,
      ['setDailyCap', tenant, 'r', null],
      present,
    ]);
  });

  it.each([
    ['getAccount', {}],
    ['grantCredit', { id: 'g', amount_usd: 1, reason: '' }],
    ['setDailyCap', { limit_usd: 1 }],
  ])('of a tenant that there is not is refused: %s', async (operationId, body) => {
    exists = false;
    const refused = { status: 404, code: 'tenant_not_found' };
    await expect(answer(operationId, { params: { tenant_id: tenant }, body })).rejects.toMatchObject(refused);
    expect(asked).toEqual([]);
  });
});
