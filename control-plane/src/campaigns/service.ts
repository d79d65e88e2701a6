import type { Clock } from '@voice/shared/clock/clock';
import type { TenantId } from '@voice/shared/ids/ids';
import type { CallingHours } from '../agents/calling-hours.js';
import { apiError } from '../platform/http/error-codes.js';
import { after, type CursorCodec, NEWEST_FIRST, pageOf } from '../platform/http/pagination.js';
import { totalOf } from '../platform/http/totals.js';
import { inTurns } from '../platform/http/turns.js';
import { type ValidationDetail, ValidationError } from '../platform/http/validation.js';
import { ownedBy, scopeName, type TenantScope } from '../platform/store/tenant-scope.js';
import type { CallerIds } from '../telephony/phones/caller-ids.js';
import { normalisePhone } from '../telephony/phones/normalise-phone.js';
import { CONTACT_STATUSES, type ContactStatus } from './campaign-state.js';
import { ContactList } from './contacts/contact-list.js';
import type { ContactModel } from './contacts/model.js';
import type { CampaignCreation } from './creation.js';
import type { CampaignDocument, CampaignModel } from './model.js';
import { presentCampaign } from './presenter.js';
import type {
  CampaignCreate,
  CampaignCreateResponse,
  CampaignCriteriaUpdate,
  CampaignResponse,
  CsvUploadResponse,
} from './schemas.js';
import { type CampaignSettings, toStoredChanges } from './settings.js';

/** What campaigns need to know of agents. Throws 404 `agent_not_found` for an absent or foreign one. */
export interface CampaignAgents {
  snapshot(
    tenant: TenantId,
    agentId: string,
  ): Promise<{ readonly isActive: boolean; readonly callingHours: CallingHours }>;
}

/** Contacts whose numbers are read before others get their turn. */
const CONTACTS_A_TURN = 100;

export interface CampaignPage {
  readonly cursor?: string | undefined;
  readonly offset: number;
  readonly limit: number;
  readonly status?: string | undefined;
  readonly include_total?: boolean;
}

interface CampaignsServiceOptions {
  readonly campaigns: CampaignModel;
  readonly contacts: ContactModel;
  readonly creation: CampaignCreation;
  readonly agents: CampaignAgents;
  readonly callerIds: CallerIds;
  readonly cursors: CursorCodec;
  readonly clock: Clock;
}

/** Campaigns as tenants make and read them. */
export class CampaignsService {
  readonly #options: CampaignsServiceOptions;

  constructor(options: CampaignsServiceOptions) {
    this.#options = options;
  }

  async create(scope: TenantScope, id: string, body: CampaignCreate): Promise<CampaignCreateResponse> {
    const { contacts, ...settings } = body;
    const list = await listOf(contacts);
    const campaign = await this.#make(scope, id, settings, list);
    return created(campaign, list);
  }

  async upload(
    scope: TenantScope,
    id: string,
    settings: CampaignSettings,
    list: ContactList,
  ): Promise<CsvUploadResponse> {
    return {
      ...created(await this.#make(scope, id, settings, list), list),
      total_rows: list.rows,
      error_count: list.errorCount,
      errors: list.errors,
    };
  }

  async #make(
    scope: TenantScope,
    id: string,
    settings: CampaignSettings,
    list: ContactList,
  ): Promise<CampaignDocument> {
    await this.#options.agents.snapshot(scope.tenant, settings.agent_id);
    if (settings.caller_id) await this.#options.callerIds.require(scope, settings.caller_id);
    return this.#options.creation.create(scope, id, settings, list.contacts);
  }

