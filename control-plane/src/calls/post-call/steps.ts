import type { Clock } from '@voice/shared/clock/clock';
import type { CallEvent } from '@voice/shared/contracts/call-events';
import type { TenantId } from '@voice/shared/ids/ids';
import type { StructuredLanguageModel } from '../../language-model/port.js';
import type { SecretBox } from '../../platform/secrets/secret-box.js';
import type { ReadsByTenantAndId } from '../../platform/store/reads-by-id.js';
import type { AnalysisModel, AnalysisRow } from '../record/analysis-model.js';
import { thawAgent } from '../record/frozen-agent.js';
import type { CallDocument, CallModel } from '../record/model.js';
import type { TranscriptModel } from '../record/transcript-model.js';
import type { AnalysisSettings, CampaignCriteria } from './analysis-question.js';
import { analysisPublication, analysisStep } from './analysis-step.js';
import { type EndPublicationOptions, endPublication } from './end-publication.js';
import type { Publication } from './publication.js';
import { recordingPublication, recordingStep } from './recording-step.js';
import { spoolStep } from './spool-step.js';
import type { PostCallStep } from './step.js';
import { transcriptPublication, transcriptStep } from './transcript-step.js';

export interface PostCallStepsOptions {
  readonly transcripts: TranscriptModel;
  readonly analyses: AnalysisModel;
  readonly analysisReads: ReadsByTenantAndId<AnalysisRow>;
  readonly calls: CallModel;
  readonly eventsOf: (call: CallDocument) => Promise<readonly CallEvent[]>;
  /** The agent's analysis settings as they are now, for calls that have none frozen. */
  readonly currentSettings: (tenant: TenantId, agentId: string) => Promise<AnalysisSettings>;
  readonly criteriaOf: (tenant: TenantId, campaignId: string) => Promise<CampaignCriteria | null>;
  readonly languageModel: StructuredLanguageModel;
  readonly secrets: SecretBox;
  readonly clock: Clock;
  /** Enters what the call cost, its analysis included. */
  readonly costStep: PostCallStep;
}

/**
 * Returns what happens to a call after its end, in this order. The recording comes last: it may be long on its way, and
 * nothing else needs it.
 */
export function postCallSteps(options: PostCallStepsOptions): PostCallStep[] {
  const { secrets } = options;
  const settingsOf = async (call: CallDocument): Promise<AnalysisSettings> =>
    call.analysis_settings
      ? (JSON.parse(call.analysis_settings) as AnalysisSettings)
      : options.currentSettings(call.tenant_id as TenantId, call.agent_id);
  return [
    spoolStep(options),
    transcriptStep(options),
    analysisStep({
      ...options,
      agentOf: (call) => thawAgent(secrets, call),
      settingsOf,
      model: options.languageModel,
    }),
    options.costStep,
    recordingStep(options),
  ];
}

export interface CallPublicationsOptions extends EndPublicationOptions {
  readonly transcripts: TranscriptModel;
  readonly analysisReads: ReadsByTenantAndId<AnalysisRow>;
  readonly eventsOf: (call: CallDocument) => Promise<readonly CallEvent[]>;
  /** Publishes the end of a campaign's call, as the campaign's. */
  readonly contactPublication: Publication;
  readonly publicUrl: () => string;
}

/**
 * Returns what is published of a call after its end, in the order of the specification: call.completed,
 * transcript.ready, recording.ready, analysis.ready.
 */
export function callPublications(options: CallPublicationsOptions): Publication[] {
  return [
    endPublication(options),
    options.contactPublication,
    transcriptPublication(options),
    recordingPublication(options),
    analysisPublication(options),
  ];
}
