import type { Clock } from '@voice/shared/clock/clock';
import { requireRunnable } from '../agents/runnable.js';
import type { AgentDirectory } from '../calls/plan/agent-directory.js';
import type { Config } from '../config.js';
import { apiError } from '../platform/http/error-codes.js';
import { sideBySide } from '../platform/jobs/side-by-side.js';
import { keyOf, ownedBy, type TenantKey, type TenantScope } from '../platform/store/tenant-scope.js';
import { nextStatus, type Transition } from './campaign-state.js';
import { erasedWithLastCall } from './contacts/erased-person.js';
import { type ContactDocument, type ContactModel, contactsOf } from './contacts/model.js';
import type { CampaignDocument, CampaignModel } from './model.js';
import type { CampaignTransitionResponse } from './schemas.js';

/** Contacts that are cancelled one by one, at once. */
const ERASED_AT_ONCE = 50;

interface CampaignTransitionsOptions {
  readonly campaigns: CampaignModel;
  readonly contacts: ContactModel;
  readonly agents: AgentDirectory;
  readonly vendors: Config['vendors'];
  readonly clock: Clock;
  /** Called when the engine has something to do for the campaign at once. */
  readonly wake: (campaignId: string) => Promise<void>;
}

/** Moves campaigns between their states, each move one conditional write. */
export class CampaignTransitions {
  readonly #options: CampaignTransitionsOptions;

  constructor(options: CampaignTransitionsOptions) {
    this.#options = options;
  }

  /** 409 `campaign_state_conflict` where the state forbids it, 409 `agent_inactive` and `provider_unavailable` at a start. */
  async move(scope: TenantScope, id: string, transition: Transition): Promise<CampaignTransitionResponse> {
    for (;;) {
      const campaign = await this.#options.campaigns
        .findOne({ _id: id, ...ownedBy(scope), published: true })
        .lean<CampaignDocument>();
      if (!campaign) throw apiError('campaign_not_found');
      const now = this.#options.clock.now();
      const startsLater = campaign.scheduled_start !== null && campaign.scheduled_start.getTime() > now;
      const to = nextStatus(campaign.status, transition, startsLater);
      if (to === null) {
        throw apiError(
          'campaign_state_conflict',
          `A ${campaign.status} campaign cannot ${verb(transition)}.`,
          {
            fields: { status: campaign.status },
          },
        );
      }
      if (transition === 'start') {
        const agent = await this.#options.agents.snapshot(scope.tenant, campaign.agent_id);
        if (!agent.isActive) throw apiError('agent_inactive');
        requireRunnable(agent.snapshot, this.#options.vendors);
      }
      const set: Partial<CampaignDocument> = {
        status: to,
        active: true,
        updated_at: new Date(now),
        ...(to === 'running' ? runningFrom(campaign, now) : {}),
      };
      const moved = await this.#options.campaigns.updateOne(
        { _id: id, ...ownedBy(scope), revision: campaign.revision, status: campaign.status },
        { $set: set, $inc: { revision: 1 } },
      );
      if (moved.matchedCount === 0) continue;
      if (to === 'cancelled') await cancelWaiting(this.#options.contacts, campaign, now);
      await this.#options.wake(id);
      return { id, campaign_id: id, status: to, previous_status: campaign.status };
    }
  }
}

/** Returns what beginning to run, or going on, sets: slots count from now. */
export function runningFrom(
  campaign: Pick<CampaignDocument, 'started_at'>,
  now: number,
): Partial<CampaignDocument> {
  return {
    next_slot_at: now,
    waiting_reason: null,
    waiting_until: null,
    started_at: campaign.started_at ?? new Date(now),
  };
}

/**
 * Cancels the contacts of a cancelled campaign that are not on the line. Those whose last call was erased are erased in
 * the same write: once they are cancelled, nobody looks at them again.
 */
export async function cancelWaiting(contacts: ContactModel, campaign: TenantKey, now: number): Promise<void> {
  const waiting = { ...contactsOf(campaign), status: 'pending' } as const;
  const cancelled = { status: 'cancelled', next_retry_at: null, updated_at: new Date(now) } as const;
  const fields = { tenant_id: 1, call_id: 1, erased_calls: 1 } as const;
  const erased = await contacts
    .find({ ...waiting, erased_calls: { $exists: true } }, fields)
    .lean<Pick<ContactDocument, '_id' | keyof typeof fields>[]>();
  await sideBySide(erased, ERASED_AT_ONCE, async (contact) => {
    await contacts.updateOne(
      { ...keyOf(contact), status: 'pending', call_id: contact.call_id },
      { $set: { ...cancelled, ...erasedWithLastCall(contact, 'cancelled') } },
    );
  });
  await contacts.updateMany(waiting, { $set: cancelled });
}

function verb(transition: Transition): string {
  return transition === 'start' ? 'be started' : transition === 'pause' ? 'be paused' : 'be cancelled';
}
