import { uuid } from '@voice/shared/contracts/primitives';
import { z } from 'zod';
import { DELIVERY_ORIGINS, DELIVERY_STATUSES } from './deliveries/delivery-model.js';
import { MAX_ATTEMPTS } from './deliveries/retry-schedule.js';
import { EVENT_TYPES, type EventType } from './events/event-types.js';

const timestamp = z.iso.datetime();
const EVENT_NAMES = Object.keys(EVENT_TYPES) as [EventType, ...EventType[]];

export const eventType = z.enum(EVENT_NAMES);
const url = z
  .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
  .max(2048)
  .describe('http or https, at a public address.');

/** What a subscription opts into. */
export const eventTypes = z
  .array(z.enum(['*', ...EVENT_NAMES]))
  .min(1)
  .refine((list) => new Set(list).size === list.length, 'must not name a type twice')
  .refine((list) => list.length === 1 || !list.includes('*'), '`*` stands alone')
  .describe('Event types, or the single entry `*` for all.');

const description = z.string().max(255).describe('For yourself.');

export const webhookCreate = z
  .strictObject({
    url,
    event_types: eventTypes.default(['*']),
    sandbox: z
      .boolean()
      .optional()
      .describe('Whether to receive sandbox or production events, never both. Default: the mode of the key.'),
    description: description.default(''),
  })
  .meta({ id: 'WebhookCreate' });
export type WebhookCreate = z.infer<typeof webhookCreate>;

export const webhookUpdate = z
  .strictObject({
    url: url.optional(),
    event_types: eventTypes.optional(),
    is_active: z
      .boolean()
      .optional()
      .describe('Switched off, it receives nothing, and deliveries that wait for it are skipped.'),
    description: description.optional(),
  })
  .meta({ id: 'WebhookUpdate' });
export type WebhookUpdate = z.infer<typeof webhookUpdate>;

const webhook = {
  id: uuid,
  url: z.string(),
  event_types: z.array(z.string()),
  sandbox: z.boolean(),
  is_active: z.boolean(),
  description: z.string(),
  created_at: timestamp,
  updated_at: timestamp,
};
export const webhookResponse = z.object(webhook).meta({ id: 'WebhookResponse' });
export type WebhookResponse = z.infer<typeof webhookResponse>;

const secret = z
  .string()
  .describe('Key of the HMAC-SHA256 signature: the whole text as it is. Shown this once.');
export const webhookCreateResponse = z.object({ ...webhook, secret }).meta({ id: 'WebhookCreateResponse' });
export type WebhookCreateResponse = z.infer<typeof webhookCreateResponse>;

export const deliveryResponse = z
  .object({
    id: uuid,
    webhook_id: uuid,
    event_id: uuid,
    event_type: z.string(),
    url: z.string(),
    attempt: z.number().int().min(1).max(MAX_ATTEMPTS),
    status: z
      .enum(DELIVERY_STATUSES)
      .describe(
        'Of this attempt. `failed` is followed by a row of the next attempt, unless it was the last; ' +
          '`skipped`: the subscription is gone or switched off.',
      ),
    response_status: z.number().int().nullable().describe('Null when there was no answer.'),
    error: z.string().nullable(),
    origin: z.enum(DELIVERY_ORIGINS).describe('The event itself, a replay, or a test.'),
    next_attempt_at: timestamp.nullable().describe('When a pending attempt is due.'),
    created_at: timestamp,
    delivered_at: timestamp.nullable(),
  })
  .meta({ id: 'DeliveryResponse' });
export type DeliveryResponse = z.infer<typeof deliveryResponse>;

/** Also what the list of a call's deliveries answers, which is of the calls. */
export const callDeliveriesResponse = z
  .object({
    deliveries: z.array(deliveryResponse).describe('Attempts, newest first.'),
    has_more: z.boolean(),
    next_cursor: z.string().nullable(),
  })
  .meta({ id: 'CallDeliveriesResponse' });
export type CallDeliveriesResponse = z.infer<typeof callDeliveriesResponse>;

export const deliveryDetail = deliveryResponse
  .extend({
    body: z
      .string()
      .nullable()
      .describe('The very text that is sent and signed; null once its call was erased.')
      .meta({ examples: ['{"event_id":"…","event_type":"call.started","data":{}}'] }),
  })
  .meta({ id: 'DeliveryDetailResponse' });
export type DeliveryDetail = z.infer<typeof deliveryDetail>;

const eventResponse = z
  .object({
    id: uuid,
    event_type: z.string(),
    call_id: uuid.nullable().describe('The call that it is of; null for what is of no call.'),
    body: z
      .string()
      .describe('The very text that receivers are sent.')
      .meta({ examples: ['{"event_id":"…","event_type":"call.started","data":{}}'] }),
    created_at: timestamp,
  })
  .meta({ id: 'EventResponse' });

export const eventListResponse = z
  .object({ events: z.array(eventResponse), has_more: z.boolean(), next_cursor: z.string().nullable() })
  .meta({ id: 'EventListResponse' });
export type EventListResponse = z.infer<typeof eventListResponse>;

export const testFireRequest = z
  .strictObject({
    event_type: eventType,
    payload: z
      .record(z.string(), z.unknown())
      .refine((data) => JSON.stringify(data).length <= 65_536, 'must not be larger than 64 KB as JSON')
      .optional()
      .describe("The event's `data`. Default: the example of the catalog."),
  })
  .meta({ id: 'TestFireRequest' });
export type TestFireRequest = z.infer<typeof testFireRequest>;

export const webhookConfigRequest = z.strictObject({ url }).meta({ id: 'WebhookConfigRequest' });

export const webhookConfigResponse = z
  .object({
    webhook_id: uuid.nullable().describe('For its deliveries and tests. Null when none is set.'),
    url: z.string().nullable(),
    sandbox: z.boolean().describe('There is one for each mode; the key chooses.'),
    has_secret: z.boolean(),
    secret: z.string().nullable().describe('Only in the answer to the request that generated it.'),
    updated_at: timestamp.nullable(),
  })
  .meta({ id: 'WebhookConfigResponse' });
export type WebhookConfigResponse = z.infer<typeof webhookConfigResponse>;

export const eventCatalogResponse = z
  .object({
    event_types: z.array(
      z.object({
        event_type: z.string(),
        description: z.string(),
        json_schema: z.record(z.string(), z.unknown()).describe('JSON Schema of the body that is sent.'),
        example: z.record(z.string(), z.unknown()).describe('A body as it is sent.'),
      }),
    ),
  })
  .meta({ id: 'EventCatalogResponse' });
export type EventCatalogResponse = z.infer<typeof eventCatalogResponse>;
