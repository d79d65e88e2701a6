import type { Clock } from '@voice/shared/clock/clock';
import { newId } from '@voice/shared/ids/ids';
import { ConditionalUpdates } from '../../platform/store/conditional-updates.js';
import { GatheredUpdates } from '../../platform/store/gathered-updates.js';
import type { TenantKey } from '../../platform/store/tenant-scope.js';
import { CONTACT_RANK, type ContactDocument, type ContactModel, contactsOf } from '../contacts/model.js';
import type { CampaignDocument, CampaignModel, Grant } from '../model.js';
import type { Admit, HoursScreen } from './hours-screen.js';
import { ARREARS_MS, afterSlots, type Pace, pacedAt, slotMs, slotsDue } from './pacing.js';

/** Lines given at once; more come with the next look. */
const MOST_AT_ONCE = 50;
/** Due contacts whose hours are judged at once, and how often within a look. */
const SCREENED_AT_ONCE = 500;
const SCREENS_A_LOOK = 5;

/** Calls that a tenant's campaigns may begin, counted before they do. */
type TakesDispatches = (
  tenantId: string,
  count: number,
) => Promise<{ readonly count: number; giveBack(unused: number): Promise<void> }>;

/** Whose turn it is: the due contacts of these ranks. `now` is epoch ms. */
interface DueOf {
  readonly campaign: TenantKey;
  readonly ranks: readonly number[];
  readonly now: number;
}

/** Id of the call of a contact's attempt: creating it again, on any replica, creates one call. */
type CallIdOf = (contactId: string, attempt: number) => string;

interface GrantingOptions {
  readonly campaigns: CampaignModel;
  readonly contacts: ContactModel;
  readonly screen: Pick<HoursScreen, 'begin'>;
  readonly takeDispatches: TakesDispatches;
  /** The tenant's limit: a campaign that is faster is spread over the minute all the same. */
  readonly dispatchesPerMinute: number;
  readonly callIdOf: CallIdOf;
  readonly clock: Clock;
}

/**
 * Gives lines to contacts, so that a campaign keeps its pace and never has more lines than it may, however
 * many replicas look after it and whenever one dies.
 *
 * One conditional write to the campaign decides: it names the contacts and moves the slots on, and holds
 * only if nobody decided since the campaign was read (`revision`). The replica that reads a decision carries it out
 * before deciding anything, so lines in use are always counted whole. Nothing here is a lease: no clock and
 * no timely death of anybody matters.
 */
export class Granting {
  readonly #options: GrantingOptions;
  /** When something else than its pace was last in a campaign's way, as far as this replica saw, in epoch ms. */
  readonly #stoppedAt = new Map<string, number>();
  #forgotAt = 0;
  readonly #decisions: ConditionalUpdates<CampaignDocument>;
  readonly #carriedOut: GatheredUpdates<CampaignDocument>;
  readonly #marks: ConditionalUpdates<ContactDocument>;

  constructor(options: GrantingOptions) {
    this.#options = options;
    this.#decisions = new ConditionalUpdates(options.campaigns);
    this.#carriedOut = new GatheredUpdates(options.campaigns);
    this.#marks = new ConditionalUpdates(options.contacts);
  }

