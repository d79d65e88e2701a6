import type { Clock } from '@voice/shared/clock/clock';
import { derivedId, type TenantId } from '@voice/shared/ids/ids';
import { apiError } from '../platform/http/error-codes.js';
import { isDuplicateKey } from '../platform/http/errors.js';
import { insertMissing } from '../platform/store/insert-missing.js';
import { ownedBy, type TenantKey, type TenantScope } from '../platform/store/tenant-scope.js';
import type { NewContact } from './contacts/contact-list.js';
import { CONTACT_RANK, type ContactDocument, type ContactModel, contactsOf } from './contacts/model.js';
import { type CampaignDocument, type CampaignModel, PUBLISHED_RUN } from './model.js';
import { type CampaignSettings, toStoredSettings } from './settings.js';

/** Contacts in one write. */
const BATCH = 1000;
/** After this long an unpublished campaign is taken for one whose creator died, in ms. */
export const ABANDONED_AFTER_MS = 10 * 60_000;

interface CampaignCreationOptions {
  readonly campaigns: CampaignModel;
  readonly contacts: ContactModel;
  readonly clock: Clock;
}

/**
 * Makes campaigns with their contacts as one: the campaign is written hidden, then its contacts, then one
 * conditional write publishes it. A creator that dies leaves something that nobody sees, and that is swept.
 */
export class CampaignCreation {
  readonly #options: CampaignCreationOptions;

  constructor(options: CampaignCreationOptions) {
    this.#options = options;
  }

  /** Creates a campaign under `id`; a retry of the same request goes on where the first one ended. */
  async create(
    scope: TenantScope,
    id: string,
    settings: CampaignSettings,
    contacts: readonly NewContact[],
  ): Promise<CampaignDocument> {
    const hidden = this.#document(scope, id, settings, contacts.length);
    try {
      await this.#options.campaigns.insertOne(hidden);
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      const earlier = await this.#find(scope, id);
      if (earlier?.published) return earlier;
      if (!earlier || earlier.abandoned) throw retryLater();
    }
    const at = hidden.created_at;
    for (let from = 0; from < contacts.length; from += BATCH) {
      // A contact that is there already was written by an earlier try of the same request.
      await insertMissing(
        this.#options.contacts,
        contacts
          .slice(from, from + BATCH)
          .map((contact, index) => contactDocument(scope.tenant, id, from + index, contact, at)),
      );
    }
    const published = await this.#options.campaigns
      .findOneAndUpdate(
        { _id: id, ...ownedBy(scope), published: false, abandoned: false },
        { $set: { published: true } },
        { returnDocument: 'after' },
      )
      .lean<CampaignDocument>();
    const done = published ?? (await this.#find(scope, id));
    if (!done?.published) throw retryLater();
    return done;
  }

  /** Removes what creators that died have left. Every step may be repeated, and by several at once. */
  async sweep(): Promise<void> {
    const before = new Date(this.#options.clock.now() - ABANDONED_AFTER_MS);
    const left = await this.#options.campaigns
      .find({ published: false, created_at: { $lte: before } }, { tenant_id: 1 })
      .limit(50)
      .lean<TenantKey[]>();
    for (const campaign of left) {
      const { _id } = campaign;
      // From here on its creator, should it live, can publish it no more.
      const taken = await this.#options.campaigns.updateOne(
        { _id, published: false },
        { $set: { abandoned: true } },
      );
      if (taken.matchedCount === 0) continue;
      await this.#options.contacts.deleteMany(contactsOf(campaign));
      await this.#options.campaigns.deleteOne({ _id, abandoned: true });
    }
  }

  #find(scope: TenantScope, id: string): Promise<CampaignDocument | null> {
    return this.#options.campaigns
      .findOne({ _id: id, ...ownedBy(scope) })
      .lean<CampaignDocument>()
      .exec();
  }

  #document(scope: TenantScope, id: string, settings: CampaignSettings, total: number): CampaignDocument {
    const at = new Date(this.#options.clock.now());
    return {
      _id: id,
      ...ownedBy(scope),
      published: false,
      abandoned: false,
      ...toStoredSettings(settings),
      status: 'draft',
      total_contacts: total,
      active: false,
      revision: 0,
      next_slot_at: 0,
      granted: [],
      waiting_reason: null,
      waiting_until: null,
      run: 1,
      [PUBLISHED_RUN]: 0,
      started_at: null,
      first_dispatch_at: null,
      completed_at: null,
      created_at: at,
      updated_at: at,
    };
  }
}

function retryLater() {
  return apiError('conflict', undefined, { retryable: true, retryAfterSeconds: 1 });
}

function contactDocument(
  tenant: TenantId,
  campaignId: string,
  position: number,
  contact: NewContact,
  at: Date,
): ContactDocument {
  return {
    _id: derivedId(campaignId, `contact:${position}`),
    tenant_id: tenant,
    campaign_id: campaignId,
    position,
    phone: contact.phone,
    first_name: contact.firstName,
    last_name: contact.lastName,
    contact_data: JSON.stringify(contact.data),
    status: 'pending',
    on_line: false,
    claims: 0,
    attempts: 0,
    call_id: null,
    rank: CONTACT_RANK.fresh,
    due_at: at,
    next_retry_at: null,
    last_outcome: null,
    skip_reason: null,
    created_at: at,
    updated_at: at,
  };
}
