import { describe, expect, it } from 'vitest';
import type { Webhook } from '../../api/types.js';
import { bodyOf, eventsText, formOf, webhookForm } from './form.js';

const WEBHOOK: Webhook = {
  id: 'w',
  url: 'https://example.com/hook',
  event_types: ['call.completed', 'call.failed'],
  sandbox: true,
  is_active: true,
  description: '',
  created_at: '2026-11-22T20:00:00Z',
  updated_at: '2026-11-22T20:00:00Z',
};

describe('the form of a webhook', () => {
  it('comes back as it was stored', () => {
    const { url, description, event_types } = WEBHOOK;
    expect(bodyOf(formOf(WEBHOOK))).toEqual({ url, description, event_types });
    expect(bodyOf(formOf({ ...WEBHOOK, event_types: ['*'] })).event_types).toEqual(['*']);
  });

  it('of a new one takes all events', () => expect(formOf().all).toBe(true));

  it('needs an address and an event', () => {
    const wrong = webhookForm.safeParse({ ...formOf(), url: 'ftp://x', all: false });
    expect(wrong.error?.issues.map(({ path }) => path.join('.'))).toContain('url');
    const none = webhookForm.safeParse({ ...formOf(WEBHOOK), event_types: [] });
    expect(none.error?.issues.map(({ path }) => path.join('.'))).toEqual(['event_types']);
  });
});

it.each([
  [['*'], 'All events'],
  [['call.failed'], 'call.failed'],
  [['call.failed', 'call.completed', 'call.hangup'], 'call.failed and 2 more'],
])('says of %j: %s', (types, text) => expect(eventsText(types)).toBe(text));
