import { asTenantId, derivedId } from '@voice/shared/ids/ids';
import type { CallDocument } from '../../calls/record/model.js';
import type { TenantEvent } from '../../webhooks/events/tenant-events.js';
import type { ContactStatus } from '../campaign-state.js';
import type { CampaignDocument } from '../model.js';
import type { ContactEnd } from '../retry-policy.js';

type Campaign = Pick<CampaignDocument, '_id' | 'tenant_id' | 'sandbox' | 'total_contacts'>;

function base(campaign: Campaign) {
  return { tenant: asTenantId(campaign.tenant_id), sandbox: campaign.sandbox };
}

function data(campaign: Campaign) {
  return { campaign_id: campaign._id, total_contacts: campaign.total_contacts };
}

export function startedEvent(campaign: Campaign, occurredAt: number): TenantEvent<'campaign.started'> {
  return {
    id: derivedId(campaign._id, 'campaign.started'),
    type: 'campaign.started',
    ...base(campaign),
    occurredAt,
    data: data(campaign),
  };
}

/** Returns the id of the event of the end of a contact's call. */
export const contactEventId = (callId: string): string => derivedId(callId, 'campaign.contact.completed');

/** Builds the event of the end of a contact's call: one for each of its calls. */
export function contactCompletedEvent(
  campaign: Campaign,
  contactId: string,
  call: Pick<CallDocument, '_id' | 'ended_at' | 'outcome'>,
  status: ContactEnd,
): TenantEvent<'campaign.contact.completed'> {
  return {
    id: contactEventId(call._id),
    type: 'campaign.contact.completed',
    ...base(campaign),
    occurredAt: call.ended_at?.getTime() ?? 0,
    data: { ...data(campaign), contact_id: contactId, call_id: call._id, outcome: call.outcome, status },
  };
}

/**
 * Builds the event of a campaign's end. It counts those reached, those nobody could reach, and everything else:
 * together all contacts.
 */
export function completedEvent(
  campaign: Campaign & Pick<CampaignDocument, 'run'>,
  counts: Readonly<Record<ContactStatus, number>>,
  occurredAt: number,
): TenantEvent<'campaign.completed'> {
  return {
    id: derivedId(campaign._id, `campaign.completed:${campaign.run}`),
    type: 'campaign.completed',
    ...base(campaign),
    occurredAt,
    data: {
      ...data(campaign),
      success_count: counts.completed,
      failure_count: counts.failed + counts.skipped + counts.cancelled,
      no_answer_count: counts.no_answer + counts.busy + counts.voicemail,
    },
  };
}
