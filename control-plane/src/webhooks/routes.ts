import { uuid } from '@voice/shared/contracts/primitives';
import { z } from 'zod';
import { eventCatalog } from '../events/catalog.js';
import { queryInt } from '../http/query.js';
import { noContent, type Route, reply, route } from '../http/route.js';
import { configRoutes } from './config-routes.js';
import type { Deliveries } from './deliveries.js';
import {
  deliveryResponse,
  eventCatalogResponse,
  testFireRequest,
  webhookCreate,
  webhookCreateResponse,
  webhookResponse,
  webhookUpdate,
} from './schemas.js';
import type { Subscriptions } from './subscriptions.js';

const tag = 'Webhooks';
const params = z.object({ webhook_id: uuid });

export interface WebhookRoutesDeps {
  readonly subscriptions: Subscriptions;
  readonly deliveries: Deliveries;
}

/** Paths of fixed words come before those with a parameter. */
export function webhookRoutes(deps: WebhookRoutesDeps): readonly Route[] {
  return [
    route({
      method: 'get',
      path: '/api/v1/webhooks/event-types',
      operationId: 'listEventTypes',
      tag,
      summary: 'The event catalog',
      description: 'Every public event type, with the JSON Schema of its body and an example.',
      auth: 'none',
      responses: { 200: { description: 'The catalog.', schema: eventCatalogResponse } },
      handler: async () => reply(200, { event_types: eventCatalog() }),
    }),
    ...configRoutes(deps.subscriptions),
    ...subscriptionRoutes(deps.subscriptions),
    ...deliveryRoutes(deps.deliveries),
  ];
}

function subscriptionRoutes(subscriptions: Subscriptions): Route[] {
  return [
    route({
      method: 'get',
      path: '/api/v1/webhooks',
      operationId: 'listWebhooks',
      tag,
      summary: 'List webhook subscriptions',
      auth: 'tenant',
      responses: { 200: { description: 'All, newest first.', schema: z.array(webhookResponse) } },
      handler: async ({ tenant }) => reply(200, await subscriptions.list(tenant)),
    }),
    route({
      method: 'post',
      path: '/api/v1/webhooks',
      operationId: 'createWebhook',
      tag,
      summary: 'Create a webhook subscription',
      description: 'The answer holds the signing secret, this once.',
      auth: 'tenant_in_mode',
      body: webhookCreate,
      responses: { 201: { description: 'The subscription and its secret.', schema: webhookCreateResponse } },
      errors: ['webhook_limit_reached'],
      handler: async ({ tenant, sandbox, resourceId, body }) =>
        reply(
          201,
          await subscriptions.create(tenant, resourceId, { ...body, sandbox: body.sandbox ?? sandbox }),
        ),
    }),
    route({
      method: 'get',
      path: '/api/v1/webhooks/{webhook_id}',
      operationId: 'getWebhook',
      tag,
      summary: 'Get a webhook subscription',
      auth: 'tenant',
      params,
      responses: { 200: { description: 'The subscription.', schema: webhookResponse } },
      errors: ['webhook_not_found'],
      handler: async ({ tenant, params }) => reply(200, await subscriptions.get(tenant, params.webhook_id)),
    }),
    route({
      method: 'patch',
      path: '/api/v1/webhooks/{webhook_id}',
      operationId: 'updateWebhook',
      tag,
      summary: 'Change a webhook subscription',
      description:
        'Only the given fields change. A subscription keeps its mode: for the other, create another one.',
      auth: 'tenant',
      params,
      body: webhookUpdate,
      responses: { 200: { description: 'The subscription after the change.', schema: webhookResponse } },
      errors: ['webhook_not_found'],
      handler: async ({ tenant, params, body }) =>
        reply(200, await subscriptions.update(tenant, params.webhook_id, body)),
    }),
    route({
      method: 'delete',
      path: '/api/v1/webhooks/{webhook_id}',
      operationId: 'deleteWebhook',
      tag,
      summary: 'Delete a webhook subscription',
      description: 'Deliveries that wait for it are skipped.',
      auth: 'tenant',
      params,
      responses: { 204: { description: 'It is gone.' } },
      errors: ['webhook_not_found'],
      handler: async ({ tenant, params }) => {
        await subscriptions.delete(tenant, params.webhook_id);
        return noContent();
      },
    }),
  ];
}

function deliveryRoutes(deliveries: Deliveries): Route[] {
  return [
    route({
      method: 'get',
      path: '/api/v1/webhooks/{webhook_id}/deliveries',
      operationId: 'listWebhookDeliveries',
      tag,
      summary: 'List deliveries',
      description: 'Every attempt is an entry. The last 30 days are kept.',
      auth: 'tenant',
      params,
      query: z.object({ limit: queryInt({ min: 1, max: 500, default: 50 }) }),
      responses: { 200: { description: 'Attempts, newest first.', schema: z.array(deliveryResponse) } },
      errors: ['webhook_not_found'],
      handler: async ({ tenant, params, query }) =>
        reply(200, await deliveries.list(tenant, params.webhook_id, query.limit)),
    }),
    route({
      method: 'post',
      path: '/api/v1/webhooks/deliveries/{delivery_id}/replay',
      operationId: 'replayWebhookDelivery',
      tag,
      summary: 'Send a delivery again',
      description: 'A new delivery of the same `event_id` with the same bytes, signed anew.',
      auth: 'tenant',
      params: z.object({ delivery_id: uuid }),
      responses: { 202: { description: 'The new delivery.', schema: deliveryResponse } },
      errors: ['delivery_not_found'],
      handler: async ({ tenant, params, resourceId }) =>
        reply(202, await deliveries.replay(tenant, params.delivery_id, resourceId)),
    }),
    route({
      method: 'post',
      path: '/api/v1/webhooks/{webhook_id}/test',
      operationId: 'testWebhook',
      tag,
      summary: 'Send a test event',
      description: 'A synthetic event to this subscription alone, whatever it opted into.',
      auth: 'tenant',
      params,
      body: testFireRequest,
      responses: { 202: { description: 'The delivery of the test event.', schema: deliveryResponse } },
      errors: ['webhook_not_found'],
      handler: async ({ tenant, params, body, resourceId }) =>
        reply(202, await deliveries.test(tenant, params.webhook_id, resourceId, body)),
    }),
  ];
}
