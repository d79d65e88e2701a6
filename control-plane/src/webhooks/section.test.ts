import { createHmac, timingSafeEqual } from 'node:crypto';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { ComponentSchemas } from '../platform/http/openapi/component-schemas.js';
import { EVENT_TYPES } from './events/event-types.js';
import { EVENTS_TAG, openApiWebhooks } from './openapi-webhooks.js';
import { webhooksSection } from './section.js';
import { newSigningSecret, signatureHeader } from './subscriptions/signature.js';

describe("the description's example of verifying", () => {
  const code = /```js\n([\s\S]*?)```/.exec(webhooksSection('X-Acme-'))?.[1] ?? '';
  const secret = newSigningSecret();
  const verify = (rawBody: string, signedAt: number, signedBody = rawBody): unknown =>
    runInNewContext(`(() => { ${code} return genuine; })()`, {
      createHmac,
      timingSafeEqual,
      Buffer,
      Math,
      Date,
      secret,
      rawBody,
      request: { headers: { 'x-acme-signature': signatureHeader(secret, signedBody, signedAt) } },
    });

  // @rule 6.12
  it('accepts what is sent, and nothing that was changed or is old', () => {
    expect(verify('{"a":1}', Date.now())).toBe(true);
    expect(verify('{"a":2}', Date.now(), '{"a":1}')).toBe(false);
    expect(verify('{"a":1}', Date.now() - 302_000)).toBe(false);
    expect(verify('{"a":1}', Date.now() + 302_000)).toBe(false);
  });
});

describe("the description's words on retries", () => {
  it('name the attempts and the hours', () => {
    expect(webhooksSection('X-Acme-')).toContain('10 attempts over 24 hours');
  });
});

describe("the description's webhooks", () => {
  it('are the events of the catalog, with schema and example', () => {
    const schemas = new ComponentSchemas();
    const webhooks = openApiWebhooks('X-Acme-', schemas);
    expect(Object.keys(webhooks)).toEqual(Object.keys(EVENT_TYPES));
    expect(webhooks['campaign.contact.completed']).toMatchObject({
      post: { operationId: 'event_campaign_contact_completed' },
    });
    expect(EVENTS_TAG).toBe('Events');
    expect(webhooks['call.failed']).toMatchObject({
      post: {
        operationId: 'event_call_failed',
        tags: [EVENTS_TAG],
        parameters: ['Event', 'Event-Id', 'Signature'].map((name) => ({
          name: `X-Acme-${name}`,
          in: 'header',
          required: true,
          schema: { type: 'string' },
        })),
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: { $ref: '#/components/schemas/CallFailedEvent' },
              example: { event_type: 'call.failed', data: { error_code: 'carrier_failed' } },
            },
          },
        },
      },
    });
    expect(schemas.all()).toMatchObject({
      CallFailedEvent: {
        properties: {
          event_type: { const: 'call.failed' },
          data: { $ref: '#/components/schemas/CallFailedEventData' },
        },
      },
      CallFailedEventData: {
        required: ['call_id', 'agent_id', 'direction', 'from', 'to', 'status', 'error_code', 'error_message'],
      },
    });
  });
});
