import type { Clock } from '@voice/shared/clock/clock';
import { asTenantId } from '@voice/shared/ids/ids';
import type { Log } from '@voice/shared/log/log';
import type { CallModel } from '../../calls/record/model.js';
import { ReadsByTenantAndId } from '../../platform/store/reads-by-id.js';
import type { TenantEvents } from '../../webhooks/events/tenant-events.js';
import { OPEN_CONTACT_STATUSES } from '../campaign-state.js';
import { CONTACT_PUBLICATION } from '../contact-publication.js';
import { type ContactDocument, type ContactModel, contactsOf } from '../contacts/model.js';
import { type CampaignDocument, type CampaignModel, PUBLISHED_RUN } from '../model.js';
import { countContacts } from '../service.js';
import { cancelWaiting, runningFrom } from '../transitions.js';
import type { Dispatching } from './dispatching.js';
import { completedEvent } from './events.js';
import type { Granting } from './granting.js';
import { HOLD_MS, type LinesWatch } from './lines-watch.js';
import { slotMs } from './pacing.js';
import type { Settling } from './settling.js';

/** How soon a campaign is looked at again whose last calls are over, but not all published. */
const UNPUBLISHED_MS = 300;

interface CampaignWorkOptions {
  readonly campaigns: CampaignModel;
  readonly contacts: ContactModel;
  readonly calls: CallModel;
  readonly granting: Pick<Granting, 'complete' | 'grant' | 'stopped' | 'rested' | 'nextSlotAt' | 'nextDueAt'>;
  readonly settling: Pick<Settling, 'settle'>;
  readonly dispatching: Pick<Dispatching, 'dispatch' | 'publishStart'>;
  readonly lines: Pick<LinesWatch, 'note' | 'restMs'>;
  readonly events: TenantEvents;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * One look at one campaign: what was decided is carried out, ended calls are settled, due contacts get
 * lines. Every step may be cut short and repeated, here or on another replica.
 */
export class CampaignWork {
  readonly #options: CampaignWorkOptions;
  /** Campaigns that fall due together are read together. */
  readonly #reads: ReadsByTenantAndId<CampaignDocument>;
  /** Calls that are being created by this replica. */
  readonly #underWay = new Map<string, Promise<void>>();
  /** Campaigns whose ended calls are being settled by this replica; resolves to the lines still in use. */
  readonly #settlings = new Map<string, Promise<number>>();

  constructor(options: CampaignWorkOptions) {
    this.#options = options;
    this.#reads = new ReadsByTenantAndId(options.campaigns);
  }

  /**
   * Returns when it is to be looked at again, in epoch ms: now or before where there may be something at once, null when
   * nothing is left to do until somebody decides something new. `restedUntil`, in epoch ms: nobody looked at it until
   * then, because nothing was due.
   */
  async look(campaignId: string, restedUntil?: number): Promise<number | null> {
    let campaign = await this.#read(campaignId);
    if (!campaign?.active) return null;
    if (restedUntil !== undefined) this.#options.granting.rested(campaignId, restedUntil);
    this.#call(campaign, await this.#options.granting.complete(campaign));
    switch (campaign.status) {
      case 'scheduled':
        return this.#startWhenDue(campaign);
      case 'running': {
        // The next slots do not wait for ended calls to be settled; where they are far apart, that is done after them.
        if (!isSlow(campaign)) void this.#settle(campaign).catch(() => {});
        const until = campaign.waiting_until?.getTime() ?? 0;
        if (until > this.#options.clock.now()) {
          this.#options.granting.stopped(campaign._id);
          return (await this.#hasLinesNow(campaign)) ? Math.min(until, this.#nextWatch()) : until;
        }
        if (campaign.waiting_reason !== null) campaign = await this.#waited(campaign);
        const granted = await this.#options.granting.grant(campaign);
        this.#call(campaign, granted);
        if (granted.length === 0) return this.#completeIfDone(campaign);
        this.#options.lines.note(campaign._id, true, this.#options.clock.now());
        return Math.min(this.#options.granting.nextSlotAt(campaign, granted.length), this.#nextWatch());
      }
      case 'cancelled': {
        const busy = await this.#settleAsItIs(campaign);
        await cancelWaiting(this.#options.contacts, campaign, this.#options.clock.now());
        return this.#restIfDone(campaign, busy);
      }
      case 'completed':
        await this.#publishCompletion(campaign);
        return this.#restIfDone(campaign, await this.#settleAsItIs(campaign));
      case 'draft':
      case 'paused':
        return this.#restIfDone(campaign, await this.#settleAsItIs(campaign));
    }
  }

  /** Resolves when this replica creates no call any more, and settles none. */
  async settled(): Promise<void> {
    await Promise.allSettled([...this.#settlings.values()]);
    await Promise.all(this.#underWay.values());
  }

  /** Begins to settle unless that is under way. */
  #settle(campaign: CampaignDocument): Promise<number> {
    const id = campaign._id;
    const underWay = this.#settlings.get(id);
    if (underWay) return underWay;
    const settling = this.#settleLines(campaign).finally(() => this.#settlings.delete(id));
    settling.catch((err: unknown) =>
      this.#options.log.error({ campaign_id: id, err }, 'ended calls could not be settled'),
    );
    this.#settlings.set(id, settling);
    return settling;
  }

  /** What is under way may have begun before the campaign became what it is. */
  async #settleAsItIs(campaign: CampaignDocument): Promise<number> {
    await this.#settlings.get(campaign._id)?.catch(() => {});
    return this.#settle(campaign);
  }

  /** Resolves to the lines that are still in use. */
  async #settleLines(campaign: CampaignDocument): Promise<number> {
    const { busy, dialed, orphans } = await this.#options.settling.settle(campaign);
    if (dialed && campaign.first_dispatch_at === null) await this.#options.dispatching.publishStart(campaign);
    this.#call(campaign, orphans);
    return busy;
  }

  async #read(id: string): Promise<CampaignDocument | null> {
    const campaign = await this.#reads.getOfAnyTenant(id);
    return campaign?.published ? campaign : null;
  }

  #start(campaign: CampaignDocument, contact: ContactDocument): void {
    const callId = contact.call_id;
    if (callId === null || this.#underWay.has(callId)) return;
    const running = this.#options.dispatching
      .dispatch(campaign, contact)
      .catch((err: unknown) =>
        this.#options.log.error(
          { campaign_id: campaign._id, contact_id: contact._id, err },
          'dispatch failed',
        ),
      )
      .finally(() => this.#underWay.delete(callId));
    this.#underWay.set(callId, running);
  }

  #call(campaign: CampaignDocument, contacts: readonly ContactDocument[]): void {
    for (const contact of contacts) this.#start(campaign, contact);
  }

  async #startWhenDue(campaign: CampaignDocument): Promise<number> {
    const now = this.#options.clock.now();
    const startsAt = campaign.scheduled_start?.getTime() ?? now;
    if (startsAt > now) return startsAt;
    await this.#options.campaigns.updateOne(
      { _id: campaign._id, revision: campaign.revision, status: 'scheduled' },
      {
        $set: { ...runningFrom(campaign, now), status: 'running', updated_at: new Date(now) },
        $inc: { revision: 1 },
      },
    );
    return now;
  }

