import { uuid } from '@voice/shared/contracts/primitives';
import { z } from 'zod';
import { queryCursor, queryInt } from '../../platform/http/query.js';
import { type Route, reply, route } from '../../platform/http/route.js';
import type { TenantScope } from '../../platform/store/tenant-scope.js';
import type { Deliveries } from '../../webhooks/deliveries/deliveries.js';
import { callDeliveriesResponse } from '../../webhooks/schemas.js';

interface CallDeliveryRoutesOptions {
  /** Throws 404 `call_not_found` for a call that is another's, or in the other mode. */
  readonly requireCall: (scope: TenantScope, callId: string) => Promise<unknown>;
  readonly deliveriesOfCall: Deliveries['listOfCall'];
}

/** Declares the route of the webhooks of a call: webhooks know its events, and only calls whether it is there. */
export function callDeliveryRoutes({ requireCall, deliveriesOfCall }: CallDeliveryRoutesOptions): Route[] {
  return [
    route({
      method: 'get',
      path: '/api/v1/calls/{call_id}/deliveries',
      operationId: 'listCallDeliveries',
      tag: 'Calls',
      summary: "List the webhook deliveries of a call's events",
      description:
        'To all subscriptions, newest first. Every attempt is an entry, those of a replay too; tests are of no call. The ' +
        'last 30 days are kept.',
      auth: 'tenant_in_mode',
      params: z.object({ call_id: uuid }),
      query: z.object({
        cursor: queryCursor,
        limit: queryInt({ min: 1, max: 500, default: 50 }),
      }),
      responses: { 200: { description: 'A page of attempts.', schema: callDeliveriesResponse } },
      errors: ['call_not_found', 'invalid_cursor'],
      handler: async ({ scope, params: { call_id }, query }) => {
        await requireCall(scope, call_id);
        return reply(200, await deliveriesOfCall(scope, call_id, query));
      },
    }),
  ];
}
