import { z } from 'zod';
import { dropPatternsOfFormats } from '../../platform/http/openapi/json-schema.js';
import { dropLanguageBounds } from '../../platform/http/openapi/number-bounds.js';
import { EVENT_TYPES, type EventType } from './event-types.js';
import type { TenantEvent } from './tenant-events.js';

/** The body of a delivery around its `data` (specification, section 6: "Request shape"). */
const eventEnvelope = z.object({
  event_id: z.string(),
  event_type: z.string(),
  tenant_id: z.string(),
  sandbox: z.boolean(),
  occurred_at: z.number().int().describe('Unix seconds.'),
  data: z.record(z.string(), z.unknown()),
});
type EventEnvelope = z.infer<typeof eventEnvelope>;

/** Returns the text that is sent and signed. It is made once: every attempt and replay sends the same bytes. */
export function envelopeText<T extends EventType>(event: TenantEvent<T>): string {
  return envelopeOf(event, EVENT_TYPES[event.type].data.parse(event.data));
}

/** Makes the same around data that a tenant made up for a test. */
export function envelopeOf(event: Omit<TenantEvent, 'data'>, data: Record<string, unknown>): string {
  const envelope: EventEnvelope = {
    event_id: event.id,
    event_type: event.type,
    tenant_id: event.tenant,
    sandbox: event.sandbox,
    occurred_at: Math.floor(event.occurredAt / 1000),
    data,
  };
  return JSON.stringify(envelope);
}

/** JSON Schema of the whole body of an event type, for the catalog. */
export function envelopeJsonSchema(type: EventType): Record<string, unknown> {
  const schema = eventEnvelope.extend({ event_type: z.literal(type), data: EVENT_TYPES[type].data });
  return z.toJSONSchema(schema, {
    io: 'output',
    override: ({ jsonSchema }) => {
      dropLanguageBounds(jsonSchema);
      dropPatternsOfFormats(jsonSchema);
      // Receivers must expect new fields.
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
    },
  }) as Record<string, unknown>;
}