  /**
   * Carries out what was decided before: idempotent, and right however late. Returns those contacts that
   * this replica is to call.
   */
  complete(campaign: CampaignDocument): Promise<readonly ContactDocument[]> {
    return this.#carryOut(campaign, campaign.revision, campaign.granted, (grant) =>
      this.#mark(campaign, grant),
    );
  }

  /**
   * Gives lines to as many due contacts as slots, free lines, calling hours and the tenant's limit let.
   * Returns those that this replica is to call. What was decided before must be complete.
   */
  async grant(campaign: CampaignDocument): Promise<readonly ContactDocument[]> {
    const now = this.#options.clock.now();
    const pace = this.#paceOf(campaign);
    const slots = Math.min(slotsDue(pace, now), MOST_AT_ONCE);
    if (slots <= 0) return [];
    const [onLine, found] = await Promise.all([
      // By the keys of the index alone, which do not name the tenant.
      this.#options.contacts.countDocuments({ campaign_id: campaign._id, on_line: true }),
      this.#due(campaign, slots, now),
    ]);
    const due = found.slice(0, Math.max(0, campaign.max_concurrent - onLine));
    const taken =
      due.length === 0 ? null : await this.#options.takeDispatches(campaign.tenant_id, due.length);
    const contacts = due.slice(0, taken?.count ?? 0);
    if (contacts.length < slots) this.stopped(campaign._id);
    if (taken === null || contacts.length === 0) return [];
    const granted: Grant[] = contacts.map(({ _id, claims, attempts }) => ({
      contact_id: _id,
      claims,
      attempt: attempts + 1,
    }));
    const { nextSlotAt, nextAtFastest } = afterSlots(pace, now, contacts.length);
    const decision = newId();
    const key = { _id: campaign._id, tenant_id: campaign.tenant_id };
    const isDecided = await this.#decisions.make({
      filter: {
        ...key,
        revision: campaign.revision,
        status: 'running',
        // A slot may have been given back since.
        next_slot_at: campaign.next_slot_at,
      },
      update: {
        $set: { granted, decision, next_slot_at: nextSlotAt, next_at_fastest: nextAtFastest },
        $inc: { revision: 1 },
      },
      applied: { ...key, decision },
    });
    if (!isDecided) {
      await taken.giveBack(contacts.length);
      return [];
    }
    const read = new Map(contacts.map((contact) => [contact._id, contact]));
    return this.#carryOut(campaign, campaign.revision + 1, granted, (grant) =>
      this.#markRead(read.get(grant.contact_id)!, grant, decision),
    );
  }

  /** A contact that is not called after all costs the others no time. */
  async giveSlotBack(campaign: CampaignDocument): Promise<void> {
    const { callsPerMinute } = this.#paceOf(campaign);
    await this.#options.campaigns.updateOne(
      { _id: campaign._id, status: 'running' },
      { $inc: { next_slot_at: -slotMs(callsPerMinute) } },
    );
  }

  /** Something else than its pace is in the campaign's way. */
  stopped(campaignId: string): void {
    this.rested(campaignId, this.#options.clock.now());
  }

  /** Nothing was owed before `at`, in epoch ms: until then nobody was due. As far as it is not known better. */
  rested(campaignId: string, at: number): void {
    this.#forgetStops();
    this.#stoppedAt.set(campaignId, Math.max(at, this.#stoppedAt.get(campaignId) ?? at));
  }

  /** Returns when the campaign's next slot is, after `granted` lines that it was given just now, in epoch ms. */
  nextSlotAt(campaign: CampaignDocument, granted = 0): number {
    const pace = this.#paceOf(campaign);
    const { nextSlotAt, nextAtFastest } =
      granted > 0 ? afterSlots(pace, this.#options.clock.now(), granted) : pace;
    return Math.max(nextSlotAt, nextAtFastest);
  }

  /** Returns when the next contact that waits falls due, in epoch ms; null when none waits. */
  async nextDueAt(campaign: TenantKey): Promise<number | null> {
    const due = await Promise.all(
      [CONTACT_RANK.again, CONTACT_RANK.fresh].map((rank) =>
        this.#options.contacts
          .findOne({ ...contactsOf(campaign), on_line: false, status: 'pending', rank }, { due_at: 1 })
          .sort({ due_at: 1 })
          .lean<Pick<ContactDocument, 'due_at'>>(),
      ),
    );
    const times = due.flatMap((contact) => contact?.due_at.getTime() ?? []);
    return times.length === 0 ? null : Math.min(...times);
  }

  async #carryOut(
    campaign: TenantKey,
    revision: number,
    granted: readonly Grant[],
    mark: (grant: Grant) => Promise<ContactDocument | null>,
  ): Promise<readonly ContactDocument[]> {
    if (granted.length === 0) return [];
    const marked = await Promise.all(granted.map(mark));
    const decided = { _id: campaign._id, tenant_id: campaign.tenant_id, revision };
    await this.#carriedOut.make(decided, { $set: { granted: [] } });
    // One that another replica marked is called by that one.
    return marked.filter((contact) => contact !== null);
  }

  /** Forgets stops that are older than all arrears. */
  #forgetStops(): void {
    const now = this.#options.clock.now();
    if (now - this.#forgotAt < ARREARS_MS) return;
    this.#forgotAt = now;
    for (const [id, at] of this.#stoppedAt) if (at < now - ARREARS_MS) this.#stoppedAt.delete(id);
  }

  #paceOf(campaign: CampaignDocument): Pace {
    return {
      callsPerMinute: pacedAt(campaign.calls_per_minute, this.#options.dispatchesPerMinute),
      nextSlotAt: campaign.next_slot_at,
      nextAtFastest: campaign.next_at_fastest ?? 0,
      stoppedAt: this.#stoppedAt.get(campaign._id) ?? null,
    };
  }

  /** Finds those that somebody waits for first, then fresh ones in the order of the list; all within their hours. */
  async #due(campaign: CampaignDocument, limit: number, now: number): Promise<ContactDocument[]> {
    const again = { campaign, ranks: [CONTACT_RANK.again], now };
    const fresh = { ...again, ranks: [CONTACT_RANK.fresh] };
    const [admit, first] = await Promise.all([
      this.#options.screen.begin(campaign, now),
      this.#dueOf({ ...again, ranks: [CONTACT_RANK.again, CONTACT_RANK.fresh] }, limit),
    ]);
    const firstAgain = first.filter(({ rank }) => rank === CONTACT_RANK.again);
    const admitted = [...(await this.#admitted(again, firstAgain, admit, limit))];
    if (admitted.length < limit) {
      const room = limit - admitted.length;
      const beside = first.slice(firstAgain.length);
      // Those that are not admitted may have left too little room.
      const isAll = first.length < limit || beside.length >= room;
      const firstFresh = isAll ? beside : await this.#dueOf(fresh, room);
      admitted.push(...(await this.#admitted(fresh, firstFresh, admit, room)));
    }
    return admitted;
  }

  #dueOf({ campaign, ranks, now }: DueOf, limit: number): Promise<ContactDocument[]> {
    return this.#options.contacts
      .find({
        ...contactsOf(campaign),
        on_line: false,
        status: 'pending',
        rank: ranks.length === 1 ? ranks[0]! : { $in: [...ranks] },
        due_at: { $lte: new Date(now) },
      })
      .sort({ rank: 1, due_at: 1, position: 1 })
      .limit(limit)
      .lean<ContactDocument[]>()
      .exec();
  }

  /** Those whose hours are closed make room for the next ones, as many as a look may screen. */
  async #admitted(
    of: DueOf,
    first: readonly ContactDocument[],
    admit: Admit,
    limit: number,
  ): Promise<readonly ContactDocument[]> {
    let found = first;
    let open = await admit(found);
    for (let screens = 1; open.length < limit && open.length < found.length; screens++) {
      if (screens === SCREENS_A_LOOK) break;
      found = await this.#dueOf(of, SCREENED_AT_ONCE);
      open = await admit(found);
    }
    return open.slice(0, limit);
  }

  /** Marks a contact that this replica has just read, together with those of other campaigns. */
  async #markRead(contact: ContactDocument, grant: Grant, decision: string): Promise<ContactDocument | null> {
    const marked = { ...this.#marked(grant), claimed_by: decision };
    const claims = grant.claims + 1;
    const key = { _id: contact._id, tenant_id: contact.tenant_id };
    const isMarked = await this.#marks.make({
      filter: unmarked(contact, grant),
      update: { $set: marked, $inc: { claims: 1 } },
      applied: { ...key, claims, claimed_by: decision },
    });
    return isMarked ? { ...contact, ...marked, claims } : null;
  }

  /** Marks a contact of a decision that another look made. */
  #mark(campaign: TenantKey, grant: Grant): Promise<ContactDocument | null> {
    return this.#options.contacts
      .findOneAndUpdate(
        unmarked(campaign, grant),
        { $set: this.#marked(grant), $unset: { claimed_by: 1 }, $inc: { claims: 1 } },
        { returnDocument: 'after' },
      )
      .lean<ContactDocument>()
      .exec();
  }

  #marked({ contact_id: id, attempt }: Grant) {
    return {
      status: 'dialing',
      on_line: true,
      attempts: attempt,
      call_id: this.#options.callIdOf(id, attempt),
      next_retry_at: null,
      waits_for_hours: false,
      updated_at: new Date(this.#options.clock.now()),
    } as const;
  }
}

/** Finds the granted contact as it was when it was decided: the claims make the marking happen once, even if it came back meanwhile. */
function unmarked({ tenant_id }: Pick<TenantKey, 'tenant_id'>, { contact_id, claims }: Grant) {
  return { _id: contact_id, tenant_id, claims, status: 'pending', on_line: false } as const;
}
