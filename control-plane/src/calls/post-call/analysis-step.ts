import type { Clock } from '@voice/shared/clock/clock';
import type { AgentSnapshot } from '@voice/shared/contracts/agent';
import type { CallEvent } from '@voice/shared/contracts/call-events';
import { ServiceError } from '@voice/shared/errors/service-error';
import type { TenantId } from '@voice/shared/ids/ids';
import { modelOfAgent } from '../../language-model/language-models.js';
import type { StructuredLanguageModel } from '../../language-model/port.js';
import { GatheredInserts } from '../../platform/store/gathered-inserts.js';
import type { ReadsByTenantAndId } from '../../platform/store/reads-by-id.js';
import type { AnalysisModel, AnalysisRow } from '../record/analysis-model.js';
import { recordAfterEnd } from '../record/call-changes.js';
import { addCallEvent, callEventBase } from '../record/call-webhook-events.js';
import type { CallDocument, CallModel } from '../record/model.js';
import { tenantOf } from '../record/tenant-of.js';
import {
  type AnalysisSettings,
  analysisQuestion,
  type CampaignCriteria,
  scoreOf,
} from './analysis-question.js';
import { factsOf } from './call-facts.js';
import { hasDone, type Publication } from './publication.js';
import { DONE, type PostCallStep } from './step.js';

/** The longest that a model may take for one analysis, in ms. */
const MODEL_LIMIT_MS = 60_000;

export interface AnalysisStepOptions {
  readonly calls: CallModel;
  readonly analyses: AnalysisModel;
  readonly analysisReads: ReadsByTenantAndId<AnalysisRow>;
  readonly eventsOf: (call: CallDocument) => Promise<readonly CallEvent[]>;
  /** The agent as the call had it. */
  readonly agentOf: (call: CallDocument) => AgentSnapshot;
  readonly settingsOf: (call: CallDocument) => Promise<AnalysisSettings>;
  readonly criteriaOf: (tenant: TenantId, campaignId: string) => Promise<CampaignCriteria | null>;
  readonly model: StructuredLanguageModel;
  readonly clock: Clock;
}

/** Why an analysis was skipped: there was nothing to analyse. */
const NOTHING_WAS_SAID = 'nothing_was_said';

/**
 * Has the call analysed by its agent's model, stores the result, and gives the call its outcome and summary. A
 * failure is stored as one; nothing is made up in its place.
 */
export function analysisStep(options: AnalysisStepOptions): PostCallStep {
  const { calls, analyses, clock } = options;

  const inserts = new GatheredInserts<AnalysisRow>(analyses);

  async function keep(row: AnalysisRow): Promise<AnalysisRow> {
    if (await inserts.insert(row)) return row;
    // Another run was there first: its answer counts, ours is forgotten.
    return analyses.findOne({ _id: row._id, tenant_id: row.tenant_id }).orFail().lean<AnalysisRow>();
  }

  async function analyse(call: CallDocument, signal: AbortSignal): Promise<AnalysisRow> {
    const settings = await options.settingsOf(call);
    const { transcript } = factsOf(await options.eventsOf(call)).record;
    const skipped = (code: string, message: string) =>
      rowOf(call, clock.now(), { status: 'skipped', error_code: code, error_message: message });
    if (!settings.enabled) return skipped('analysis_disabled', 'The agent has its calls not analysed.');
    if (!transcript.some(({ role }) => role === 'caller' || role === 'agent')) {
      return skipped(NOTHING_WAS_SAID, 'Nothing was said.');
    }
    const agent = options.agentOf(call);
    const campaign = call.campaign_id ? await options.criteriaOf(tenantOf(call), call.campaign_id) : null;
    const question = analysisQuestion(
      {
        agentName: agent.name,
        systemPrompt: agent.system_prompt,
        endReason: call.end_reason,
        durationMs: call.duration_ms ?? 0,
        transcript,
      },
      settings,
      campaign,
    );
    const { value, model, inputTokens, outputTokens } = await options.model.answer(
      { ...question, choice: modelOfAgent(tenantOf(call), agent), purpose: 'analysis' },
      AbortSignal.any([signal, AbortSignal.timeout(MODEL_LIMIT_MS)]),
    );
    return rowOf(call, clock.now(), {
      status: 'complete',
      outcome: value.outcome,
      outcome_score: scoreOf(value, settings.scorecard),
      summary: value.summary,
      sentiment: value.sentiment,
      scorecard: value.scorecard ? JSON.stringify(value.scorecard) : null,
      extracted_data: value.extracted_data ? JSON.stringify(value.extracted_data) : null,
      llm_model: model ?? '',
      input_tokens: inputTokens,
      output_tokens: outputTokens,
    });
  }

  async function record(call: CallDocument, row: AnalysisRow): Promise<void> {
    const tenant = tenantOf(call);
    const at = row.created_at.getTime();
    await recordAfterEnd(
      calls,
      tenant,
      call._id,
      {
        name: 'analysis',
        type: row.status === 'complete' ? 'analysis.stored' : `analysis.${row.status}`,
        at,
        data:
          row.status === 'complete'
            ? { outcome: row.outcome }
            : { error_code: row.error_code, error_message: row.error_message },
      },
      row.status === 'complete' ? { outcome: row.outcome, summary: row.summary } : {},
    );
  }

  return {
    name: 'analysis',
    // Nobody answered: there is no conversation whose analysis somebody could wait for.
    isNothing: isUnanswered,
    async run(call, signal) {
      const known = await options.analysisReads.get(call.tenant_id, call._id);
      await record(call, known ?? (await keep(await analyse(call, signal))));
      return DONE;
    },
    async giveUp(call, error) {
      const known = error instanceof ServiceError;
      const row = rowOf(call, clock.now(), {
        status: 'failed',
        error_code: known ? error.code : 'internal_error',
        error_message: known ? error.message : 'A fault of the service.',
      });
      await record(call, await keep(row));
    },
  };
}

