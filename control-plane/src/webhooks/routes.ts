import type { Clock } from '@voice/shared/clock/clock';
import { uuid } from '@voice/shared/contracts/primitives';
import { z } from 'zod';
import { scopeToMakeIn } from '../platform/http/mode.js';
import { queryCursor, queryInt } from '../platform/http/query.js';
import { noContent, type Route, reply, route } from '../platform/http/route.js';
import type { Deliveries } from './deliveries/deliveries.js';
import { eventCatalog } from './events/catalog.js';
import type { EventLog } from './events/event-log.js';
import { listenRoute } from './listeners/listen-route.js';
import type { Listeners } from './listeners/listeners.js';
import {
  deliveryDetail,
  deliveryResponse,
  eventCatalogResponse,
  eventListResponse,
  eventType,
  testFireRequest,
  webhookCreate,
  webhookCreateResponse,
  webhookResponse,
  webhookUpdate,
} from './schemas.js';
import { configRoutes } from './subscriptions/config-routes.js';
import type { Subscriptions } from './subscriptions/subscriptions.js';

const tag = 'Webhooks';
const params = z.object({ webhook_id: uuid });

export interface WebhookRoutesOptions {
  readonly subscriptions: Subscriptions;
  readonly deliveries: Deliveries;
  readonly events: Pick<EventLog, 'list'>;
  readonly listeners: Pick<Listeners, 'admit' | 'accept'>;
  readonly clock: Pick<Clock, 'schedule'>;
}

/** Paths of fixed words come before those with a parameter. */
export function webhookRoutes(options: WebhookRoutesOptions): readonly Route[] {
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
    route({
      method: 'get',
      path: '/api/v1/events',
      operationId: 'listEvents',
      tag,
      summary: 'List the events that were published',
      description:
        'Newest first, whether or not a webhook takes them; tests are left out. They are kept for 32 days; those of a call go with it when ' +
        'it is erased. A page may be shorter than `limit` where some are left out: `has_more` says whether others follow.',
      auth: 'tenant_in_mode',
      query: z.object({
        cursor: queryCursor,
        limit: queryInt({ min: 1, max: 100, default: 50 }),
        event_type: eventType.optional().describe('Only events of this type.'),
      }),
      responses: { 200: { description: 'A page of events.', schema: eventListResponse } },
      errors: ['invalid_cursor'],
      handler: async ({ scope, query }) => reply(200, await options.events.list(scope, query)),
    }),
    ...configRoutes(options.subscriptions),
    listenRoute(options.listeners, options.clock),
    ...subscriptionRoutes(options.subscriptions),
    ...deliveryRoutes(options.deliveries),
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
      auth: 'tenant_in_mode',
      responses: {
        200: { description: 'All of this mode, newest first.', schema: z.array(webhookResponse) },
      },
      handler: async ({ scope }) => reply(200, await subscriptions.list(scope)),
    }),
    route({
      method: 'post',
      path: '/api/v1/webhooks',
      operationId: 'createWebhook',
      tag,
      summary: 'Create a webhook subscription',
      description:
        'The answer holds the signing secret, this once. In production also for the sandbox (`sandbox: true`); a ' +
        'sandbox key makes sandbox subscriptions alone.',
      auth: 'tenant_in_mode',
      body: webhookCreate,
      responses: { 201: { description: 'The subscription and its secret.', schema: webhookCreateResponse } },
      errors: ['webhook_limit_reached', 'live_mode_required'],
      handler: async ({ scope, resourceId, body: { sandbox, ...wanted } }) =>
        reply(201, await subscriptions.create(scopeToMakeIn(scope, sandbox), resourceId, wanted)),
    }),
    route({
      method: 'get',
      path: '/api/v1/webhooks/{webhook_id}',
      operationId: 'getWebhook',
      tag,
      summary: 'Get a webhook subscription',
      auth: 'tenant_in_mode',
      params,
      responses: { 200: { description: 'The subscription.', schema: webhookResponse } },
      errors: ['webhook_not_found'],
      handler: async ({ scope, params }) => reply(200, await subscriptions.get(scope, params.webhook_id)),
    }),
    route({
      method: 'patch',
      path: '/api/v1/webhooks/{webhook_id}',
      operationId: 'updateWebhook',
      tag,
      summary: 'Change a webhook subscription',
      description:
        'Only the given fields change. A subscription keeps its mode: for the other, create another one.',
      auth: 'tenant_in_mode',
      params,
      body: webhookUpdate,
      responses: { 200: { description: 'The subscription after the change.', schema: webhookResponse } },
      errors: ['webhook_not_found'],
      handler: async ({ scope, params, body }) =>
        reply(200, await subscriptions.update(scope, params.webhook_id, body)),
    }),
    route({
      method: 'delete',
      path: '/api/v1/webhooks/{webhook_id}',
      operationId: 'deleteWebhook',
      tag,
      summary: 'Delete a webhook subscription',
      description: 'Deliveries that wait for it are skipped.',
      auth: 'tenant_in_mode',
      params,
      responses: { 204: { description: 'It is gone.' } },
      errors: ['webhook_not_found'],
      handler: async ({ scope, params }) => {
        await subscriptions.delete(scope, params.webhook_id);
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
      auth: 'tenant_in_mode',
      params,
      query: z.object({ limit: queryInt({ min: 1, max: 500, default: 50 }) }),
      responses: { 200: { description: 'Attempts, newest first.', schema: z.array(deliveryResponse) } },
      errors: ['webhook_not_found'],
      handler: async ({ scope, params, query }) =>
        reply(200, await deliveries.list(scope, params.webhook_id, query.limit)),
    }),
    route({
      method: 'get',
      path: '/api/v1/webhooks/deliveries/{delivery_id}/detail',
      operationId: 'getWebhookDelivery',
      tag,
      summary: 'Get a delivery with its body',
      auth: 'tenant_in_mode',
      params: z.object({ delivery_id: uuid }),
      responses: { 200: { description: 'The attempt, and what it sends.', schema: deliveryDetail } },
      errors: ['delivery_not_found'],
      handler: async ({ scope, params }) => reply(200, await deliveries.get(scope, params.delivery_id)),
    }),
    route({
      method: 'post',
      path: '/api/v1/webhooks/deliveries/{delivery_id}/replay',
      operationId: 'replayWebhookDelivery',
      tag,
      summary: 'Send a delivery again',
      description: 'A new delivery of the same `event_id` with the same bytes, signed anew.',
      auth: 'tenant_in_mode',
      params: z.object({ delivery_id: uuid }),
      responses: { 202: { description: 'The new delivery.', schema: deliveryResponse } },
      errors: ['delivery_not_found'],
      handler: async ({ scope, params, resourceId }) =>
        reply(202, await deliveries.replay(scope, params.delivery_id, resourceId)),
    }),
    route({
      method: 'post',
      path: '/api/v1/webhooks/{webhook_id}/test',
      operationId: 'testWebhook',
      tag,
      summary: 'Send a test event',
      description: 'A synthetic event to this subscription alone, whatever it opted into.',
      auth: 'tenant_in_mode',
      params,
      body: testFireRequest,
      responses: { 202: { description: 'The delivery of the test event.', schema: deliveryResponse } },
      errors: ['webhook_not_found'],
      handler: async ({ scope, params, body, resourceId }) =>
        reply(202, await deliveries.test(scope, params.webhook_id, resourceId, body)),
    }),
  ];
}
