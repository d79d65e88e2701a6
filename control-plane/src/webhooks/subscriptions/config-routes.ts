import { noContent, type Route, reply, route } from '../../platform/http/route.js';
import { webhookConfigRequest, webhookConfigResponse } from '../schemas.js';
import type { Subscriptions } from './subscriptions.js';

const tag = 'Webhooks';
const path = '/api/v1/webhooks/config';

/** Serves the tenant-level single webhook: it receives every event of the mode of the key that set it. */
export function configRoutes(subscriptions: Subscriptions): Route[] {
  return [
    route({
      method: 'get',
      path,
      operationId: 'getWebhookConfig',
      tag,
      summary: "Get the tenant's single webhook",
      auth: 'tenant_in_mode',
      responses: {
        200: {
          description: 'Where it points; `url` is null when none is set.',
          schema: webhookConfigResponse,
        },
      },
      handler: async ({ scope }) => reply(200, await subscriptions.config(scope)),
    }),
    route({
      method: 'put',
      path,
      operationId: 'setWebhookConfig',
      tag,
      summary: "Set the tenant's single webhook",
      description: 'Generates a signing secret if none exists; the answer holds it, this once.',
      auth: 'tenant_in_mode',
      body: webhookConfigRequest,
      responses: { 200: { description: 'The webhook as it is now.', schema: webhookConfigResponse } },
      handler: async ({ scope, body }) => reply(200, await subscriptions.setConfig(scope, body.url)),
    }),
    route({
      method: 'delete',
      path,
      operationId: 'deleteWebhookConfig',
      tag,
      summary: "Remove the tenant's single webhook",
      auth: 'tenant_in_mode',
      responses: { 204: { description: 'There is none any more.' } },
      handler: async ({ scope }) => {
        await subscriptions.deleteConfig(scope);
        return noContent();
      },
    }),
  ];
}
