import type { ContactDocument } from './contacts/model.js';
import type { CampaignDocument } from './model.js';
import type { CampaignSummary, ContactResponse } from './schemas.js';
import { toShownSettings } from './settings.js';

const text = (date: Date | null): string | null => date?.toISOString() ?? null;

/** Shows a stored campaign, but for what belongs to its agent and its contacts. */
export function presentCampaign(campaign: CampaignDocument): CampaignSummary {
  return {
    id: campaign._id,
    status: campaign.status,
    is_test: campaign.sandbox,
    ...toShownSettings(campaign),
    total_contacts: campaign.total_contacts,
    waiting_reason: campaign.status === 'running' ? campaign.waiting_reason : null,
    started_at: text(campaign.started_at),
    completed_at: text(campaign.completed_at),
    created_at: campaign.created_at.toISOString(),
    updated_at: campaign.updated_at.toISOString(),
  };
}

export function presentContact(contact: ContactDocument): ContactResponse {
  return {
    id: contact._id,
    campaign_id: contact.campaign_id,
    phone: contact.phone || null,
    first_name: contact.first_name,
    last_name: contact.last_name,
    contact_data: JSON.parse(contact.contact_data) as Record<string, unknown>,
    status: contact.status,
    attempts: contact.attempts,
    next_retry_at: text(contact.next_retry_at),
    last_call_id: contact.call_id,
    last_outcome: contact.last_outcome,
    skip_reason: contact.skip_reason,
    created_at: contact.created_at.toISOString(),
    updated_at: contact.updated_at.toISOString(),
  };
}
