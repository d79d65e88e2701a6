import { z } from 'zod';
import { queryInt } from '../platform/http/query.js';
import { type Route, reply, route } from '../platform/http/route.js';
import type { TenantScope } from '../platform/store/tenant-scope.js';
import type { Checkout } from './checkout.js';
import {
  checkoutRequest,
  checkoutResponse,
  portalResponse,
  type UsageSummary,
  usageSummary,
} from './schemas.js';

const tag = 'Billing';
/** The fixed tiers were given up. */
const CHECKOUT_DEPRECATION = { since: new Date(Date.UTC(2026, 0, 1)), successor: '/api/v1/billing/setup' };
const PROVIDER_ERRORS = [
  'payment_provider_error',
  'payment_provider_not_configured',
  'payment_provider_timeout',
] as const;

export interface BillingRoutesOptions {
  readonly checkout: Checkout;
  readonly summary: (query: { scope: TenantScope; days: number }) => Promise<UsageSummary>;
}

/** Declares the tenant's routes of billing: what was used, and the way to the payment provider's pages. */
export function billingRoutes({ checkout, summary }: BillingRoutesOptions): Route[] {
  return [
    route({
      method: 'get',
      path: '/api/v1/billing/usage',
      operationId: 'getUsage',
      tag,
      summary: 'Usage of the month and by day',
      description:
        'Totals for the current calendar month and a daily breakdown, in UTC, by the day on which calls ' +
        "ended. A sandbox key sees the sandbox's usage, which costs nothing, and nothing of the account.",
      auth: 'tenant_in_mode',
      query: z.object({
        days: queryInt({ min: 1, max: 90, default: 30, description: 'Days of the daily breakdown.' }),
      }),
      responses: { 200: { description: 'The usage.', schema: usageSummary } },
      handler: async ({ scope, query }) => reply(200, await summary({ scope, days: query.days })),
    }),
    route({
      method: 'post',
      path: '/api/v1/billing/setup',
      operationId: 'setUpBilling',
      tag,
      summary: 'Set up a payment method',
      description:
        'Creates a session at the payment provider in which a payment method is saved. Billing is ' +
        'pay-as-you-go: there is no plan, and nothing is charged now.',
      auth: 'tenant_live',
      body: checkoutRequest.optional(),
      responses: { 200: { description: 'Where to send the user.', schema: checkoutResponse } },
      errors: PROVIDER_ERRORS,
      handler: async ({ tenant, resourceId, body }) =>
        reply(200, await checkout.setup(tenant, resourceId, body ?? {})),
    }),
    route({
      method: 'post',
      path: '/api/v1/billing/checkout',
      operationId: 'checkout',
      tag,
      summary: 'Pay for a fixed tier',
      description:
        'Fixed tier plans, each so much prepaid credit. To be removed in a future breaking revision; use ' +
        '`POST /api/v1/billing/setup`.',
      deprecated: CHECKOUT_DEPRECATION,
      auth: 'tenant_live',
      body: checkoutRequest,
      requiredFields: ['plan'],
      responses: {
        200: {
          description: 'Where to send the user.',
          schema: checkoutResponse,
        },
      },
      errors: PROVIDER_ERRORS,
      handler: async ({ tenant, resourceId, body }) =>
        reply(200, await checkout.buy(tenant, resourceId, body, body.plan!)),
    }),
    route({
      method: 'post',
      path: '/api/v1/billing/portal',
      operationId: 'openBillingPortal',
      tag,
      summary: "Open the payment provider's portal",
      description: 'Invoices and payment methods. 409 for a tenant that never set up billing.',
      auth: 'tenant_live',
      responses: { 200: { description: 'Where to send the user.', schema: portalResponse } },
      errors: ['payment_customer_missing', ...PROVIDER_ERRORS],
      handler: async ({ tenant }) => {
        const url = await checkout.portal(tenant);
        return reply(200, { portal_url: url, url });
      },
    }),
  ];
}
