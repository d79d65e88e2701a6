import { derivedId, newId } from '@voice/shared/ids/ids';
import type { ContactDocument } from '../contacts/model.js';
import { CONTACT_RANK } from '../contacts/model.js';
import { type CampaignDocument, PUBLISHED_RUN } from '../model.js';
import { campaignSettings, toStoredSettings } from '../settings.js';

/** A campaign as stored, running since `now` (epoch ms). */
export function runningCampaign(now: number, changes: Partial<CampaignDocument> = {}): CampaignDocument {
  const at = new Date(now);
  return {
    _id: newId(),
    tenant_id: newId(),
    published: true,
    abandoned: false,
    ...toStoredSettings(
      campaignSettings.parse({
        name: 'Spring',
        agent_id: newId(),
        calls_per_minute: 60,
        retry_policy: {
          max_attempts: 1,
          busy_delay_seconds: 60,
          no_answer_delay_seconds: 60,
          failed_delay_seconds: 60,
        },
      }),
    ),
    sandbox: true,
    status: 'running',
    total_contacts: 0,
    active: true,
    revision: 0,
    next_slot_at: now,
    granted: [],
    waiting_reason: null,
    waiting_until: null,
    run: 1,
    [PUBLISHED_RUN]: 0,
    started_at: at,
    first_dispatch_at: null,
    completed_at: null,
    created_at: at,
    updated_at: at,
    ...changes,
  };
}

/** The contacts of such a campaign, all due. */
export function waitingContacts(
  campaign: Pick<CampaignDocument, '_id' | 'tenant_id' | 'created_at'>,
  phones: readonly string[],
): ContactDocument[] {
  return phones.map((phone, position) => ({
    _id: derivedId(campaign._id, `contact:${position}`),
    tenant_id: campaign.tenant_id,
    campaign_id: campaign._id,
    position,
    phone,
    first_name: null,
    last_name: null,
    contact_data: '{}',
    status: 'pending',
    on_line: false,
    claims: 0,
    attempts: 0,
    call_id: null,
    rank: CONTACT_RANK.fresh,
    due_at: campaign.created_at,
    next_retry_at: null,
    last_outcome: null,
    skip_reason: null,
    created_at: campaign.created_at,
    updated_at: campaign.created_at,
  }));
}
