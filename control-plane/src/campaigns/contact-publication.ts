import type { Publication } from '../calls/post-call/publication.js';
import { isTerminal } from '../calls/record/call-state.js';
import type { ContactModel } from './contacts/model.js';
import { contactCompletedEvent } from './engine/events.js';
import { HOLD_MS } from './engine/lines-watch.js';
import type { CampaignDocument, CampaignModel } from './model.js';
import { CONTACT_AFTER, type TerminalCall } from './retry-policy.js';

/** Kept with calls: never renamed. */
export const CONTACT_PUBLICATION = 'contact';

export interface ContactPublicationOptions {
  readonly campaigns: CampaignModel;
  readonly contacts: ContactModel;
  /** Has the engine look at the campaign. */
  readonly wake: (campaignId: string) => Promise<void>;
}

/** Campaigns at this rate and slower may rest while they have lines in use, in calls a minute. */
const SLOW = 60_000 / HOLD_MS;

/**
 * `campaign.contact.completed` of a campaign's call, after the end of the call itself: by then its outcome is known,
 * or is not waited for any longer. The contact shows the same outcome.
 */
export function contactPublication({ campaigns, contacts, wake }: ContactPublicationOptions): Publication {
  return {
    name: CONTACT_PUBLICATION,
    isReady: () => true,
    async publish(call, notBefore, events) {
      const { campaign_id: campaignId, contact_id: contactId } = call;
      if (campaignId === null || contactId === null || !isTerminal(call.status)) return notBefore;
      const campaign = await campaigns
        .findOne({ _id: campaignId, tenant_id: call.tenant_id })
        .lean<CampaignDocument>();
      if (!campaign) return notBefore;
      const status = CONTACT_AFTER[call.status as TerminalCall];
      events.add(contactCompletedEvent(campaign, contactId, call, status));
      await contacts.updateOne(
        { _id: contactId, tenant_id: call.tenant_id, call_id: call._id },
        { $set: { last_outcome: call.outcome ?? status } },
      );
      if (campaign.active && campaign.calls_per_minute <= SLOW) await wake(campaignId);
      return notBefore;
    },
  };
}
