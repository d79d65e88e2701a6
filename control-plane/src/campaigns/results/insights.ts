import type { Clock } from '@voice/shared/clock/clock';
import type { TenantId } from '@voice/shared/ids/ids';
import { z } from 'zod';
import type { AnalysisModel, AnalysisRow } from '../../calls/record/analysis-model.js';
import type { CallDocument, CallModel } from '../../calls/record/model.js';
import type { ModelChoice, StructuredLanguageModel } from '../../language-model/port.js';
import { isDuplicateKey } from '../../platform/http/errors.js';
import type { CampaignDocument } from '../model.js';
import { insightEvidence } from './insight-evidence.js';
import { insightsByStatistics, POOR_SCORE } from './insights-by-statistics.js';
import type { InsightsModel, InsightsRow } from './insights-model.js';
import { type CampaignInsights, type Insight, insight } from './schemas.js';

/** For how long insights are served again, and how many analyses they need (specification, section 8). */
const INSIGHTS_LIFE_MS = 60 * 60_000;
const LEAST_ANALYSES = 20;
/** Calls that the model is shown. */
const SHOWN = 40;
const TIMEOUT_MS = 60_000;

const answer = z.object({ insights: z.array(insight).max(10) });

const SYSTEM = `You improve campaigns of telephone calls that an AI agent makes. You are shown calls that failed or went badly.
Name the patterns behind them, the most harmful first: what goes wrong, in which calls (call_ids), how severe it is,
and what to change in the agent's prompt, its first message, or the campaign. Name only what these calls show.`;

interface InsightsServiceOptions {
  readonly insights: InsightsModel;
  readonly analyses: AnalysisModel;
  readonly calls: CallModel;
  readonly model: StructuredLanguageModel;
  /** The model of an agent. */
  readonly modelOf: (tenant: TenantId, agentId: string) => Promise<ModelChoice>;
  readonly clock: Clock;
}

/**
 * Insights into a campaign's failed and low-quality calls, generated at most once an hour: by the agent's
 * language model, or counted where that is the local one, which knows no prose.
 */
export class InsightsService {
  readonly #options: InsightsServiceOptions;

  constructor(options: InsightsServiceOptions) {
    this.#options = options;
  }

  async of(tenant: TenantId, campaign: CampaignDocument): Promise<CampaignInsights> {
    const now = this.#options.clock.now();
    const cached = await this.#options.insights
      .findOne({ _id: campaign._id, tenant_id: tenant })
      .lean<InsightsRow>();
    if (cached && now - cached.generated_at.getTime() < INSIGHTS_LIFE_MS) return present(cached);
    const analyses = await this.#options.analyses.countDocuments({
      tenant_id: tenant,
      campaign_id: campaign._id,
      status: 'complete',
    });
    if (analyses < LEAST_ANALYSES) {
      return { campaign_id: campaign._id, insights: [], source: null, analyses, generated_at: null };
    }
    const choice = await this.#options.modelOf(tenant, campaign.agent_id);
    const byCounting = choice.provider === 'local';
    const insights = byCounting
      ? insightsByStatistics(
          await insightEvidence(
            { calls: this.#options.calls, analyses: this.#options.analyses },
            tenant,
            campaign,
          ),
        )
      : await this.#generate(tenant, campaign, choice);
    const fresh: InsightsRow = {
      _id: campaign._id,
      tenant_id: tenant,
      insights: JSON.stringify(insights),
      source: byCounting ? 'statistics' : 'language_model',
      analyses,
      generated_at: new Date(now),
    };
    await this.#keep(fresh);
    return present(fresh);
  }

  /** Erases what a model wrote of a campaign's calls where this is one: it may describe them. It is written anew. */
  async erase(call: Pick<CallDocument, 'tenant_id' | 'campaign_id'>): Promise<void> {
    if (!call.campaign_id) return;
    await this.#options.insights.deleteOne({
      _id: call.campaign_id,
      tenant_id: call.tenant_id,
      source: { $ne: 'statistics' },
    });
  }

  async #generate(tenant: TenantId, campaign: CampaignDocument, choice: ModelChoice): Promise<Insight[]> {
    const [poor, failed] = await Promise.all([
      this.#poorCalls(tenant, campaign),
      this.#options.calls
        .find(
          { tenant_id: tenant, campaign_id: campaign._id, status: 'FAILED' },
          { end_reason: 1, error_code: 1, error_message: 1 },
        )
        .sort({ created_at: -1 })
        .limit(SHOWN)
        .lean<{ _id: string; end_reason: string; error_code: string; error_message: string }[]>(),
    ]);
    if (poor.length === 0 && failed.length === 0) return [];
    const user = JSON.stringify({
      campaign: campaign.name,
      goal: campaign.success_criteria,
      outcome_labels: campaign.outcome_labels,
      low_quality_calls: poor.map((row) => ({
        call_id: row._id,
        outcome: row.outcome,
        outcome_score: row.outcome_score,
        sentiment: row.sentiment,
        duration_seconds: row.duration_seconds,
        summary: row.summary,
      })),
      failed_calls: failed.map(({ _id, ...rest }) => ({ call_id: _id, ...rest })),
    });
    const { value } = await this.#options.model.answer(
      {
        choice,
        system: SYSTEM,
        user,
        schema: answer,
        purpose: 'insights',
      },
      AbortSignal.timeout(TIMEOUT_MS),
    );
    const shown = new Set([...poor, ...failed].map(({ _id }) => _id));
    return value.insights.map((entry) => ({
      ...entry,
      call_ids: entry.call_ids.filter((id) => shown.has(id)),
    }));
  }

  /** Finds those with the lowest scores, and those that ended badly for the caller. */
  #poorCalls(tenant: TenantId, campaign: CampaignDocument): Promise<AnalysisRow[]> {
    return this.#options.analyses
      .find({
        tenant_id: tenant,
        campaign_id: campaign._id,
        status: 'complete',
        $or: [{ outcome_score: { $lt: POOR_SCORE } }, { sentiment: 'negative' }],
      })
      .sort({ outcome_score: 1, _id: 1 })
      .limit(SHOWN)
      .lean<AnalysisRow[]>()
      .exec();
  }

  async #keep(row: InsightsRow): Promise<void> {
    const { _id, ...set } = row;
    try {
      await this.#options.insights.updateOne({ _id }, { $set: set }, { upsert: true });
    } catch (error) {
      // Another request has just kept its own, which are as good.
      if (!isDuplicateKey(error)) throw error;
    }
  }
}

function present(row: InsightsRow): CampaignInsights {
  return {
    campaign_id: row._id,
    insights: z.array(insight).parse(JSON.parse(row.insights)),
    source: row.source ?? 'language_model',
    analyses: row.analyses,
    generated_at: row.generated_at.toISOString(),
  };
}
