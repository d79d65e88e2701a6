import { describe, expect, it } from 'vitest';
import { eventCatalog, exampleData } from './catalog.js';
import { EVENT_TYPES, type EventType } from './event-types.js';

const types = Object.keys(EVENT_TYPES) as EventType[];

describe('the example of an event', () => {
  it.each(types)('%s holds nothing that its schema does not know', (type) => {
    const { data } = EVENT_TYPES[type];
    expect(data.strict().parse(exampleData(type))).toEqual(exampleData(type));
    // Neither does an empty text say anything.
    expect(JSON.stringify(exampleData(type))).not.toContain('""');
  });

  it('is of one and the same call wherever it is of a call', () => {
    const { call_id, agent_id, direction, from, to } = exampleData('call.started');
    for (const type of types.filter((name) => name.startsWith('call.') || name.endsWith('.ready'))) {
      expect(exampleData(type)).toMatchObject({ call_id, agent_id, direction, from, to });
    }
    for (const type of ['agent.activated', 'agent.deactivated'] as const) {
      expect(exampleData(type)).toEqual({ agent_id });
    }
    expect(exampleData('campaign.contact.completed').call_id).toBe(call_id);
    expect(exampleData('usage.credit_exhausted').last_call_id).toBe(call_id);
    expect(exampleData('transcript.ready').transcript_url).toContain(`/api/v1/calls/${call_id}/`);
  });

  it('of a recording opens until the time that is given with it', () => {
    const recording = exampleData('recording.ready');
    const { recording_url: address, recording_url_expires_at: until, duration_ms } = recording;
    expect(new URL(address).searchParams.get('expires')).toBe(String(Date.parse(until)));
    expect(exampleData('call.completed')).toMatchObject({
      recording_url: address,
      recording_url_expires_at: until,
      duration_ms,
    });
  });

  it('of an analysis says what the end of its call said', () => {
    const { outcome, summary } = exampleData('analysis.ready');
    expect(exampleData('call.completed')).toMatchObject({ outcome, summary });
    expect(exampleData('campaign.contact.completed').outcome).toBe(outcome);
  });

  it('of a campaign counts each contact once', () => {
    const { total_contacts, success_count, failure_count, no_answer_count } =
      exampleData('campaign.completed');
    expect(success_count + failure_count + no_answer_count).toBe(total_contacts);
    expect(exampleData('campaign.started').total_contacts).toBe(total_contacts);
  });

  it('of a cap that comes near has spent at least 80 % of the limit, and not all', () => {
    const { spent_usd: spent, limit_usd: limit } = exampleData('usage.daily_cap_approaching');
    expect(spent / limit).toBeGreaterThanOrEqual(0.8);
    expect(spent).toBeLessThan(limit);
  });
});

describe('the data of an event', () => {
  it.each([
    ['call.completed', 'status', ['COMPLETED', 'VOICEMAIL']],
    ['call.failed', 'status', ['FAILED', 'BUSY', 'NO_ANSWER']],
    ['call.transferred', 'transfer_type', ['warm', 'cold']],
    ['analysis.ready', 'status', ['complete', 'skipped']],
    ['campaign.contact.completed', 'status', ['completed', 'failed', 'busy', 'no_answer', 'voicemail']],
  ] as const)('%s has a %s that is one of %j', (type, field, values) => {
    const accepts = (value: string) =>
      EVENT_TYPES[type].data.safeParse({ ...exampleData(type), [field]: value }).success;
    expect(values.filter(accepts)).toEqual(values);
    expect(['', 'other'].filter(accepts)).toEqual([]);
  });
});

describe('the catalog', () => {
  it('has an entry for each type: what it means, and an example of production as it is sent', () => {
    const catalog = eventCatalog();
    expect(catalog.map(({ event_type }) => event_type)).toEqual(types);
    for (const { event_type: type, description, example } of catalog) {
      expect(description).toBe(EVENT_TYPES[type].description);
      expect(example).toEqual({
        event_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        event_type: type,
        tenant_id: exampleData('usage.credit_exhausted').tenant_id,
        sandbox: false,
        occurred_at: Date.parse('2026-01-05T15:45:00Z') / 1000,
        data: exampleData(type),
      });
    }
  });
});
