import { uuid } from '@voice/shared/contracts/primitives';
import { asTenantId, type TenantId } from '@voice/shared/ids/ids';
import { z } from 'zod';
import { apiError } from '../platform/http/error-codes.js';
import { type Route, reply, route } from '../platform/http/route.js';
import { fromUsd } from '../platform/money/micro-dollars.js';
import type { Accounts } from './accounts.js';
import type { Checkout } from './checkout.js';
import { accountResponse, creditGrant, dailyCapChange } from './schemas.js';

const tag = 'Internal';
const params = z.object({ tenant_id: uuid });
const account = { description: 'The account now.', schema: accountResponse };

export interface BillingInternalRoutesOptions {
  readonly accounts: Accounts;
  readonly tenantExists: (tenant: TenantId) => Promise<boolean>;
}

/** Declares the route for what the payment provider sends, signed by it. */
export function paymentIntakeRoutes({ checkout }: { readonly checkout: Checkout }): Route[] {
  return [
    route({
      method: 'post',
      path: '/internal/payments/stripe',
      operationId: 'stripeEvent',
      tag,
      summary: 'What Stripe reports; signed by `Stripe-Signature`',
      auth: 'none',
      responses: { 200: { description: 'Heard.', schema: z.object({ received: z.string() }) } },
      errors: ['invalid_signature', 'payment_provider_error', 'payment_provider_timeout'],
      handler: async ({ rawBody, request }) =>
        reply(200, { received: await checkout.take(rawBody, request.get('stripe-signature')) }),
    }),
  ];
}

/** Declares the routes of what the operator decides. */
export function billingInternalRoutes(options: BillingInternalRoutesOptions): Route[] {
  const { accounts } = options;
  const known = async (id: string): Promise<TenantId> => {
    const tenant = asTenantId(id);
    if (!(await options.tenantExists(tenant))) throw apiError('tenant_not_found');
    return tenant;
  };
  return [
    route({
      method: 'get',
      path: '/internal/billing/tenants/{tenant_id}',
      operationId: 'getAccount',
      tag,
      summary: "A tenant's account",
      auth: 'inter_plane',
      params,
      responses: { 200: account },
      errors: ['tenant_not_found'],
      handler: async ({ params }) => reply(200, await accounts.present(await known(params.tenant_id))),
    }),
    route({
      method: 'post',
      path: '/internal/billing/tenants/{tenant_id}/credit',
      operationId: 'grantCredit',
      tag,
      summary: 'Grant credit; once an `id`',
      auth: 'inter_plane',
      params,
      body: creditGrant,
      responses: { 200: account },
      errors: ['tenant_not_found'],
      handler: async ({ params, body }) => {
        const tenant = await known(params.tenant_id);
        await accounts.addCredit(tenant, `operator:${body.id}`, fromUsd(body.amount_usd), body.reason);
        return reply(200, await accounts.present(tenant));
      },
    }),
    route({
      method: 'put',
      path: '/internal/billing/tenants/{tenant_id}/daily-cap',
      operationId: 'setDailyCap',
      tag,
      summary: 'Set the most that a tenant may spend a day (UTC); null takes it away',
      auth: 'inter_plane',
      params,
      body: dailyCapChange,
      responses: { 200: account },
      errors: ['tenant_not_found'],
      handler: async ({ params, body, resourceId }) => {
        const tenant = await known(params.tenant_id);
        const limit = body.limit_usd === null ? null : fromUsd(body.limit_usd);
        await accounts.setDailyCap(tenant, resourceId, limit);
        return reply(200, await accounts.present(tenant));
      },
    }),
  ];
}
