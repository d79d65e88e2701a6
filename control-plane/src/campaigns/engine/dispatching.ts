import type { Clock } from '@voice/shared/clock/clock';
import type { Log } from '@voice/shared/log/log';
import { toServiceError } from '../../platform/http/errors.js';
import { keyOf, scopeOf, type TenantScope } from '../../platform/store/tenant-scope.js';
import type { CallerIds } from '../../telephony/phones/caller-ids.js';
import type { TenantEvents } from '../../webhooks/events/tenant-events.js';
import { erasedWithLastCall } from '../contacts/erased-person.js';
import { CONTACT_RANK, type ContactDocument, type ContactModel } from '../contacts/model.js';
import type { CampaignDocument, CampaignModel } from '../model.js';
import { callIdOf } from './call-id.js';
import { variablesOf } from './contact-variables.js';
import { startedEvent } from './events.js';
import { PUT_OFF_BY_GATE, putOffUntil } from './hours-screen.js';
import { type AfterRefusal, afterFailure, afterRefusal } from './refusals.js';

/** How soon a contact that is in a live call is looked at again, at least and at most twice as long, in ms. */
export const IN_USE_WAIT_MS = 3000;

/** The one way to a call: through the checks of every other outbound call. Idempotent by the id. */
export interface CreatesCalls {
  create(
    scope: TenantScope,
    call: {
      readonly id: string;
      readonly campaign: { readonly campaignId: string; readonly contactId: string };
      readonly request: {
        readonly agent_id: string;
        readonly from_number: string;
        readonly to_number: string;
        readonly variables: Record<string, string | number | boolean>;
        readonly metadata: Record<string, unknown>;
      };
    },
  ): Promise<unknown>;
}

interface DispatchingOptions {
  readonly campaigns: CampaignModel;
  readonly contacts: ContactModel;
  readonly calls: CreatesCalls;
  readonly callerIds: Pick<CallerIds, 'numberFor'>;
  /** For a contact that was given a slot and is not called. */
  readonly giveSlotBack: (campaign: CampaignDocument) => Promise<void>;
  /** Whether somebody is on the phone with the contact's number already (`number-in-use.ts`). */
  readonly numberInUse: (contact: ContactDocument) => Promise<boolean>;
  /** Whether the contact's call was made, although making it failed. */
  readonly callExists: (contact: ContactDocument) => Promise<boolean>;
  /** Erases who was called from the checks that refused the contact: of one whose call was erased before. */
  readonly eraseRefusals: (contact: ContactDocument) => Promise<void>;
  readonly events: TenantEvents;
  readonly clock: Clock;
  readonly log: Log;
}

/** Makes the calls of contacts that were given a line. */
export class Dispatching {
  readonly #options: DispatchingOptions;

  constructor(options: DispatchingOptions) {
    this.#options = options;
  }

