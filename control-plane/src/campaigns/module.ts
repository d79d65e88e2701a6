import { asTenantId, type TenantId } from '@voice/shared/ids/ids';
import type { AgentsService } from '../agents/service.js';
import type { CallDocument } from '../calls/record/model.js';
import type { CallRecords } from '../calls/record/records.js';
import type { CallRollups } from '../calls/rollups/call-rollups.js';
import { windowOf } from '../compliance/decide.js';
import { NumberRegions } from '../compliance/number-region.js';
import { modelOfAgent } from '../language-model/language-models.js';
import type { StructuredLanguageModel } from '../language-model/port.js';
import { RateLimiter } from '../platform/http/rate-limits.js';
import type { Module, Platform } from '../platform/module.js';
import type { CallerIds } from '../telephony/phones/caller-ids.js';
import type { TenantEvents } from '../webhooks/events/tenant-events.js';
import { ContactsService } from './contacts/service.js';
import { CampaignCreation } from './creation.js';
import { callIdOf } from './engine/call-id.js';
import { CampaignWork } from './engine/campaign-work.js';
import { type CreatesCalls, Dispatching } from './engine/dispatching.js';
import { CampaignEngine } from './engine/engine.js';
import { Granting } from './engine/granting.js';
import { HoursScreen } from './engine/hours-screen.js';
import { LinesWatch } from './engine/lines-watch.js';
import { numberInUse } from './engine/number-in-use.js';
import { Settling } from './engine/settling.js';
import { addPlacesWanted } from './places-wanted.js';
import type { CampaignRecords } from './records.js';
import { CampaignAnalyticsReader } from './results/analytics.js';
import { CriteriaGenerator } from './results/criteria.js';
import { ExtractedData } from './results/extracted-data.js';
import { InsightsService } from './results/insights.js';
import { insightsModel } from './results/insights-model.js';
import { resultRoutes } from './results/routes.js';
import { campaignRoutes } from './routes.js';
import { CampaignsService } from './service.js';
import { CampaignTransitions } from './transitions.js';

export interface CampaignsModuleOptions {
  readonly platform: Platform;
  readonly agents: AgentsService;
  readonly records: CampaignRecords;
  readonly callRecords: Pick<CallRecords, 'calls' | 'analyses'>;
  readonly callRollups: CallRollups;
  readonly callerIds: CallerIds;
  readonly createCall: CreatesCalls;
  readonly tenantEvents: TenantEvents;
  readonly languageModel: StructuredLanguageModel;
  /** Erases who was called from the checks by which calls of a contact were refused. */
  readonly eraseRefusals: (tenant: TenantId, contactId: string) => Promise<void>;
}

export interface CampaignsModule extends Module {
  /** Has the engine look at a campaign now. */
  wake(campaignId: string): Promise<void>;
  /** Has it look at all campaigns of an agent: its hours may be others. */
  agentChanged(tenant: TenantId, agentId: string): Promise<void>;
  /** Erases who the contact of a call is, where that was its last, and the number of its refused calls. */
  eraseCall(call: CallDocument): Promise<void>;
}

/** Connects campaigns: contacts, schedule, dialing and results. */
export function createCampaignsModule({
  platform,
  agents,
  records: { campaigns, contacts },
  callRecords: { calls, analyses },
  callRollups,
  callerIds,
  createCall,
  tenantEvents,
  languageModel,
  eraseRefusals,
}: CampaignsModuleOptions): CampaignsModule {
  const { store, clock, config, cursors } = platform;
  const log = platform.log.child({ module: 'campaigns' });

  const limiter = new RateLimiter({ store, limits: config.rateLimits, clock });
  const regions = new NumberRegions();

  const creation = new CampaignCreation({ campaigns, contacts, clock });
  const service = new CampaignsService({
    campaigns,
    contacts,
    creation,
    agents,
    callerIds,
    cursors,
    clock,
  });

  const granting = new Granting({
    campaigns,
    contacts,
    screen: new HoursScreen({
      campaigns,
      contacts,
      agents,
      windowOf: (hours, phone, now) => windowOf(hours, regions.of(phone), now),
    }),
    takeDispatches: (tenant, count) => limiter.take(`tenant/${tenant}`, 'campaign-dispatch', count),
    dispatchesPerMinute: config.rateLimits['campaign-dispatch'],
    callIdOf,
    clock,
  });
  const dispatching = new Dispatching({
    campaigns,
    contacts,
    calls: createCall,
    callerIds,
    giveSlotBack: async (campaign) => {
      await granting.giveSlotBack(campaign);
      await engine.wake(campaign._id);
    },
    numberInUse: (contact) => numberInUse({ calls, contacts }, contact),
    callExists: async ({ call_id, tenant_id }) => (await calls.exists({ _id: call_id, tenant_id })) !== null,
    eraseRefusals: ({ _id, tenant_id }) => eraseRefusals(asTenantId(tenant_id), _id),
    events: tenantEvents,
    clock,
    log,
  });
  const work = new CampaignWork({
    campaigns,
    contacts,
    calls,
    granting,
    settling: new Settling({ contacts, calls, clock }),
    dispatching,
    lines: new LinesWatch(),
    events: tenantEvents,
    clock,
    log,
  });
  addPlacesWanted(platform.metrics, {
    campaigns,
    tenantsLimit: config.rateLimits['campaign-dispatch'],
    clock,
  });
  const engine = new CampaignEngine({ campaigns, work, creation, clock, log });

  const transitions = new CampaignTransitions({
    campaigns,
    contacts,
    agents,
    vendors: platform.config.vendors,
    clock,
    wake: (id) => engine.wake(id),
  });
  const modelOf = async (tenant: TenantId, agentId: string) =>
    modelOfAgent(tenant, (await agents.snapshot(tenant, agentId)).snapshot);
  const criteria = new CriteriaGenerator({
    model: languageModel,
    latestModel: async (tenant) => {
      const agentId = await agents.latestActive(tenant);
      return agentId === null ? null : modelOf(tenant, agentId);
    },
    clock,
    log,
  });

  const insights = new InsightsService({
    insights: insightsModel(store),
    analyses,
    calls,
    model: languageModel,
    modelOf,
    clock,
  });
  const contactsService = new ContactsService({ campaigns, contacts, clock, wake: (id) => engine.wake(id) });

  return {
    name: 'campaigns',
    routes: [
      ...campaignRoutes({
        campaigns: service,
        transitions,
        contacts: contactsService,
        criteria,
      }),
      ...resultRoutes({
        campaigns: service,
        analytics: new CampaignAnalyticsReader(callRollups),
        insights,
        extracted: new ExtractedData({ analyses, calls, contacts }),
      }),
    ],
    jobs: engine.sweeps,
    keyedJobs: [engine.job],
    wake: (id) => engine.wake(id),
    async eraseCall(call) {
      await contactsService.erase(call);
      if (call.contact_id) await eraseRefusals(asTenantId(call.tenant_id), call.contact_id);
      await insights.erase(call);
    },
    async agentChanged(tenant, agentId) {
      const waiting = await campaigns
        .find({ tenant_id: tenant, active: true, agent_id: agentId }, { _id: 1 })
        .lean<{ _id: string }[]>();
      await Promise.all(waiting.map(({ _id }) => engine.wake(_id)));
    },
    stop: () => engine.stop(),
  };
}
