import { createAddressPolicy } from '@voice/shared/egress/address-policy';
import { asTenantId } from '@voice/shared/ids/ids';
import { createAgentTestingModule } from './agent-testing/module.js';
import { createAgentsModule } from './agents/module.js';
import { installedModels } from './agents/provider-list.js';
import { AgentsService } from './agents/service.js';
import { createAgentTemplatesModule } from './agents/templates/module.js';
import { campaignReader } from './analytics/campaigns-of.js';
import { createAnalyticsModule } from './analytics/module.js';
import { RollupCheck } from './analytics/rollup-check.js';
import { createBillingModule } from './billing/module.js';
import { CallArchive } from './calls/archive/call-archive.js';
import { createCallsModule } from './calls/module.js';
import { gateAgent } from './calls/plan/gate-agent.js';
import { createPartFilesModule } from './calls/post-call/part-files.js';
import { storageOf } from './calls/post-call/storage-of.js';
import { CallRecords, MAX_CONCURRENT_CALLS } from './calls/record/records.js';
import { CallRollups } from './calls/rollups/call-rollups.js';
import { contactPublication } from './campaigns/contact-publication.js';
import { campaignCriteriaReader } from './campaigns/criteria-of.js';
import { contactEventId } from './campaigns/engine/events.js';
import { createCampaignsModule } from './campaigns/module.js';
import { CampaignRecords } from './campaigns/records.js';
import { createComplianceModule } from './compliance/module.js';
import { createApiKeysModule } from './identity/api-keys/module.js';
import { ApiKeysService } from './identity/api-keys/service.js';
import { createClerkModule } from './identity/clerk/module.js';
import { loginUrl } from './identity/dashboard/login-url.js';
import { createDashboardModule } from './identity/dashboard/module.js';
import { createMembersModule } from './identity/members/module.js';
import { type TenantHook, TenantsService } from './identity/tenants/service.js';
import { UsersService } from './identity/users/service.js';
import { unknownAction } from './integrations/agent-tools.js';
import { createIntegrationsModule } from './integrations/module.js';
import type { LanguageModels } from './language-model/language-models.js';
import { createLanguageModelModule } from './language-model/module.js';
import { createLiveModule } from './operator/live/module.js';
import { createOperatorModule } from './operator/module.js';
import type { WorkerRoom } from './platform/health/worker-room.js';
import type { CredentialLookup, CredentialRecall, TenantSessions } from './platform/http/authentication.js';
import { isSession } from './platform/http/route-traits.js';
import { createJobsModule } from './platform/jobs/module.js';
import type { Module, Platform } from './platform/module.js';
import { rollupCollections } from './platform/rollups/collections.js';
import { createSecretsModule } from './platform/secret-rotation/module.js';
import { VendorHttp } from './platform/vendor-http.js';
import { createRetentionModule } from './retention/module.js';
import { configuredCarriers } from './telephony/carriers/carriers.js';
import { createPhonesModule } from './telephony/phones/module.js';
import { createVerificationsModule } from './telephony/verifications/module.js';
import { type AccountsOf, VendorKeys } from './vendors/keys/service.js';
import { createVendorsModule } from './vendors/module.js';
import { SdkCatalogues } from './vendors/voices/sdk/sdk-catalogues.js';
import { Voices } from './vendors/voices/voices.js';
import { createWebhooksModule } from './webhooks/module.js';
import { createWorkersModule } from './workers/module.js';

export interface Composition {
  /** In the order of their starts. */
  readonly modules: readonly Module[];
  readonly lookup: CredentialLookup;
  readonly recall: CredentialRecall;
  readonly sessions: TenantSessions;
  /** Whether calls can be taken now. */
  readonly workerRoom: () => Promise<WorkerRoom>;
  /** For whatever asks a model outside of calls. */
  readonly languageModels: LanguageModels;
}