  /** Creates the contact's call, or takes the line back. A store that fails leaves it to the next look. */
  async dispatch(campaign: CampaignDocument, contact: ContactDocument): Promise<void> {
    const scope = scopeOf(campaign);
    if (contact.call_id === null) return;
    if (await this.#options.numberInUse(contact)) return this.#putOffWhileInUse(campaign, contact);
    try {
      await this.#options.calls.create(scope, {
        id: contact.call_id,
        campaign: { campaignId: campaign._id, contactId: contact._id },
        request: {
          agent_id: campaign.agent_id,
          from_number: await this.#options.callerIds.numberFor(scope, campaign),
          to_number: contact.phone,
          variables: { ...variablesOf(contact) },
          metadata: {},
        },
      });
    } catch (error) {
      await this.#refused(campaign, contact, error);
      return;
    }
    if (campaign.first_dispatch_at === null) await this.publishStart(campaign);
  }

  /** Publishes the start before it is noted, so that it is published again rather than never. */
  async publishStart(campaign: CampaignDocument): Promise<void> {
    const now = this.#options.clock.now();
    await this.#options.events.emit(startedEvent(campaign, now));
    await this.#options.campaigns.updateOne(
      { _id: campaign._id, first_dispatch_at: null },
      { $set: { first_dispatch_at: new Date(now) } },
    );
  }

  /** The person is on the phone: looked at again soon, and not at the same moment as another who stepped back. */
  async #putOffWhileInUse(campaign: CampaignDocument, contact: ContactDocument): Promise<void> {
    const due = this.#options.clock.now() + IN_USE_WAIT_MS * (1 + Math.random());
    this.#options.log.info(
      { campaign_id: campaign._id, contact_id: contact._id, tenant: campaign.tenant_id },
      'a contact is in a live call and is called after it',
    );
    await this.#putOff(campaign, contact, due);
  }

  async #putOff(campaign: CampaignDocument, contact: ContactDocument, until: number): Promise<void> {
    const due = new Date(until);
    await this.#takeBack(contact, {
      status: 'pending',
      rank: CONTACT_RANK.again,
      due_at: due,
      next_retry_at: due,
    });
    await this.#options.giveSlotBack(campaign);
  }

  async #refused(campaign: CampaignDocument, contact: ContactDocument, error: unknown): Promise<void> {
    const now = this.#options.clock.now();
    const refused = afterRefusal(error, now);
    const after = refused.kind === 'try_again' ? await this.#failed(contact, error) : refused;
    // While it has its line: a process that dies here leaves the contact to be refused, and this to be done, again.
    if (contact.erased_calls) await this.#options.eraseRefusals(contact);
    this.#options.log.info(
      { campaign_id: campaign._id, contact_id: contact._id, tenant: campaign.tenant_id, after, err: error },
      'a contact was not called',
    );
    switch (after.kind) {
      case 'try_again':
        return;
      case 'skip':
        await this.#takeBack(contact, {
          status: 'skipped',
          skip_reason: after.reason,
        });
        await this.#options.giveSlotBack(campaign);
        return;
      case 'later': {
        await this.#takeBack(contact, {
          ...putOffUntil(new Date(after.notBefore)),
          status: 'pending',
        });
        await this.#options.campaigns.updateOne(
          { _id: campaign._id },
          { $set: { put_off_by: PUT_OFF_BY_GATE } },
        );
        await this.#options.giveSlotBack(campaign);
        return;
      }
      case 'put_off':
        return this.#putOff(campaign, contact, after.until);
      case 'campaign_waits':
        await this.#options.campaigns.updateOne(
          { _id: campaign._id },
          { $set: { waiting_reason: after.reason, waiting_until: new Date(after.until) } },
        );
        await this.#takeBack(contact, { status: 'pending' });
    }
  }

  /** Counts a fault of ours, and not of the store's: that one is every contact's, and passes. */
  async #failed(contact: ContactDocument, error: unknown): Promise<AfterRefusal> {
    if (toServiceError(error).code !== 'internal_error') return { kind: 'try_again' };
    const counted = await this.#options.contacts
      .findOneAndUpdate(
        { ...keyOf(contact), on_line: true, claims: contact.claims },
        { $inc: { failures: 1 } },
        { returnDocument: 'after' },
      )
      .lean<ContactDocument>();
    // It has no line any more.
    if (!counted) return { kind: 'try_again' };
    const after = afterFailure(counted.failures ?? 1, this.#options.clock.now());
    if (after.kind === 'try_again' || (await this.#options.callExists(contact))) return { kind: 'try_again' };
    return after;
  }

  /** No call was made: the line is free, the attempt does not count, and its last call is the one before. */
  async #takeBack(
    contact: ContactDocument,
    change: Partial<ContactDocument> & Pick<ContactDocument, 'status'>,
  ): Promise<void> {
    const { contacts, clock } = this.#options;
    const line = { ...keyOf(contact), on_line: true, claims: contact.claims };
    const attempts = contact.attempts - 1;
    const call_id = attempts > 0 ? callIdOf(contact._id, attempts) : null;
    const off = { on_line: false, attempts, call_id, updated_at: new Date(clock.now()) };
    const ifLast = (status: ContactDocument['status']) => erasedWithLastCall({ ...contact, call_id }, status);
    const { matchedCount } = await contacts.updateOne(
      { ...line, status: 'dialing' },
      { $set: { ...change, ...off, ...ifLast(change.status) } },
    );
    if (matchedCount > 0) return;
    // Rescheduled meanwhile, or cancelled after that: what the tenant said of it stands.
    await contacts.updateOne({ ...line, status: 'pending' }, { $set: off });
    await contacts.updateOne(line, { $set: { ...off, ...ifLast('cancelled') } });
  }
}
