import { asTenantId } from '@voice/shared/ids/ids';
import { describe, expect, it } from 'vitest';
import { exampleData } from './catalog.js';
import { envelopeJsonSchema, envelopeOf, envelopeText } from './envelope.js';

const event = {
  id: 'an event',
  type: 'agent.activated' as const,
  tenant: asTenantId('a tenant'),
  sandbox: true,
  occurredAt: 1_767_625_200_999,
};

describe('the body of a delivery', () => {
  it('names event, type, tenant, mode and the whole second, around the data', () => {
    expect(JSON.parse(envelopeOf(event, { hello: 'world' }))).toEqual({
      event_id: 'an event',
      event_type: 'agent.activated',
      tenant_id: 'a tenant',
      sandbox: true,
      occurred_at: 1_767_625_200,
      data: { hello: 'world' },
    });
  });

  it('holds of the data what the catalog knows, and nothing that it does not', () => {
    const data = { ...exampleData('agent.activated'), internal: 'notes' };
    expect(JSON.parse(envelopeText({ ...event, data })).data).toEqual(exampleData('agent.activated'));
    expect(() => envelopeText({ ...event, data: { agent_id: 'none' } })).toThrow();
  });
});

describe('the JSON Schema of a body', () => {
  it('lets receivers expect new fields, and bounds what the service bounds', () => {
    const schema = envelopeJsonSchema('campaign.completed');
    expect(JSON.stringify(schema)).not.toContain('additionalProperties');
    expect(schema).toMatchObject({
      required: ['event_id', 'event_type', 'tenant_id', 'sandbox', 'occurred_at', 'data'],
      properties: {
        event_type: { const: 'campaign.completed' },
        occurred_at: { type: 'integer', description: 'Unix seconds.' },
        data: {
          properties: {
            campaign_id: { type: 'string', format: 'uuid' },
            success_count: { type: 'integer', minimum: 0 },
          },
        },
      },
    });
    const { properties } = schema as { properties: Record<string, Record<string, unknown>> };
    expect(properties.occurred_at).not.toHaveProperty('minimum');
    expect(properties.occurred_at).not.toHaveProperty('maximum');
    const { data } = properties as unknown as { data: typeof schema & { properties: typeof properties } };
    expect(data.properties.campaign_id).not.toHaveProperty('pattern');
    expect(data.properties.success_count).not.toHaveProperty('maximum');
  });

  it('keeps a record of anything open', () => {
    expect(envelopeJsonSchema('analysis.ready')).toMatchObject({
      properties: {
        data: { properties: { tool_executions: { type: 'array', items: { type: 'object' } } } },
      },
    });
  });
});