  async list(scope: TenantScope, page: CampaignPage) {
    const list = `campaigns/${scopeName(scope)}`;
    const filter = {
      ...ownedBy(scope),
      published: true,
      ...(page.status === undefined ? {} : { status: page.status as CampaignDocument['status'] }),
    };
    const byCursor = page.cursor !== undefined;
    const place = byCursor ? after(this.#options.cursors.decode(list, page.cursor!)) : {};
    const [rows, total] = await Promise.all([
      this.#options.campaigns
        .find({ ...filter, ...place })
        .sort(NEWEST_FIRST)
        .skip(byCursor ? 0 : page.offset)
        .limit(page.limit + 1)
        .lean<CampaignDocument[]>(),
      totalOf(page.include_total === true, (limit) =>
        this.#options.campaigns.countDocuments(filter, { limit }).exec(),
      ),
    ]);
    const { rows: shown, ...rest } = pageOf(rows, page.limit, (position) =>
      this.#options.cursors.encode(list, position),
    );
    return {
      campaigns: shown.map(presentCampaign),
      ...total,
      ...rest,
    };
  }

  async get(scope: TenantScope, id: string): Promise<CampaignResponse> {
    return this.#present(scope.tenant, await this.require(scope, id));
  }

  /** Throws 404 `campaign_not_found` for an absent, foreign or unpublished one, and one of the other mode. */
  async require(scope: TenantScope, id: string): Promise<CampaignDocument> {
    const row = await this.#options.campaigns
      .findOne({ _id: id, ...ownedBy(scope), published: true })
      .lean<CampaignDocument>();
    if (!row) throw apiError('campaign_not_found');
    return row;
  }

  /** Changes only what is given; 409 `campaign_not_draft` once it was started. */
  async updateCriteria(
    scope: TenantScope,
    id: string,
    change: CampaignCriteriaUpdate,
  ): Promise<CampaignResponse> {
    const changed = await this.#options.campaigns
      .findOneAndUpdate(
        { _id: id, ...ownedBy(scope), published: true, status: 'draft' },
        { $set: { ...toStoredChanges(change), updated_at: new Date(this.#options.clock.now()) } },
        { returnDocument: 'after' },
      )
      .lean<CampaignDocument>();
    if (changed) return this.#present(scope.tenant, changed);
    await this.require(scope, id);
    throw apiError('campaign_not_draft');
  }

  async #present(tenant: TenantId, campaign: CampaignDocument): Promise<CampaignResponse> {
    const [agent, counts] = await Promise.all([
      this.#options.agents.snapshot(tenant, campaign.agent_id),
      countContacts(this.#options.contacts, tenant, campaign._id),
    ]);
    return { ...presentCampaign(campaign), calling_hours: agent.callingHours, contact_counts: counts };
  }
}

/** Counts the contacts of the campaign that have each status. */
export async function countContacts(
  contacts: ContactModel,
  tenant: TenantId,
  campaignId: string,
): Promise<Record<ContactStatus, number>> {
  const groups = await contacts.aggregate<{ _id: ContactStatus; count: number }>([
    { $match: { campaign_id: campaignId, tenant_id: tenant } },
    { $group: { _id: '$status', count: { $sum: 1 } } },
  ]);
  const counts = Object.fromEntries(CONTACT_STATUSES.map((status) => [status, 0])) as Record<
    ContactStatus,
    number
  >;
  for (const { _id, count } of groups) counts[_id] = count;
  return counts;
}

/** Lists the contacts of a body, numbers normalised; every invalid number is listed. */
async function listOf(contacts: CampaignCreate['contacts']): Promise<ContactList> {
  const list = new ContactList();
  const mistakes: ValidationDetail[] = [];
  let index = 0;
  for await (const contact of inTurns(contacts, CONTACTS_A_TURN)) {
    const phone = normalisePhone(contact.phone);
    if (phone === null) {
      const loc = ['body', 'contacts', index, 'phone'];
      mistakes.push({ loc, msg: 'is not a phone number', type: 'value_error' });
    } else {
      const [firstName, lastName] = [contact.first_name || null, contact.last_name || null];
      list.add({ phone, firstName, lastName, data: contact.contact_data }, index + 1);
    }
    index++;
  }
  if (mistakes.length > 0) throw new ValidationError(mistakes.slice(0, 100));
  return list;
}

function created(campaign: CampaignDocument, list: ContactList): CampaignCreateResponse {
  return {
    id: campaign._id,
    campaign_id: campaign._id,
    name: campaign.name,
    status: campaign.status,
    total_contacts: campaign.total_contacts,
    duplicate_count: list.duplicateCount,
    duplicates: list.duplicates,
  };
}