  /** What it waited for may be gone; if not, the next contact will show it. */
  async #waited(campaign: CampaignDocument): Promise<CampaignDocument> {
    this.#options.granting.stopped(campaign._id);
    await this.#options.campaigns.updateOne(
      { _id: campaign._id, waiting_until: campaign.waiting_until },
      { $set: { waiting_reason: null, waiting_until: null } },
    );
    return { ...campaign, waiting_reason: null, waiting_until: null };
  }

  async #completeIfDone(campaign: CampaignDocument): Promise<number> {
    const now = this.#options.clock.now();
    const slotAt = this.#options.granting.nextSlotAt(campaign);
    if (await this.#hasLinesNow(campaign)) {
      return slotAt > now ? Math.min(slotAt, this.#nextWatch()) : this.#nextWatch();
    }
    const open = { ...contactsOf(campaign), status: { $in: OPEN_CONTACT_STATUSES } };
    if (await this.#options.contacts.exists(open)) {
      if (slotAt > now + HOLD_MS) return slotAt;
      const nextDue = await this.#options.granting.nextDueAt(campaign);
      return nextDue === null ? now : Math.max(slotAt, nextDue);
    }
    if (await this.#hasUnpublished(campaign)) return now + UNPUBLISHED_MS;
    const done = await this.#options.campaigns.updateOne(
      { _id: campaign._id, revision: campaign.revision, status: 'running' },
      {
        $set: { status: 'completed', completed_at: new Date(now), updated_at: new Date(now) },
        $inc: { revision: 1 },
      },
    );
    if (done.matchedCount === 1) await this.#finish(campaign._id);
    return now;
  }

  /** Returns whether it has lines in use. Of a slow campaign ended calls are settled first. */
  async #hasLinesNow(campaign: CampaignDocument): Promise<boolean> {
    const { _id } = campaign;
    const inUse = isSlow(campaign)
      ? (await this.#settle(campaign)) > 0
      : (await this.#options.contacts.exists({ ...contactsOf(campaign), on_line: true })) !== null;
    this.#options.lines.note(_id, inUse, this.#options.clock.now());
    return inUse;
  }

  /** Returns whether a contact's end is still to be published: the campaign's own end comes after it. */
  async #hasUnpublished({ _id, tenant_id }: CampaignDocument): Promise<boolean> {
    const found = await this.#options.calls.exists({
      tenant_id,
      campaign_id: _id,
      publish_due_at: { $gt: new Date(0) },
      published: { $ne: CONTACT_PUBLICATION },
    });
    return found !== null;
  }

  async #finish(id: string): Promise<void> {
    const completed = await this.#read(id);
    if (completed?.status !== 'completed') return;
    await this.#publishCompletion(completed);
    await this.#restIfDone(completed, 0);
  }

  async #publishCompletion(campaign: CampaignDocument): Promise<void> {
    if (campaign[PUBLISHED_RUN] >= campaign.run) return;
    const counts = await countContacts(this.#options.contacts, asTenantId(campaign.tenant_id), campaign._id);
    const at = campaign.completed_at?.getTime() ?? this.#options.clock.now();
    await this.#options.events.emit(completedEvent(campaign, counts, at));
    await this.#options.campaigns.updateOne(
      { _id: campaign._id, run: campaign.run },
      { $set: { [PUBLISHED_RUN]: campaign.run } },
    );
  }

  /** Nothing is left to do until somebody decides something new. */
  async #restIfDone(campaign: CampaignDocument, busy: number): Promise<number | null> {
    this.#options.lines.note(campaign._id, busy > 0, this.#options.clock.now());
    if (busy > 0) return this.#nextWatch();
    const { matchedCount } = await this.#options.campaigns.updateOne(
      { _id: campaign._id, revision: campaign.revision, status: campaign.status },
      { $set: { active: false } },
    );
    return matchedCount === 1 ? null : this.#options.clock.now();
  }

  /** Returns when lines that are in use are to be looked at again, in epoch ms. */
  #nextWatch(): number {
    return this.#options.clock.now() + this.#options.lines.restMs();
  }
}

/** Returns whether a campaign may rest between two slots. Pure. */
function isSlow({ calls_per_minute }: CampaignDocument): boolean {
  return slotMs(calls_per_minute) >= HOLD_MS;
}
