import type { TenantId } from '@voice/shared/ids/ids';
import type { ComplianceModule } from '../compliance/module.js';
import type { StructuredLanguageModel } from '../language-model/port.js';
import type { ProxiedUsage } from '../language-model/proxy/usage-model.js';
import { BackgroundWork } from '../platform/jobs/background.js';
import type { Module, Platform } from '../platform/module.js';
import type { Carriers } from '../telephony/carriers/carriers.js';
import type { PhonesModule } from '../telephony/phones/module.js';
import type { AccountsOf } from '../vendors/keys/service.js';
import type { Deliveries } from '../webhooks/deliveries/deliveries.js';
import type { TenantEventSeries, TenantEvents } from '../webhooks/events/tenant-events.js';
import type { WorkersModule } from '../workers/module.js';
import type { CallArchive } from './archive/call-archive.js';
import { CallArchiving } from './archive/call-archiving.js';
import { CallsService } from './calls-service.js';
import { CarrierCallbackHandler } from './carrier-callbacks/callback-handler.js';
import { carrierRoutes } from './carrier-callbacks/carrier-routes.js';
import { CallDecisions } from './decisions/call-decisions.js';
import { callDecisionRoutes } from './decisions/routes.js';
import { callDeliveryRoutes } from './deliveries/routes.js';
import { CallEnding } from './ending/call-ending.js';
import { HangUp } from './ending/hang-up.js';
import { ErasedCalls } from './erasure/erased-calls.js';
import { EventFolding } from './folding/event-folding.js';
import { Handoffs, type HandoffsOptions } from './handoffs/handoffs.js';
import { handoffRoutes } from './handoffs/routes.js';
import { InboundCalls } from './inbound/inbound-calls.js';
import { OperatorAudit } from './operator-actions/audit.js';
import { CallNotes } from './operator-actions/call-notes.js';
import { operatorActionModel } from './operator-actions/model.js';
import { RecordingControl } from './operator-actions/recording-control.js';
import { operatorActionRoutes } from './operator-actions/routes.js';
import type { CreateCall } from './outbound/create-call.js';
import type { TesterCalls } from './outbound/tester-calls.js';
import type { AgentDirectory } from './plan/agent-directory.js';
import type { CallBilling } from './plan/call-billing.js';
import type { CampaignCriteria } from './post-call/analysis-question.js';
import type { ObjectStorage } from './post-call/object-storage.js';
import type { Publication } from './post-call/publication.js';
import { CallEventPublisher } from './record/call-event-publisher.js';
import { CallMetrics } from './record/call-metrics.js';
import { FOLDED } from './record/folded-events.js';
import type { CallDocument } from './record/model.js';
import type { CallRecords } from './record/records.js';
import { tenantOf } from './record/tenant-of.js';
import { isTestSession } from './record/test-sessions.js';
import { dispatchSafetyNet, unknownDialings } from './recovery/dispatch-safety-net.js';
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
import { wireOutbound } from './wire-outbound.js';
import { type PostCallParts, wirePostCall } from './wire-post-call.js';
import { EventIntake } from './worker-events/event-intake.js';
import { FinishedCallEvents } from './worker-events/finished-call-events.js';
import { workerRoutes } from './worker-events/routes.js';
import { WorkerCalls } from './worker-events/worker-calls.js';

export interface CallsModuleOptions {
  readonly platform: Platform;
  readonly records: CallRecords;
  readonly archive: CallArchive;
  /** For recordings and decision logs. */
  readonly storage: ObjectStorage;
  readonly agents: AgentDirectory;
  readonly tenantEvents: TenantEvents & TenantEventSeries;
  /** The attempts to bring a call's events to webhooks. */
  readonly deliveriesOfCall: Deliveries['listOfCall'];
  readonly languageModel: StructuredLanguageModel;
  /** What workers used of language models through this service. */
  readonly proxiedUsage: ProxiedUsage;
  readonly workers: WorkersModule;
  readonly carriers: Carriers;
  readonly phones: Pick<PhonesModule, 'phones' | 'attestations'>;
  readonly compliance: Pick<ComplianceModule, 'gate' | 'optOuts'>;
  /** What a campaign wants of the analysis of its calls. */
  readonly campaignCriteria: (tenant: TenantId, campaignId: string) => Promise<CampaignCriteria | null>;
  /** What a campaign publishes of the end of its calls. */
  readonly contactPublication: Publication;
  /** Returns how vendors are reached on the accounts of a tenant's agent. */
  readonly accounts: AccountsOf;
  readonly billing: CallBilling;
  /** Final transform before what a plan holds is sent to a worker. */
  readonly preparePlan: HandoffsOptions['preparePlan'];
}

export interface CallsModule extends Module {
  /** The one way to an outbound call, for whatever makes calls besides the API. */
  readonly createCall: CreateCall;
  /** Publishes the events that a crash left pending. */
  publishPending(): Promise<void>;
  readonly service: CallsService;
  readonly hangUp: HangUp;
  readonly testerCalls: TesterCalls;
  /** What is kept of calls, to be erased. */
  readonly erasedCalls: ErasedCalls;
  /** Moves old calls to the object storage. */
  readonly archiving: CallArchiving;
  readonly audit: OperatorAudit;
}

