import type { TenantId } from '@voice/shared/ids/ids';
import { createComplianceModule } from '../compliance/module.js';
import type { StructuredLanguageModel } from '../language-model/port.js';
import { CallTokens } from '../language-model/proxy/call-token.js';
import { proxiedPlan } from '../language-model/proxy/proxied-plan.js';
import { llmProxyRoute, proxyUrl } from '../language-model/proxy/routes.js';
import { ProxiedUsage, proxiedUsageModel } from '../language-model/proxy/usage-model.js';
import type { WorkerRoom } from '../platform/health/worker-room.js';
import { BackgroundWork } from '../platform/jobs/background.js';
import { Jobs } from '../platform/jobs/jobs.js';
import type { Module, Platform } from '../platform/module.js';
import { sharedReads } from '../platform/store/shared-reads.js';
import { ownedBy, scopeName } from '../platform/store/tenant-scope.js';
import { type Carriers, configuredCarriers } from '../telephony/carriers/carriers.js';
import { Attestations } from '../telephony/phones/attestations.js';
import { phoneNumberModel } from '../telephony/phones/model.js';
import { PhonesService } from '../telephony/phones/service.js';
import type { TenantEvents } from '../webhooks/events/tenant-events.js';
import { WorkerCommands } from '../workers/commands.js';
import { workerModel } from '../workers/model.js';
import { Placement } from '../workers/placement.js';
import { WorkerRegistry } from '../workers/registry.js';
import { sweepModel } from '../workers/sweep-model.js';
import { WorkerClient } from '../workers/worker-client.js';
import { CallsService } from './calls-service.js';
import { CarrierNewsIntake } from './carrier-callbacks/carrier-news.js';
import { carrierRoutes } from './carrier-callbacks/carrier-routes.js';
import { TelnyxIntake } from './carrier-callbacks/telnyx-intake.js';
import { CallEnding } from './ending/call-ending.js';
import { HangUp } from './ending/hang-up.js';
import { InboundCalls } from './inbound/inbound-calls.js';
import { OperatorAudit } from './operator-actions/audit.js';
import { CallNotes } from './operator-actions/call-notes.js';
import { operatorActionModel } from './operator-actions/model.js';
import { RecordingControl } from './operator-actions/recording-control.js';
import { operatorActionRoutes } from './operator-actions/routes.js';
import { CreateCall } from './outbound/create-call.js';
import { Dispatcher } from './outbound/dispatcher.js';
import { TestCallLimit, TestCalls } from './outbound/test-calls.js';
import { TesterCalls } from './outbound/tester-calls.js';
import type { AgentDirectory } from './plan/agent-directory.js';
import type { CallBilling } from './plan/call-billing.js';
import { gateAgent } from './plan/gate-agent.js';
import type { CampaignCriteria } from './post-call/analysis-question.js';
import { RecordingFiles } from './post-call/audio/recording-file.js';
import { carrierPriceOf } from './post-call/carrier-price.js';
import { DiskStorage } from './post-call/disk-storage.js';
import { EndPublisher } from './post-call/end-publisher.js';
import { postCallSweep } from './post-call/post-call-sweep.js';
import { PostCall } from './post-call/post-call.js';
import type { Publication } from './post-call/publication.js';
import { publishSweep } from './post-call/publish-sweep.js';
import { RecordingUrls } from './post-call/recording-urls.js';
import { S3Storage } from './post-call/s3-storage.js';
import { callPublications, postCallSteps } from './post-call/steps.js';
import { CallUploads } from './post-call/uploads.js';
import { analysisModel, analysisTokensOf } from './record/analysis-model.js';
import { callEventModel } from './record/call-event-model.js';
import { CallMetrics } from './record/call-metrics.js';
import { LIVE_STATUSES } from './record/call-state.js';
import { CallTelling } from './record/call-telling.js';
import { type CallDocument, callModel } from './record/model.js';
import { tenantOf } from './record/tenant-of.js';
import { isTestSession } from './record/test-sessions.js';
import { dispatchSafetyNet } from './recovery/dispatch-safety-net.js';
import { LostWorkerSweep } from './recovery/lost-worker-sweep.js';
import { lostWorkers } from './recovery/lost-workers.js';
import { Reconciliation } from './recovery/reconciliation.js';
import { stuckCalls } from './recovery/stuck-calls.js';
import { callRoutes } from './routes.js';
import { agentTransfers } from './transfers/agent-transfers.js';
import { transferModel } from './transfers/model.js';
import { openTransfers } from './transfers/open-transfers.js';
import { transferRoutes } from './transfers/routes.js';
import { Transfers } from './transfers/transfers.js';
import { EventIntake } from './worker-events/event-intake.js';
import { workerRoutes } from './worker-events/routes.js';
import { WorkerCalls } from './worker-events/worker-calls.js';

