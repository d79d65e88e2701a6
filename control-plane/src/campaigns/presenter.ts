import type { ContactDocument } from './contacts/model.js';
import type { CampaignDocument } from './model.js';
import type { CampaignSummary, ContactResponse } from './schemas.js';

const text = (date: Date | null): string | null => date?.toISOString() ?? null;

/** A stored campaign as the API shows it, but for what belongs to its agent and its contacts. */
export function presentCampaign(campaign: CampaignDocument): CampaignSummary {
  const { retry_policy: retry } = campaign;
  return {
    id: campaign._id,
    name: campaign.name,
    agent_id: campaign.agent_id,
    caller_id: campaign.caller_id,
    status: campaign.status,
    is_test: campaign.sandbox,
    outcome_labels: campaign.outcome_labels,
    success_criteria: campaign.success_criteria,
    extraction_schema:
      campaign.extraction_schema === null
        ? null
        : (JSON.parse(campaign.extraction_schema) as Record<string, unknown>),
    max_concurrent: campaign.max_concurrent,
    calls_per_minute: campaign.calls_per_minute,
    retry_policy: {
      max_attempts: retry.max_attempts,
      busy_delay_seconds: retry.busy_delay_seconds,
      no_answer_delay_seconds: retry.no_answer_delay_seconds,
      failed_delay_seconds: retry.failed_delay_seconds,
    },
    scheduled_start: text(campaign.scheduled_start),
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
    phone: contact.phone,
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
