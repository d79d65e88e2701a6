import type { TenantId } from '@voice/shared/ids/ids';
import { z } from 'zod';
import type { AnalysisModel, AnalysisRow } from '../../calls/record/analysis-model.js';
import { TERMINAL_STATUSES } from '../../calls/record/call-state.js';
import type { CallDocument, CallModel } from '../../calls/record/model.js';
import { ownedBy, scopeOf } from '../../platform/store/tenant-scope.js';
import type { CampaignDocument } from '../model.js';
import { type InsightEvidence, POOR_SCORE } from './insights-by-statistics.js';

/** The latest calls that are counted: enough for shares that do not change any more. */
const COUNTED = 2000;

const scorecard = z.record(z.string(), z.object({ score: z.number() }));

/** Reads of a campaign's calls what patterns are counted from. */
export async function insightEvidence(
  { calls, analyses }: { readonly calls: CallModel; readonly analyses: AnalysisModel },
  tenant: TenantId,
  campaign: Pick<CampaignDocument, '_id' | 'tenant_id' | 'sandbox'>,
): Promise<InsightEvidence> {
  const own = { tenant_id: tenant, campaign_id: campaign._id };
  const [failed, rows] = await Promise.all([
    calls
      .find({ ...own, status: 'FAILED' }, { end_reason: 1, error_code: 1 })
      .sort({ created_at: -1, _id: -1 })
      .limit(COUNTED)
      .lean<Pick<CallDocument, '_id' | 'end_reason' | 'error_code'>[]>(),
    analyses
      .find(
        { ...own, status: 'complete' },
        { outcome: 1, outcome_score: 1, sentiment: 1, duration_seconds: 1, scorecard: 1 },
      )
      .sort({ started_at: -1, _id: -1 })
      .limit(COUNTED)
      .lean<
        Pick<
          AnalysisRow,
          '_id' | 'outcome' | 'outcome_score' | 'sentiment' | 'duration_seconds' | 'scorecard'
        >[]
      >(),
  ]);
  // Not by status, which would read every call of the campaign: live ones are in an index of few, and the whole is
  // counted in the campaign's index alone. In this order, and last: calls that ended stay ended, so none of those above
  // is missing from the whole.
  const live = await calls.countDocuments({
    ...ownedBy(scopeOf(campaign)),
    campaign_id: campaign._id,
    rollup_seq: null,
    status: { $nin: TERMINAL_STATUSES },
  });
  const ended = (await calls.countDocuments(own)) - live;
  const bad = rows.filter(
    ({ outcome_score: score, sentiment }) =>
      (score !== null && score < POOR_SCORE) || sentiment === 'negative',
  );
  const ends = await calls
    .find({ _id: { $in: bad.map(({ _id }) => _id) }, ...own }, { end_reason: 1 })
    .lean<Pick<CallDocument, '_id' | 'end_reason'>[]>();
  const endOf = new Map(ends.map(({ _id, end_reason }) => [_id, end_reason]));
  return {
    ended,
    analysed: rows.length,
    failed: failed.map(({ _id, end_reason, error_code }) => ({
      callId: _id,
      endReason: end_reason,
      errorCode: error_code,
    })),
    lowQuality: bad.map(({ _id, outcome, sentiment, duration_seconds }) => ({
      callId: _id,
      outcome,
      sentiment,
      durationSeconds: duration_seconds,
      endReason: endOf.get(_id) ?? null,
    })),
    scores: rows.flatMap(({ _id, scorecard: text }) =>
      text === null
        ? []
        : Object.entries(scorecard.parse(JSON.parse(text))).map(([criterion, { score }]) => ({
            callId: _id,
            criterion,
            score,
          })),
    ),
  };
}
