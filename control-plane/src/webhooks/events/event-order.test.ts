import { describe, expect, it } from 'vitest';
import { exampleData } from './catalog.js';
import { placeOf } from './event-order.js';
import { EVENT_TYPES, type EventType } from './event-types.js';

const place = (type: EventType) => placeOf({ type, data: exampleData(type) });

describe("an event's place among those of its call", () => {
  it('follows the life of a call, whose end is before all that is made of it', () => {
    const ordered = (Object.keys(EVENT_TYPES) as EventType[])
      .filter((type) => place(type).subject !== null)
      .sort((a, b) => place(a).rank - place(b).rank);
    expect(ordered).toEqual([
      'call.started',
      'call.transferred',
      'call.hangup',
      'call.completed',
      'call.failed',
      'campaign.contact.completed',
      'transcript.ready',
      'recording.ready',
      'analysis.ready',
    ]);
    const { call_id: subject } = exampleData('call.started');
    expect(place('call.started')).toEqual({ subject, rank: 0 });
    expect(place('analysis.ready')).toEqual({ subject, rank: 8 });
  });

  it.each(['agent.activated', 'campaign.started', 'usage.credit_exhausted'] as const)(
    'is none for %s, which is of no call',
    (type) => {
      expect(place(type)).toEqual({ subject: null, rank: 0 });
    },
  );

  it('is none for a contact who was never called', () => {
    const data = { ...exampleData('campaign.contact.completed'), call_id: null };
    expect(placeOf({ type: 'campaign.contact.completed', data })).toEqual({ subject: null, rank: 0 });
  });
});
