import { derivedId } from '@voice/shared/ids/ids';
import { describe, expect, it } from 'vitest';
import { CONTACT_STATUSES, type ContactStatus } from '../campaign-state.js';
import { runningCampaign } from '../testing/stored-campaign.js';
import { completedEvent, contactCompletedEvent, startedEvent } from './events.js';

const NOW = Date.UTC(2026, 0, 5);
const campaign = runningCampaign(NOW, { sandbox: false, total_contacts: 7, run: 2 });
const own = { tenant: campaign.tenant_id, sandbox: false };
const data = { campaign_id: campaign._id, total_contacts: 7 };
const callOf = (more: object = {}) => ({ _id: campaign.agent_id, ended_at: null, outcome: null, ...more });

describe('the events of a campaign', () => {
  it('are one for its start', () => {
    expect(startedEvent(campaign, NOW)).toEqual({
      id: derivedId(campaign._id, 'campaign.started'),
      type: 'campaign.started',
      ...own,
      occurredAt: NOW,
      data,
    });
  });

  it('are one for the end of each call of a contact', () => {
    const call = callOf({ ended_at: new Date(NOW + 5), outcome: 'booked' });
    expect(contactCompletedEvent(campaign, 'contact', call, 'completed')).toEqual({
      id: derivedId(call._id, 'campaign.contact.completed'),
      type: 'campaign.contact.completed',
      ...own,
      occurredAt: NOW + 5,
      data: { ...data, contact_id: 'contact', call_id: call._id, outcome: 'booked', status: 'completed' },
    });
    expect(contactCompletedEvent(campaign, 'contact', callOf(), 'busy')).toMatchObject({
      occurredAt: 0,
      data: { outcome: null, status: 'busy' },
    });
  });

  it('are one for its completion in a run, which counts every contact in one of three ways', () => {
    // A power of two each: every sum shows what is in it.
    const counts = Object.fromEntries(CONTACT_STATUSES.map((status, n) => [status, 2 ** n])) as Record<
      ContactStatus,
      number
    >;
    const { completed, failed, skipped, cancelled, no_answer, busy, voicemail } = counts;
    expect(completedEvent(campaign, counts, NOW)).toEqual({
      id: derivedId(campaign._id, 'campaign.completed:2'),
      type: 'campaign.completed',
      ...own,
      occurredAt: NOW,
      data: {
        ...data,
        success_count: completed,
        failure_count: failed + skipped + cancelled,
        no_answer_count: no_answer + busy + voicemail,
      },
    });
  });
});
