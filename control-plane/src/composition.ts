import { createAddressPolicy } from '@voice/shared/egress/address-policy';
import { createAgentTestingModule } from './agent-testing/module.js';
import { createAgentsModule } from './agents/module.js';
import { installedModels } from './agents/provider-list.js';
import { AgentsService } from './agents/service.js';
import { createAgentTemplatesModule } from './agents/templates/module.js';
import { defaultProviders } from './agents/voice-config.js';
import { campaignReader } from './analytics/campaigns-of.js';
import { createAnalyticsModule } from './analytics/module.js';
import { createBillingModule } from './billing/module.js';
import { createCallsModule } from './calls/module.js';
import { contactPublication } from './campaigns/contact-publication.js';
import { campaignCriteriaReader } from './campaigns/criteria-of.js';
import { createCampaignsModule } from './campaigns/module.js';
import { createApiKeysModule } from './identity/api-keys/module.js';
import { ApiKeysService } from './identity/api-keys/service.js';
import { createClerkModule } from './identity/clerk/module.js';
import { createDashboardModule } from './identity/dashboard/module.js';
import { type TenantHook, TenantsService } from './identity/tenants/service.js';
import { UsersService } from './identity/users/service.js';
import { createIntegrationsModule } from './integrations/module.js';
import { createLanguageModels, type LanguageModels } from './language-model/language-models.js';
import { meteredLanguageModels } from './language-model/metered.js';
import { createLiveModule } from './operator/live/module.js';
import { createOperatorModule } from './operator/module.js';
import type { WorkerRoom } from './platform/health/worker-room.js';
import type { CredentialLookup, TenantSessions } from './platform/http/authentication.js';
import type { Module, Platform } from './platform/module.js';
import { createSecretsModule } from './platform/secret-rotation/module.js';
import { configuredCarriers } from './telephony/carriers/carriers.js';
import { createPhonesModule } from './telephony/phones/module.js';
import { createWebhooksModule } from './webhooks/module.js';

export interface Composition {
  /** In the order of their starts. */
  readonly modules: readonly Module[];
  readonly lookup: CredentialLookup;
  readonly sessions: TenantSessions;
  /** Whether calls can be taken now. */
  readonly workerRoom: () => Promise<WorkerRoom>;
  /** For whatever asks a model outside of calls. */
  readonly languageModels: LanguageModels;
}

/** The parts of the control plane and who needs whom. Models are made here, indexes after it. */
export function compose(platform: Platform): Composition {
  const { store, clock, cursors } = platform;
  const tenantCreated: TenantHook[] = [];

  const webhooks = createWebhooksModule(platform);

  const languageModels = meteredLanguageModels(createLanguageModels(platform.config), platform.metrics);

  const keys = new ApiKeysService(store, clock, cursors);
  const tenants = new TenantsService(store, clock, async (tenant) => {
    for (const hook of tenantCreated) await hook(tenant);
  });
  const users = new UsersService({ store, tenants, clock });

  const dashboard = createDashboardModule({ platform, tenants, users });

  const agents = new AgentsService({
    store,
    clock,
    cursors,
    secrets: platform.secrets,
    events: webhooks.events,
    defaults: defaultProviders(platform.config.vendors),
    vendors: platform.config.vendors,
    localModels: () => installedModels(platform.config.localModels),
    egress: createAddressPolicy(platform.config.egressAllow),
  });

  const billing = createBillingModule({
    platform,
    events: webhooks.events,
    tenantExists: (tenant) => tenants.exists(tenant),
  });
  const carriers = configuredCarriers(platform.config.carriers);
  const calls = createCallsModule({
    carriers,
    platform,
    agents,
    tenantEvents: webhooks.events,
    billing,
    languageModel: languageModels,
    campaignCriteria: campaignCriteriaReader(store),
    contactPublication: contactPublication({ store, events: webhooks.events }),
  });
  const campaigns = createCampaignsModule({
    platform,
    agents,
    createCall: calls.createCall,
    tenantEvents: webhooks.events,
    languageModel: languageModels,
  });
  const integrations = createIntegrationsModule(platform);
  const agentTesting = createAgentTestingModule({
    platform,
    agents,
    languageModels,
    calls: calls.service,
    testerCalls: calls.testerCalls,
    integrations: integrations.runs,
    billing,
  });
  const live = createLiveModule(platform);
  const analytics = createAnalyticsModule({
    platform,
    campaignsOf: campaignReader(store),
    responseLatencies: (query) => billing.responseLatencies(query),
  });
  webhooks.alsoResume('agents', () => agents.tellRest());
  webhooks.alsoResume('calls', () => calls.tellRest());
  tenantCreated.push((tenant) => calls.ensureSandboxCallerId(tenant));
  tenantCreated.push((tenant) => billing.ensureFreeCredit(tenant));

  return {
    modules: [
      webhooks,
      createClerkModule({
        users,
        secret: platform.config.clerkWebhookSecret,
        endSessionsOf: (userId) => dashboard.endSessionsOf(userId),
        reviewKeysOf: (userId) => keys.markForReview(userId),
        log: platform.log,
      }),
      createApiKeysModule({ keys, tenants, users }),
      dashboard,
      createAgentsModule({ agents }),
      createAgentTemplatesModule({ agents, integrations: integrations.connections }),
      billing,
      calls,
      createOperatorModule({
        platform,
        calls: calls.service,
        hangUp: calls.hangUp,
        live: live.live,
        tenants,
      }),
      live,
      createSecretsModule(platform),
      createPhonesModule({ platform, carriers, agents, users, tenants, billing }),
      campaigns,
      analytics,
      agentTesting,
      integrations,
    ],
    lookup: (credential) => keys.lookup(credential),
    sessions: dashboard.tenantSessions,
    workerRoom: () => calls.workerRoom(),
    languageModels,
  };
}