/** Calls that a tenant may have at once. */
const MAX_CONCURRENT_CALLS = 1000;

export interface CallsModuleDeps {
  readonly platform: Platform;
  readonly agents: AgentDirectory;
  readonly tenantEvents: TenantEvents;
  readonly languageModel: StructuredLanguageModel;
  /** What a campaign wants of the analysis of its calls. */
  readonly campaignCriteria?: (tenant: TenantId, campaignId: string) => Promise<CampaignCriteria | null>;
  /** What a campaign publishes of the end of its calls. */
  readonly contactPublication: Publication;
  readonly billing: CallBilling;
  /** Default: as configured. */
  readonly carriers?: Carriers;
}

export interface CallsModule extends Module {
  /** The one way to an outbound call, for whatever makes calls besides the API. */
  readonly createCall: CreateCall;
  /** For a new tenant: the caller id that its sandbox keys dial with. */
  ensureSandboxCallerId(tenant: TenantId): Promise<void>;
  /** Tells what a crash left untold. */
  tellRest(): Promise<void>;
  /** Whether calls can be taken now. */
  workerRoom(): Promise<WorkerRoom>;
  readonly service: CallsService;
  readonly hangUp: HangUp;
  readonly testerCalls: TesterCalls;
}

/** Calls from the request to the recording: who of this part needs whom. */
export function createCallsModule({
  platform,
  agents,
  tenantEvents,
  languageModel,
  campaignCriteria = async () => null,
  contactPublication,
  billing,
  carriers: given,
}: CallsModuleDeps): CallsModule {
  const { store, clock, config } = platform;
  const log = platform.log.child({ module: 'calls' });
  const publicUrl = () => platform.publicUrl();
  const calls = callModel(store);
  const events = callEventModel(store);

  const carriers = given ?? configuredCarriers(config.carriers);
  const phones = new PhonesService(phoneNumberModel(store), clock);
  const registry = new WorkerRegistry(workerModel(store), clock);
  const client = new WorkerClient({ secret: config.internalSecret, clock });
  const commands = new WorkerCommands({ registry, client, log });
  const llmTokens = new CallTokens(config.secretsKeys);
  const placement = new Placement({
    registry,
    client,
    log,
    ...(config.llmProxy
      ? {
          prepare: (plan) =>
            proxiedPlan(plan, { tokens: llmTokens, url: proxyUrl(platform.internalUrl()), now: clock.now() }),
        }
      : {}),
  });
  const proxiedUsage = new ProxiedUsage(proxiedUsageModel(store));
  const llmProxy = llmProxyRoute({
    tokens: llmTokens,
    liveCall: async (callId) => {
      const call = await calls
        .findOne({ _id: callId, status: { $in: LIVE_STATUSES } }, { tenant_id: 1 })
        .lean<Pick<CallDocument, 'tenant_id'>>();
      return call && { tenantId: call.tenant_id };
    },
    usage: proxiedUsage,
    vendor: config.vendors.openai,
    clock,
  });

  const compliance = createComplianceModule({
    platform,
    agentOf: async (tenant, agentId) => gateAgent(await agents.snapshot(tenant, agentId), {}),
    checksWithCall: async (scope, checkIds, since) => {
      const stored = await calls
        .find(
          { ...ownedBy(scope), created_at: { $gte: since }, compliance_check_id: { $in: checkIds } },
          { compliance_check_id: 1 },
        )
        .lean<Pick<CallDocument, 'compliance_check_id'>[]>();
      return stored.flatMap(({ compliance_check_id: id }) => id ?? []);
    },
    maxConcurrentCalls: MAX_CONCURRENT_CALLS,
    countLiveCalls: sharedReads(
      (scope) => scopeName(scope),
      (scope) =>
        calls
          .countDocuments(
            { ...ownedBy(scope), status: { $in: LIVE_STATUSES } },
            { limit: MAX_CONCURRENT_CALLS },
          )
          .exec(),
    ),
  });
  const { gate, optOuts } = compliance;
  const background = new BackgroundWork(log);
  const metrics = new CallMetrics(platform.metrics, registry);
  const storage = config.s3 ? new S3Storage(config.s3) : new DiskStorage(config.dataDir);
  const recordingUrls = new RecordingUrls({ secretsKeys: config.secretsKeys, publicUrl, clock, storage });
  const analyses = analysisModel(store);
  const eventsOf = (call: CallDocument) => intake.eventsOf(tenantOf(call), call._id);
  const telling = new CallTelling({
    calls,
    events: tenantEvents,
    background,
  });
  const ending = new CallEnding({
    calls,
    carriers,
    commands,
    placement,
    background,
    telling,
    onEnded: (callId) => {
      postCall.soon(callId);
      publisher.soon(callId);
    },
    clock,
    metrics,
    log,
  });
  const transfers: Transfers = new Transfers({
    transfers: transferModel(store),
    calls,
    carriers,
    commands,
    ending,
    events: tenantEvents,
    background,
    settleCall: (call) => intake.settle(call),
    streamEnded: async (callId) => (await events.exists({ call_id: callId, kind: 'ended' })) !== null,
    publicUrl,
    clock,
    log,
  });
  const intake: EventIntake = new EventIntake({
    transfers: agentTransfers(transfers),
    calls,
    events,
    ending,
    commands,
    telling,
    clock,
    log,
    // Who tries an agent out and asks not to be called tries just that out.
    hear: async (call, event) => {
      if (!isTestSession(call)) await optOuts.hear(call, event);
    },
  });
  const attestations = new Attestations(phoneNumberModel(store), log);
  const news = new CarrierNewsIntake({ calls, ending, commands, telling, attestations, clock, log });
  const inbound = new InboundCalls({
    calls,
    agents,
    phones,
    attestations,
    gate,
    admitSpending: billing.admit,
    minuteHold: billing.minuteHold,
    ending,
    placement,
    secrets: platform.secrets,
    vendors: config.vendors,
    clock,
    log,
  });
  const telnyx = new TelnyxIntake({ store, carriers, news, inbound, transfers, clock, log });
  const workerCalls = new WorkerCalls({
    calls,
    registry,
    client,
    ending,
    intake,
    onSpoolCame: (callId) => postCall.soon(callId),
    clock,
    log,
  });

  const dispatcher = new Dispatcher({
    calls,
    gate,
    carriers,
    placement,
    ending,
    secrets: platform.secrets,
    vendors: config.vendors,
    publicUrl,
    clock,
    metrics,
    log,
  });
  const publisher: EndPublisher = new EndPublisher({
    calls,
    publications: callPublications({
      store,
      eventsOf,
      publishProgress: (callId) => telling.tell(callId),
      recordingUrl: async ({ _id, recording }) => recording && recordingUrls.address(_id, recording.key),
      costUsd: (call) => billing.foreseeCost(call, eventsOf),
      contactPublication,
      events: tenantEvents,
      publicUrl,
    }),
    clock,
    log,
  });
  const postCall: PostCall = new PostCall({
    calls,
    onProgress: (callId) => publisher.soon(callId),
    steps: postCallSteps({
      store,
      calls,
      eventsOf,
      currentSettings: async (tenant, agentId) => (await agents.snapshot(tenant, agentId)).analysis,
      criteriaOf: campaignCriteria,
      languageModel,
      secrets: platform.secrets,
      clock,
      costStep: billing.costStep({
        calls,
        eventsOf,
        proxiedTokensOf: (call) => proxiedUsage.of(call),
        analysisTokensOf: (call) => analysisTokensOf(analyses, call),
        carrierPriceOf: (call, signal) => carrierPriceOf(carriers, call, signal),
      }),
    }),
    clock,
    log,
  });
  const uploads = new CallUploads({
    calls,
    storage,
    onStored: (callId) => postCall.wake(callId),
    clock,
  });
  const service = new CallsService({
    calls,
    intake,
    cursors: platform.cursors,
    recordings: recordingUrls,
    analyses,
  });
  const createCall = new CreateCall({
    calls,
    admitSpending: billing.admit,
    minuteHold: billing.minuteHold,
    agents,
    phones,
    gate,
    carriers,
    dispatcher,
    secrets: platform.secrets,
    vendors: config.vendors,
    clock,
    log,
  });
  const testCalls = new TestCalls({ createCall, phones, limit: new TestCallLimit(store, clock) });
  const audit = new OperatorAudit(operatorActionModel(store), clock);
  const testerCalls = new TesterCalls({
    calls,
    admitSpending: (scope) => billing.admit(scope),
    registry,
    client,
    placement,
    secrets: platform.secrets,
    vendors: config.vendors,
    clock,
  });
  const hangUp = new HangUp({ calls, ending, commands, audit, clock });
  const notes = new CallNotes({ calls, agents, audit, commands });
  const recordingControl = new RecordingControl({ calls, audit, commands, secrets: platform.secrets });

  const reconciliation = new Reconciliation({
    calls,
    carriers,
    dispatcher,
    ending,
    news,
    intake,
    registry,
    clock,
    log,
  });
  const sweep = new LostWorkerSweep({ sweeps: sweepModel(store), workerCalls, clock });
  const jobs = new Jobs({
    store,
    jobs: [
      dispatchSafetyNet(reconciliation),
      lostWorkers(sweep),
      stuckCalls(reconciliation),
      openTransfers(transfers),
      postCallSweep(postCall),
      publishSweep(publisher),
    ],
    log,
  });

  return {
    name: 'calls',
    createCall,
    routes: [
      ...callRoutes({
        calls: service,
        createCall,
        testCalls,
        hangUp,
        recordingUrls,
        uploads,
        recordingFiles: new RecordingFiles(storage),
      }),
      ...transferRoutes({ transfers, audit, requireCall: (scope, id) => service.require(scope, id) }),
      ...operatorActionRoutes({
        audit,
        notes,
        recordingControl,
        requireCall: (scope, id) => service.get(scope, id),
      }),
      ...(compliance.routes ?? []),
    ],
    intakeRoutes: carrierRoutes({ carriers, news, inbound, transfers, telnyx, publicUrl }),
    internalRoutes: [
      llmProxy,
      ...workerRoutes({ workerCalls, intake, uploads }),
      ...(compliance.internalRoutes ?? []),
    ],
    start: () => jobs.start(),
    async stop() {
      await jobs.stop();
      await dispatcher.stop();
      await postCall.stop();
      await publisher.settled();
      await background.settled();
    },
    ensureSandboxCallerId: (tenant) => phones.ensureSandboxCallerId(tenant),
    tellRest: () => telling.tellRest(),
    workerRoom: () => registry.room(),
    service,
    hangUp,
    testerCalls,
  };
}
