import type { ComponentSchemas } from '../platform/http/openapi/component-schemas.js';
import { pascal } from '../platform/http/openapi/json-schema.js';
import { eventCatalog } from './events/catalog.js';

/** Of their own: generated clients keep one file for each tag. */
export const EVENTS_TAG = 'Events';

/** Describes the events as OpenAPI 3.1 `webhooks`: what a receiver is sent and what it is expected to answer. */
export function openApiWebhooks(
  headerPrefix: string,
  schemas: ComponentSchemas,
): Record<string, Record<string, unknown>> {
  const header = (name: string, description: string) => ({
    name: `${headerPrefix}${name}`,
    in: 'header',
    required: true,
    description,
    schema: { type: 'string' },
  });
  return Object.fromEntries(
    eventCatalog().map(({ event_type: type, description, json_schema, example }) => {
      const { $schema: _, ...body } = json_schema;
      const schema = schemas.ofJson(body, 'output', `${pascal(type)}Event`);
      const post = {
        operationId: `event_${type.replaceAll('.', '_')}`,
        tags: [EVENTS_TAG],
        summary: type,
        description,
        security: [],
        parameters: [
          header('Event', 'The event type.'),
          header('Event-Id', 'The same as `event_id`.'),
          header('Signature', '`t=<unix seconds>,v1=<hex>`'),
        ],
        requestBody: { required: true, content: { 'application/json': { schema, example } } },
        responses: { '2XX': { description: 'Received. Everything else is retried.' } },
      };
      return [type, { post }];
    }),
  );
}
