import type { Clock } from '@voice/shared/clock/clock';
import type { CallDocument } from '../../calls/record/model.js';
import { apiError } from '../../platform/http/error-codes.js';
import { totalOf } from '../../platform/http/totals.js';
import { ownedBy, type TenantScope } from '../../platform/store/tenant-scope.js';
import { OPEN_CONTACT_STATUSES } from '../campaign-state.js';
import type { CampaignDocument, CampaignModel } from '../model.js';
import { presentContact } from '../presenter.js';
import type { ContactResponse } from '../schemas.js';
import { runningFrom } from '../transitions.js';
import { ERASED_PERSON, NO_PHONE } from './erased-person.js';
import { CONTACT_RANK, type ContactDocument, type ContactModel } from './model.js';

interface ContactsServiceOptions {
  readonly campaigns: CampaignModel;
  readonly contacts: ContactModel;
  readonly clock: Clock;
  /** Called when the engine has something to do for the campaign at once. */
  readonly wake: (campaignId: string) => Promise<void>;
}

/** A campaign's contacts as tenants read and reschedule them. */
export class ContactsService {
  readonly #options: ContactsServiceOptions;

  constructor(options: ContactsServiceOptions) {
    this.#options = options;
  }

  /** Lists them in the order in which they were given. */
  async list(
    scope: TenantScope,
    campaignId: string,
    page: {
      readonly offset: number;
      readonly limit: number;
      readonly status?: string | undefined;
      readonly include_total?: boolean;
    },
  ) {
    await this.#requireCampaign(scope, campaignId);
    const filter = {
      campaign_id: campaignId,
      tenant_id: scope.tenant,
      ...(page.status === undefined ? {} : { status: page.status as ContactDocument['status'] }),
    };
    const [rows, total] = await Promise.all([
      this.#options.contacts
        .find(filter)
        .sort({ position: 1 })
        .skip(page.offset)
        .limit(page.limit + 1)
        .lean<ContactDocument[]>(),
      totalOf(page.include_total === true, (limit) =>
        this.#options.contacts.countDocuments(filter, { limit }).exec(),
      ),
    ]);
    return {
      contacts: rows.slice(0, page.limit).map(presentContact),
      ...total,
      has_more: rows.length > page.limit,
    };
  }

  /**
   * Makes the contact pending again, whatever its state, to be dialed at `at` (epoch ms). A completed
   * campaign runs again for it; in a cancelled one nothing is dialed any more.
   */
  async reschedule(
    scope: TenantScope,
    campaignId: string,
    contactId: string,
    at: number,
  ): Promise<ContactResponse> {
    const campaign = await this.#requireCampaign(scope, campaignId);
    const now = this.#options.clock.now();
    if (at <= now) throw apiError('next_retry_at_not_future');
    if (campaign.status === 'cancelled') {
      throw apiError('campaign_state_conflict', 'The campaign is cancelled.', {
        fields: { status: campaign.status },
      });
    }
    const due = new Date(at);
    const contact = await this.#options.contacts
      .findOneAndUpdate(
        { _id: contactId, campaign_id: campaignId, tenant_id: scope.tenant, phone: { $gt: NO_PHONE } },
        {
          $set: {
            status: 'pending',
            rank: CONTACT_RANK.again,
            due_at: due,
            next_retry_at: due,
            waits_for_hours: false,
            skip_reason: null,
            updated_at: new Date(now),
          },
        },
        { returnDocument: 'after' },
      )
      .lean<ContactDocument>();
    if (!contact) throw apiError('contact_not_found');
    await this.#reopen(campaign, now);
    await this.#options.wake(campaign._id);
    return presentContact(contact);
  }

  /**
   * Erases who the contact of a call is where that was the last one. One that may be dialed again notes it, and goes
   * with the call after it, or once it is left without one.
   */
  async erase(call: Pick<CallDocument, '_id' | 'tenant_id' | 'contact_id'>): Promise<void> {
    if (!call.contact_id) return;
    const contact = { _id: call.contact_id, tenant_id: call.tenant_id };
    const isOpen = { $or: [{ status: { $in: [...OPEN_CONTACT_STATUSES] } }, { on_line: true }] };
    // Noted first: one that comes to its end in between is found by the second write.
    await this.#options.contacts.updateOne(
      { ...contact, ...isOpen },
      { $addToSet: { erased_calls: call._id } },
    );
    await this.#options.contacts.updateOne(
      { ...contact, call_id: call._id, on_line: false, status: { $nin: [...OPEN_CONTACT_STATUSES] } },
      { $set: { ...ERASED_PERSON, updated_at: new Date(this.#options.clock.now()) } },
    );
  }

  /**
   * Every decision that was made without knowing of the contact is refused by the new revision. By when it was updated
   * the engine's sweep finds it, should it not be woken.
   */
  async #reopen(campaign: CampaignDocument, now: number): Promise<void> {
    const updated_at = new Date(now);
    const reopened = await this.#options.campaigns.updateOne(
      { _id: campaign._id, tenant_id: campaign.tenant_id, status: 'completed' },
      {
        $set: {
          ...runningFrom(campaign, now),
          status: 'running',
          active: true,
          completed_at: null,
          updated_at,
        },
        $inc: { revision: 1, run: 1 },
      },
    );
    if (reopened.matchedCount === 1) return;
    await this.#options.campaigns.updateOne(
      { _id: campaign._id, tenant_id: campaign.tenant_id, status: { $ne: 'completed' } },
      { $set: { updated_at }, $inc: { revision: 1 } },
    );
  }

  async #requireCampaign(scope: TenantScope, id: string): Promise<CampaignDocument> {
    const row = await this.#options.campaigns
      .findOne({ _id: id, ...ownedBy(scope), published: true })
      .lean<CampaignDocument>();
    if (!row) throw apiError('campaign_not_found');
    return row;
  }
}