/** Builds every module of the control plane and wires them. Models are built here, their indexes after it. */
export function compose(platform: Platform): Composition {
  const { store, clock, cursors, config } = platform;
  const tenantCreated: TenantHook[] = [];
  const storage = storageOf(config);
  const callRecords = new CallRecords({ ...platform, readArchived: (row) => archive.eventsOf(row) });
  const archive = new CallArchive({ ...platform, calls: callRecords.calls, storage });
  const campaignRecords = new CampaignRecords(store);

  const webhooks = createWebhooksModule(platform);

  const keys = new ApiKeysService(platform);
  const tenants = new TenantsService({
    store,
    clock,
    onTenantCreated: async (tenant) => {
      for (const hook of tenantCreated) await hook(tenant);
    },
  });
  const users = new UsersService({ store, tenants, clock, cursors });
  const members = createMembersModule({
    platform,
    users,
    loginUrl: (token) => loginUrl(platform.publicUrl(), token),
    endSessionsOf: (userId) => dashboard.endSessionsOf(userId),
    reviewKeysOf: (userId) => keys.markForReview(userId),
    createLoginLink: (member) => dashboard.createLoginLink(member),
  });
  const dashboard = createDashboardModule({
    platform,
    tenants,
    users,
    acceptInvitation: (token) => members.acceptInvitation(token),
  });
  const clerk = createClerkModule({
    users,
    secret: config.clerkWebhookSecret,
    endSessionsOf: (userId) => dashboard.endSessionsOf(userId),
    reviewKeysOf: (userId) => keys.markForReview(userId),
    log: platform.log,
  });

  const egress = createAddressPolicy(config.egressAllow);
  const vendorHttp = new VendorHttp(egress);
  const vendorKeys = new VendorKeys({
    store,
    clock,
    secrets: platform.secrets,
    http: vendorHttp,
    vendors: config.vendors,
    log: platform.log.child({ module: 'vendors' }),
  });
  const voices = new Voices({
    keys: vendorKeys,
    http: vendorHttp,
    sdks: new SdkCatalogues({ http: vendorHttp }),
    guard: egress,
    neuralVoice: () => installedModels(config.localModels).tts,
    clock,
  });
  const accounts: AccountsOf = (account) => vendorKeys.accounts(account);
  const languageModel = createLanguageModelModule({
    platform,
    accounts,
    liveCall: (callId) => callRecords.liveCall(callId),
  });
  const agents = new AgentsService({
    store,
    clock,
    cursors,
    secrets: platform.secrets,
    events: webhooks.events,
    vendors: config.vendors,
    ownVendors: (tenant) => vendorKeys.ownVendors(tenant),
    localModels: () => installedModels(config.localModels),
    egress,
    unknownAction,
    hoursChanged: (tenant, agentId) => campaigns.agentChanged(tenant, agentId),
  });
  const workers = createWorkersModule({
    platform,
    preparePlan: languageModel.preparePlan,
    regionOf: (tenant) => tenants.regionOf(asTenantId(tenant)),
  });
  const rollups = rollupCollections(platform.store);
  const callRollups = new CallRollups({
    calls: callRecords.calls,
    analyses: callRecords.analyses,
    ...rollups,
  });
  const billing = createBillingModule({
    platform,
    events: webhooks.events,
    calls: callRecords.calls,
    tenantExists: (tenant) => tenants.exists(tenant),
    rollups,
  });
  const carriers = configuredCarriers(config.carriers);
  const phones = createPhonesModule({
    platform,
    carriers,
    agents,
    admitSpending: (scope) => billing.admit(scope),
  });
  const verifications = createVerificationsModule({
    platform,
    carriers,
    numbers: phones.numbers,
    users,
    tenants,
    admitSpending: (scope) => billing.admit(scope),
  });
  const compliance = createComplianceModule({
    platform,
    agentOf: async (tenant, agentId) => gateAgent(await agents.snapshot(tenant, agentId), {}),
    maxConcurrentCalls: MAX_CONCURRENT_CALLS,
    countLiveCalls: callRecords.countLiveCalls,
    checksWithCall: (scope, checkIds, since) => callRecords.checksWithCall(scope, checkIds, since),
  });
  const integrations = createIntegrationsModule({
    platform,
    callOf: (callId) => callRecords.toolsOf(callId),
  });
  const calls = createCallsModule({
    platform,
    records: callRecords,
    archive,
    storage,
    agents,
    tenantEvents: webhooks.events,
    deliveriesOfCall: webhooks.deliveriesOfCall,
    languageModel: languageModel.models,
    proxiedUsage: languageModel.proxiedUsage,
    workers,
    carriers,
    phones,
    compliance,
    campaignCriteria: campaignCriteriaReader(campaignRecords.campaigns),
    contactPublication: contactPublication({
      ...campaignRecords,
      wake: (id) => campaigns.wake(id),
    }),
    billing,
    accounts,
    preparePlan: languageModel.preparePlan,
  });
  const campaigns = createCampaignsModule({
    platform,
    agents,
    records: campaignRecords,
    callRecords,
    callRollups,
    callerIds: phones.callerIds,
    createCall: calls.createCall,
    tenantEvents: webhooks.events,
    languageModel: languageModel.models,
    eraseRefusals: (tenant, contactId) => compliance.gate.eraseRefusals(tenant, contactId),
  });
  const analytics = createAnalyticsModule({
    platform,
    callRollups,
    rollupCheck: new RollupCheck({
      states: rollups.states,
      kinds: { calls: callRollups.rollups, usage: billing.usageRollups.rollups },
    }),
    campaignsOf: campaignReader(campaignRecords.campaigns),
    responseLatencies: (query) => billing.responseLatencies(query),
    latencyGroups: (query) => billing.usageRollups.latencyGroups(query),
    agentNames: (tenant, ids) => agents.names(tenant, ids),
    previewOf: (tenant, agentId, change) => agents.previews.of(tenant, agentId, change),
    carrier: carriers.first,
    minuteCost: (call) => billing.minuteCost(call),
    lastCompleted: (scope, agentId, limit, versions) =>
      callRecords.lastCompleted(scope, agentId, limit, versions),
    measured: (scope, callIds) => billing.measured(scope, callIds),
  });
  const agentTesting = createAgentTestingModule({
    platform,
    agents,
    languageModels: languageModel.models,
    calls: calls.service,
    testerCalls: calls.testerCalls,
    integrations: integrations.runs,
    billing,
  });
  const live = createLiveModule({ platform, records: callRecords, workers: workers.registry });
  const operator = createOperatorModule({
    platform,
    calls: calls.service,
    records: callRecords,
    hangUp: calls.hangUp,
    live: live.live,
    tenants,
    keys,
    agents,
    workers: workers.registry,
  });

  const retention = createRetentionModule({
    platform,
    tenants,
    calls,
    eraseEvents: webhooks.eraseEvents,
    eraseSteps: [
      (call) => webhooks.eraseEvents(asTenantId(call.tenant_id), [contactEventId(call._id)]),
      async ({ tenant_id: tenant, compliance_check_id: checkId }) => {
        if (checkId !== null) await compliance.gate.erase(asTenantId(tenant), checkId);
      },
      (call) => campaigns.eraseCall(call),
    ],
  });

  webhooks.alsoResume('agents', () => agents.publishPending());
  webhooks.alsoResume('calls', () => calls.publishPending());
  tenantCreated.push((tenant) => phones.phones.ensureSandboxCallerId(tenant));
  tenantCreated.push((tenant) => billing.ensureFreeCredit(tenant));

  // Also the order of the paths in the API's description.
  const modules: readonly Module[] = [
    webhooks,
    clerk,
    createApiKeysModule({ keys, tenants, users }),
    members,
    dashboard,
    createAgentsModule({ agents }),
    createAgentTemplatesModule({ agents, integrations: integrations.connections }),
    createVendorsModule({ keys: vendorKeys, voices, cursors }),
    billing,
    languageModel,
    workers,
    createPartFilesModule({ ...platform, dataDir: config.dataDir }),
    calls,
    retention,
    compliance,
    operator,
    live,
    createSecretsModule(platform),
    phones,
    verifications,
    campaigns,
    analytics,
    agentTesting,
    integrations,
  ];
  return {
    modules: [...modules, createJobsModule(platform, modules)],
    lookup: (credential) => keys.lookup(credential),
    sessions: dashboard.tenantSessions,
    recall: (shown) => (isSession(shown.keyId) ? dashboard.tenantSessions.recall(shown) : keys.recall(shown)),
    workerRoom: () => workers.registry.room(),
    languageModels: languageModel.models,
  };
}