/** Returns whether nobody answered, so that there is no analysis. */
const isUnanswered = (call: CallDocument): boolean => !call.media_started_at && !call.started_at;

export interface AnalysisPublicationOptions {
  readonly analysisReads: ReadsByTenantAndId<AnalysisRow>;
  readonly eventsOf: (call: CallDocument) => Promise<readonly CallEvent[]>;
}

/** `analysis.ready`, of a call whose analysis is complete, or in which nothing was said. */
export function analysisPublication(options: AnalysisPublicationOptions): Publication {
  const { eventsOf, analysisReads } = options;
  return {
    name: 'analysis',
    isReady: (call) => hasDone(call, 'analysis'),
    async publish(call, notBefore, events) {
      if (isUnanswered(call)) return notBefore;
      const row = await analysisReads.get(call.tenant_id, call._id);
      const isSilent = row?.status === 'skipped' && row.error_code === NOTHING_WAS_SAID;
      if (!row || (row.status !== 'complete' && !isSilent)) return notBefore;
      const at = Math.max(notBefore, row.created_at.getTime());
      const { toolExecutions } = factsOf(await eventsOf(call)).record;
      addCallEvent(events, call, 'analysis.ready', at, {
        ...callEventBase(call),
        status: isSilent ? 'skipped' : 'complete',
        outcome: row.outcome,
        summary: row.summary,
        scorecard: row.scorecard ? (JSON.parse(row.scorecard) as Record<string, unknown>) : null,
        tool_executions: toolExecutions.map((execution) => ({ ...execution })),
      });
      return at;
    },
  };
}

function rowOf(
  call: CallDocument,
  now: number,
  result: Pick<AnalysisRow, 'status'> & Partial<AnalysisRow>,
): AnalysisRow {
  return {
    _id: call._id,
    tenant_id: call.tenant_id,
    agent_id: call.agent_id,
    campaign_id: call.campaign_id,
    contact_id: call.contact_id,
    sandbox: call.sandbox,
    started_at: call.started_at ?? call.queued_at,
    duration_seconds: (call.duration_ms ?? 0) / 1000,
    outcome: null,
    outcome_score: null,
    summary: null,
    sentiment: null,
    scorecard: null,
    extracted_data: null,
    error_code: null,
    error_message: null,
    input_tokens: 0,
    output_tokens: 0,
    created_at: new Date(now),
    ...result,
  };
}
