import type { Clock } from '@voice/shared/clock/clock';
import type { CallEvent } from '@voice/shared/contracts/call-events';
import type { TenantId } from '@voice/shared/ids/ids';
import type { Connection } from 'mongoose';
import type { CallTelling } from '../calls/call-telling.js';
import { thawAgent } from '../calls/frozen-agent.js';
import type { CallDocument, CallModel } from '../calls/model.js';
import type { TenantEvents } from '../events/tenant-events.js';
import type { StructuredLanguageModel } from '../language-model/port.js';
import type { SecretBox } from '../secrets/secret-box.js';
import { analysisModel } from './analysis-model.js';
import type { AnalysisSettings, CampaignCriteria } from './analysis-question.js';
import { analysisStep } from './analysis-step.js';
import { recordingStep } from './recording-step.js';
import { DONE, type PostCallStep } from './step.js';
import { transcriptModel } from './transcript-model.js';
import { transcriptStep } from './transcript-step.js';

export interface PostCallStepsOptions {
  readonly store: Connection;
  readonly calls: CallModel;
  readonly telling: CallTelling;
  readonly eventsOf: (call: CallDocument) => Promise<CallEvent[]>;
  readonly recordingUrl: (call: CallDocument) => Promise<string>;
  /** The agent's analysis settings as they are now, for calls that have none frozen. */
  readonly currentSettings: (tenant: TenantId, agentId: string) => Promise<AnalysisSettings>;
  readonly criteriaOf: (tenant: TenantId, campaignId: string) => Promise<CampaignCriteria | null>;
  readonly languageModel: StructuredLanguageModel;
  readonly events: TenantEvents;
  readonly secrets: SecretBox;
  readonly publicUrl: () => string;
  readonly clock: Clock;
  /** Of other parts of the service, such as the call's cost, which the analysis is a part of: at the end. */
  readonly further?: readonly PostCallStep[];
}

/**
 * What happens to a call after its end, in this order. Its events go out in the order of the specification:
 * call.completed, transcript.ready, recording.ready, analysis.ready.
 */
export function postCallSteps(options: PostCallStepsOptions): PostCallStep[] {
  const { store, telling, secrets } = options;
  const settingsOf = async (call: CallDocument): Promise<AnalysisSettings> =>
    call.analysis_settings
      ? (JSON.parse(call.analysis_settings) as AnalysisSettings)
      : options.currentSettings(call.tenant_id as TenantId, call.agent_id);
  return [
    {
      name: 'status_told',
      async run(call) {
        await telling.tell(call._id);
        return DONE;
      },
    },
    transcriptStep({ ...options, transcripts: transcriptModel(store) }),
    recordingStep(options),
    analysisStep({
      ...options,
      analyses: analysisModel(store),
      agentOf: (call) => thawAgent(secrets, call),
      settingsOf,
      model: options.languageModel,
    }),
    ...(options.further ?? []),
  ];
}
