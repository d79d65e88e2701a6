import type { Clock } from '@voice/shared/clock/clock';
import { requireRunnable } from '../agents/runnable.js';
import type { AgentDirectory } from '../calls/plan/agent-directory.js';
import type { Config } from '../config.js';
import { apiError } from '../platform/http/error-codes.js';
import { ownedBy, type TenantKey, type TenantScope } from '../platform/store/tenant-scope.js';
import { nextStatus, type Transition } from './campaign-state.js';
import { type ContactModel, contactsOf } from './contacts/model.js';
import type { CampaignDocument, CampaignModel } from './model.js';
import type { CampaignTransitionResponse } from './schemas.js';

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

/** Contacts of a cancelled campaign that are not on the line are not called any more. */
export async function cancelWaiting(contacts: ContactModel, campaign: TenantKey, now: number): Promise<void> {
  await contacts.updateMany(
    { ...contactsOf(campaign), status: 'pending' },
    { $set: { status: 'cancelled', next_retry_at: null, updated_at: new Date(now) } },
  );
}

function verb(transition: Transition): string {
  return transition === 'start' ? 'be started' : transition === 'pause' ? 'be paused' : 'be cancelled';
}
