import type { Clock } from '@voice/shared/clock/clock';
import type { ContactDocument, ContactModel } from '../contacts/model.js';
import { CONTACT_RANK } from '../contacts/model.js';
import type { CampaignDocument, CampaignModel, Grant } from '../model.js';
import { afterSlots, slotsDue } from './pacing.js';

/** Lines given at once; more come with the next look. */
const MOST_AT_ONCE = 50;

/** Id of the call of a contact's attempt: whoever creates it, and however often, creates one call. */
export type CallIdOf = (contactId: string, attempt: number) => string;

/**
 * Gives lines to contacts, so that a campaign keeps its pace and never has more lines than it may, however
 * many replicas look after it and whenever one dies.
 *
 * One conditional write to the campaign decides: it names the contacts and moves the slots on, and holds
 * only if nobody decided since the campaign was read (`revision`). Whoever reads a decision carries it out
 * before deciding anything, so lines in use are always counted whole. Nothing here is a lease: no clock and
 * no timely death of anybody matters.
 */
export class Granting {
  readonly #campaigns: CampaignModel;
  readonly #contacts: ContactModel;
  readonly #callIdOf: CallIdOf;
  readonly #clock: Clock;

  constructor(options: {
    readonly campaigns: CampaignModel;
    readonly contacts: ContactModel;
    readonly callIdOf: CallIdOf;
    readonly clock: Clock;
  }) {
    this.#campaigns = options.campaigns;
    this.#contacts = options.contacts;
    this.#callIdOf = options.callIdOf;
    this.#clock = options.clock;
  }

  /**
   * Carries out what was decided before: idempotent, and right however late. Returns those contacts that
   * this replica is to call.
   */
  complete(campaign: CampaignDocument): Promise<readonly ContactDocument[]> {
    return this.#carryOut(campaign._id, campaign.revision, campaign.granted);
  }

  /**
   * Gives lines to as many due contacts as slots, free lines and `allowance` let. Returns those that this
   * replica is to call. What was decided before must be complete.
   */
  async grant(campaign: CampaignDocument, allowance: number): Promise<readonly ContactDocument[]> {
    const now = this.#clock.now();
    const pace = { callsPerMinute: campaign.calls_per_minute, nextSlotAt: campaign.next_slot_at };
    const slots = Math.min(slotsDue(pace, now), allowance, MOST_AT_ONCE);
    if (slots <= 0) return [];
    const onLine = await this.#contacts.countDocuments({ campaign_id: campaign._id, on_line: true });
    const contacts = await this.#due(campaign._id, Math.min(slots, campaign.max_concurrent - onLine), now);
    if (contacts.length === 0) return [];
    const granted: Grant[] = contacts.map(({ _id, claims, attempts }) => ({
      contact_id: _id,
      claims,
      attempt: attempts + 1,
    }));
    const decided = await this.#campaigns.updateOne(
      { _id: campaign._id, revision: campaign.revision, status: 'running' },
      {
        $set: { granted, next_slot_at: afterSlots(pace, now, contacts.length) },
        $inc: { revision: 1 },
      },
    );
    if (decided.matchedCount === 0) return [];
    return this.#carryOut(campaign._id, campaign.revision + 1, granted);
  }

  /** When the next contact that waits falls due, in epoch ms; null when none waits. */
  async nextDueAt(campaignId: string): Promise<number | null> {
    const due = await Promise.all(
      [CONTACT_RANK.again, CONTACT_RANK.fresh].map((rank) =>
        this.#contacts
          .findOne({ campaign_id: campaignId, on_line: false, status: 'pending', rank }, { due_at: 1 })
          .sort({ due_at: 1 })
          .lean<Pick<ContactDocument, 'due_at'>>(),
      ),
    );
    const times = due.flatMap((contact) => contact?.due_at.getTime() ?? []);
    return times.length === 0 ? null : Math.min(...times);
  }

  async #carryOut(
    campaignId: string,
    revision: number,
    granted: readonly Grant[],
  ): Promise<readonly ContactDocument[]> {
    if (granted.length === 0) return [];
    const marked = await Promise.all(granted.map((grant) => this.#mark(grant)));
    await this.#campaigns.updateOne({ _id: campaignId, revision }, { $set: { granted: [] } });
    // One that another replica marked is called by that one.
    return marked.filter((contact) => contact !== null);
  }

  /** Those that somebody waits for first, then fresh ones in the order of the list. */
  async #due(campaignId: string, limit: number, now: number): Promise<ContactDocument[]> {
    const contacts: ContactDocument[] = [];
    for (const rank of [CONTACT_RANK.again, CONTACT_RANK.fresh]) {
      if (contacts.length >= limit) break;
      const found = await this.#contacts
        .find({
          campaign_id: campaignId,
          on_line: false,
          status: 'pending',
          rank,
          due_at: { $lte: new Date(now) },
        })
        .sort({ due_at: 1, position: 1 })
        .limit(limit - contacts.length)
        .lean<ContactDocument[]>();
      contacts.push(...found);
    }
    return contacts;
  }

  /** The claims make it happen once, even if the contact has come back meanwhile. */
  #mark({ contact_id: id, claims, attempt }: Grant): Promise<ContactDocument | null> {
    return this.#contacts
      .findOneAndUpdate(
        { _id: id, claims, status: 'pending', on_line: false },
        {
          $set: {
            status: 'dialing',
            on_line: true,
            attempts: attempt,
            call_id: this.#callIdOf(id, attempt),
            next_retry_at: null,
            updated_at: new Date(this.#clock.now()),
          },
          $inc: { claims: 1 },
        },
        { returnDocument: 'after' },
      )
      .lean<ContactDocument>()
      .exec();
  }
}
