import type { TenantId } from '@voice/shared/ids/ids';
import type { Log } from '@voice/shared/log/log';
import type { StructuredLanguageModel } from '../language-model/port.js';
import type { ProxiedUsage } from '../language-model/proxy/usage-model.js';
import type { Module, Platform } from '../platform/module.js';
import { ReadsByTenantAndId } from '../platform/store/reads-by-id.js';
import type { Carriers } from '../telephony/carriers/carriers.js';
import type { TenantEventSeries } from '../webhooks/events/tenant-events.js';
import type { AgentDirectory } from './plan/agent-directory.js';
import type { CallBilling } from './plan/call-billing.js';
import type { CampaignCriteria } from './post-call/analysis-question.js';
import { RecordingFiles } from './post-call/audio/recording-file.js';
import { carrierPriceOf } from './post-call/carrier-price.js';
import { EndPublisher } from './post-call/end-publisher.js';
import type { ObjectStorage } from './post-call/object-storage.js';
import { PostCall } from './post-call/post-call.js';
import { postCallSweep } from './post-call/post-call-sweep.js';
import type { Publication } from './post-call/publication.js';
import { publishSweep } from './post-call/publish-sweep.js';
import { RecordingUrls } from './post-call/recording-urls.js';
import { callPublications, postCallSteps } from './post-call/steps.js';
import { CallUploads } from './post-call/uploads.js';
import { type AnalysisRow, analysisTokens } from './record/analysis-model.js';
import type { CallMetrics } from './record/call-metrics.js';
import { recordOf } from './record/call-record.js';
import { measuredTurns } from './record/measured-turns.js';
import type { CallRecords } from './record/records.js';

export interface PostCallWiringOptions {
  readonly platform: Platform;
  readonly records: Pick<CallRecords, 'calls' | 'analyses' | 'transcripts'>;
  readonly storage: ObjectStorage;
  readonly agents: AgentDirectory;
  readonly tenantEvents: TenantEventSeries;
  readonly languageModel: StructuredLanguageModel;
  /** What workers used of language models through this service. */
  readonly proxiedUsage: ProxiedUsage;
  readonly carriers: Carriers;
  /** What a campaign wants of the analysis of its calls. */
  readonly campaignCriteria: (tenant: TenantId, campaignId: string) => Promise<CampaignCriteria | null>;
  /** What a campaign publishes of the end of its calls. */
  readonly contactPublication: Publication;
  readonly billing: CallBilling;
  /** What the call's worker has reported. */
  readonly eventsOf: Parameters<typeof postCallSteps>[0]['eventsOf'];
  readonly publishProgress: Parameters<typeof callPublications>[0]['publishProgress'];
  readonly metrics: Pick<CallMetrics, 'measured'>;
  readonly log: Log;
}

export interface PostCallParts {
  readonly postCall: PostCall;
  readonly publisher: EndPublisher;
  readonly uploads: CallUploads;
  readonly recordingUrls: RecordingUrls;
  readonly recordingFiles: RecordingFiles;
  readonly jobs: NonNullable<Module['jobs']>;
}

/** Wires what follows a call: its steps, what is published of its end, and its recording. */
export function wirePostCall({
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
  publishProgress,
  metrics,
  log,
}: PostCallWiringOptions): PostCallParts {
  const { clock, config, tracer } = platform;
  const publicUrl = () => platform.publicUrl();
  const analysisReads = new ReadsByTenantAndId<AnalysisRow>(analyses);
  const recordingUrls = new RecordingUrls({ secretsKeys: config.secretsKeys, publicUrl, clock, storage });
  const publisher: EndPublisher = new EndPublisher({
    calls,
    publications: callPublications({
      transcripts,
      analysisReads,
      eventsOf,
      publishProgress,
      recordingUrl: async ({ _id, recording }) => recording && recordingUrls.address(_id, recording.key),
      costUsd: (call) => billing.foreseeCost(call, eventsOf),
      contactPublication,
      publicUrl,
    }),
    events: tenantEvents,
    clock,
    log,
  });
  const postCall: PostCall = new PostCall({
    calls,
    onProgress: (call) => publisher.soon(call),
    steps: postCallSteps({
      transcripts,
      analyses,
      analysisReads,
      calls,
      eventsOf,
      currentSettings: async (tenant, agentId) => (await agents.snapshot(tenant, agentId)).analysis,
      criteriaOf: campaignCriteria,
      languageModel,
      secrets: platform.secrets,
      clock,
      costStep: billing.costStep({
        eventsOf,
        proxiedTokensOf: (call) => proxiedUsage.of(call),
        analysisTokensOf: async ({ _id, tenant_id }) =>
          analysisTokens(await analysisReads.get(tenant_id, _id)),
        carrierPriceOf: (call, signal) => carrierPriceOf(carriers, call, signal),
      }),
    }),
    tracer,
    clock,
    log,
  });
  const uploads = new CallUploads({
    calls,
    storage,
    onStored: (call) => postCall.wake(call),
    onMeasured: async (call, figures) => {
      metrics.measured(measuredTurns(recordOf(await eventsOf(call)).turnMetrics, figures));
    },
    clock,
  });
  return {
    postCall,
    publisher,
    uploads,
    recordingUrls,
    recordingFiles: new RecordingFiles(storage, config.dataDir),
    jobs: [postCallSweep(postCall), publishSweep(publisher)],
  };
}