/** Wires calls, from the request to the recording. */
export function createCallsModule({
  platform,
  records,
  archive,
  storage,
  agents,
  tenantEvents,
  deliveriesOfCall,
  languageModel,
  proxiedUsage,
  workers: { registry, client, commands, placement, sweeps },
  carriers,
  phones: { phones, attestations },
  compliance: { gate, optOuts },
  campaignCriteria,
  contactPublication,
  billing,
  accounts,
  preparePlan,
}: CallsModuleOptions): CallsModule {
  const { store, clock, config, tracer } = platform;
  const { calls, events, analyses, transcripts } = records;
  const log = platform.log.child({ module: 'calls' });
  const publicUrl = () => platform.publicUrl();
  const background = new BackgroundWork(log);
  const metrics = new CallMetrics(platform.metrics, registry);
  const workerEvents = new FinishedCallEvents({
    read: (call) => intake.eventsOf(tenantOf(call), call._id),
    now: () => clock.monotonic(),
  });
  const eventsOf = (call: CallDocument) => workerEvents.of(call);
  const eventPublisher = new CallEventPublisher({
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
    eventPublisher,
    onEnded: (call) => {
      afterCalls.postCall.soon(call);
      afterCalls.publisher.soon(call);
    },
    onGivenBack: (call) =>
      background.run('go on with a call that was not answered', () => afterCalls.postCall.wake(call)),
    tracer,
    clock,
    metrics,
    log,
  });
  const transferRows = transferModel(store);
  const transfers: Transfers = new Transfers({
    transfers: transferRows,
    calls,
    carriers,
    commands,
    ending,
    events: tenantEvents,
    background,
    settleCall: async (call) => void (await intake.settle(call)),
    streamEnded: async ({ _id, tenant_id }) =>
      (await events.exists({ call_id: _id, tenant_id, kind: { $in: ['ended', FOLDED] } })) !== null,
    publicUrl,
    clock,
    log,
  });
  const intake: EventIntake = new EventIntake({
    transfers: agentTransfers(transfers),
    readArchived: (row) => archive.eventsOf(row),
    calls,
    events,
    ending,
    commands,
    eventPublisher,
    clock,
    log,
    // Who tries an agent out and asks not to be called tries just that out.
    onStored: async (call, event) => {
      if (!isTestSession(call)) await optOuts.addIfRequested(call, event);
    },
  });
  const callbackHandler = new CarrierCallbackHandler({
    calls,
    ending,
    commands,
    eventPublisher,
    attestations,
    clock,
    log,
  });
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
    accounts,
    clock,
    log,
  });
  const workerCalls = new WorkerCalls({
    calls,
    registry,
    client,
    ending,
    intake,
    onSpoolCame: (call) => afterCalls.postCall.soon(call),
    clock,
    log,
  });

  const { dispatcher, createCall, testCalls, testerCalls } = wireOutbound({
    platform,
    calls,
    agents,
    phones,
    gate,
    carriers,
    workers: { registry, client, placement },
    ending,
    accounts,
    billing,
    metrics,
    log,
  });
  const afterCalls: PostCallParts = wirePostCall({
    platform,
    records: { calls, analyses, transcripts },
    storage,
    agents,
    tenantEvents,
    languageModel,
    proxiedUsage,
    carriers,
    campaignCriteria,
    contactPublication,
    billing,
    eventsOf,
    publishProgress: (call) => eventPublisher.publishOf(call),
    metrics,
    log,
  });
  const { postCall, publisher, uploads, recordingUrls } = afterCalls;
  const service = new CallsService({
    calls,
    intake,
    cursors: platform.cursors,
    recordings: recordingUrls,
    analyses,
    transcripts,
    archive,
    clock,
  });
  const audit = new OperatorAudit(operatorActionModel(store), clock);
  const hangUp = new HangUp({ calls, ending, commands, audit, clock });
  const notes = new CallNotes({ calls, agents, audit, commands });
  const recordingControl = new RecordingControl({ calls, audit, commands, secrets: platform.secrets });

  const handoffs = new Handoffs({
    calls,
    agents,
    secrets: platform.secrets,
    vendors: config.vendors,
    accounts,
    minuteHold: billing.minuteHold,
    preparePlan,
    clock,
  });
  const reconciliation = new Reconciliation({
    calls,
    carriers,
    dispatcher,
    ending,
    callbackHandler,
    intake,
    registry,
    clock,
    log,
  });
  const folding = new EventFolding({ calls, events, clock });
  const sweep = new LostWorkerSweep({ sweeps, workerCalls, clock });
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
        recordingFiles: afterCalls.recordingFiles,
      }),
      ...callDecisionRoutes(new CallDecisions({ calls: service, uploads, registry, client })),
      ...callDeliveryRoutes({ requireCall: (scope, id) => service.get(scope, id), deliveriesOfCall }),
      ...transferRoutes({ transfers, audit, requireCall: (scope, id) => service.require(scope, id) }),
      ...operatorActionRoutes({
        audit,
        notes,
        recordingControl,
        requireCall: (scope, id) => service.get(scope, id),
      }),
    ],
    intakeRoutes: carrierRoutes({
      carriers,
      callbackHandler,
      inbound,
      transfers,
      publicUrl,
      store,
      clock,
      log,
    }),
    internalRoutes: [...workerRoutes({ workerCalls, intake, uploads, clock }), ...handoffRoutes(handoffs)],
    jobs: [
      dispatchSafetyNet(reconciliation),
      unknownDialings(reconciliation),
      lostWorkers(sweep),
      ...stuckCalls(reconciliation),
      openTransfers(transfers),
      { name: 'event-folding', everyMs: 10_000, run: () => folding.sweep() },
      ...afterCalls.jobs,
    ],
    async stop() {
      await dispatcher.stop();
      await postCall.stop();
      await publisher.settled();
      await background.settled();
    },
    publishPending: () => eventPublisher.publishPending(),
    service,
    hangUp,
    testerCalls,
    archiving: new CallArchiving({ records, archive, secrets: platform.secrets, clock }),
    erasedCalls: new ErasedCalls({ records, archive, transfers: transferRows, audit, uploads, clock }),
    audit,
  };
}
