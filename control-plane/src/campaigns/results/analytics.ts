import type { TenantId } from '@voice/shared/ids/ids';
import type { CallModel } from '../../calls/model.js';
import type { AnalysisModel } from '../../post-call/analysis-model.js';
import type { CampaignDocument } from '../model.js';
import type { CampaignAnalytics } from './schemas.js';

const HOUR_MS = 3_600_000;
/** Beyond this span, days say more than hours. */
const HOURS_UP_TO_MS = 72 * HOUR_MS;

interface Totals {
  attempted: number;
  calls: number;
  answered: number;
  completed: number;
  primary: number;
  duration_ms: number;
  first: Date;
  last: Date;
}

interface Point {
  _id: Date;
  calls: number;
  answered: number;
  completed: number;
  primary: number;
}

const flag = (condition: object) => ({ $cond: [condition, 1, 0] });
const ratio = (part: number, whole: number) => (whole === 0 ? null : part / whole);

/** What each call counts as, in the store's terms. Without labels, a completed call is the primary outcome. */
function callFlags(primaryOutcome: string | null) {
  const completed = { $eq: ['$status', 'COMPLETED'] };
  return {
    answered: flag({ $and: [{ $ne: ['$status', 'VOICEMAIL'] }, { $gt: ['$started_at', null] }] }),
    completed: flag(completed),
    primary: flag(primaryOutcome === null ? completed : { $eq: ['$outcome', { $literal: primaryOutcome }] }),
  };
}

/** Outcome funnel, metrics and time series of a campaign, from its calls. */
export class CampaignAnalyticsReader {
  readonly #calls: CallModel;
  readonly #analyses: AnalysisModel;

  constructor(options: { readonly calls: CallModel; readonly analyses: AnalysisModel }) {
    this.#calls = options.calls;
    this.#analyses = options.analyses;
  }

  async read(tenant: TenantId, campaign: CampaignDocument): Promise<CampaignAnalytics> {
    const primaryOutcome = campaign.outcome_labels[0] ?? null;
    const ofCampaign = { $match: { tenant_id: tenant as string, campaign_id: campaign._id } };
    const flags = callFlags(primaryOutcome);
    const [totals, statuses, outcomes, scores] = await Promise.all([
      this.#totals(ofCampaign, flags),
      this.#calls.aggregate<{ _id: string; count: number }>([
        ofCampaign,
        { $group: { _id: '$status', count: { $sum: 1 } } },
      ]),
      this.#calls.aggregate<{ _id: string; count: number }>([
        { $match: { ...ofCampaign.$match, ended_at: { $ne: null } } },
        { $group: { _id: { $ifNull: ['$outcome', { $toLower: '$status' }] }, count: { $sum: 1 } } },
      ]),
      this.#analyses.aggregate<{ average: number | null }>([
        { $match: { ...ofCampaign.$match, status: 'complete' } },
        { $group: { _id: null, average: { $avg: '$outcome_score' } } },
      ]),
    ]);
    const interval = spanOf(totals) > HOURS_UP_TO_MS ? 'day' : 'hour';
    const points = await this.#points(ofCampaign, flags, interval);
    return {
      campaign_id: campaign._id,
      primary_outcome: primaryOutcome,
      funnel: {
        contacts: campaign.total_contacts,
        attempted: totals?.attempted ?? 0,
        answered: totals?.answered ?? 0,
        completed: totals?.completed ?? 0,
        primary_outcome: totals?.primary ?? 0,
      },
      outcomes: outcomes
        .map(({ _id, count }) => ({ outcome: _id, count }))
        .sort((a, b) => b.count - a.count || a.outcome.localeCompare(b.outcome)),
      metrics: metricsOf(totals, statuses, points, scores[0]?.average ?? null),
      time_series: {
        interval,
        points: points.map(({ _id, calls, answered, completed, primary }) => ({
          at: _id.toISOString(),
          calls,
          answered,
          completed,
          primary_outcome: primary,
        })),
      },
    };
  }

  /** By contact first: one that is called three times is one contact in the funnel. */
  async #totals(ofCampaign: { $match: object }, flags: Record<string, object>): Promise<Totals | undefined> {
    const [totals] = await this.#calls.aggregate<Totals>([
      ofCampaign,
      {
        $group: {
          _id: '$contact_id',
          calls: { $sum: 1 },
          answered: { $max: flags.answered },
          completed: { $max: flags.completed },
          primary: { $max: flags.primary },
          duration_ms: { $sum: { $cond: [flags.completed, '$duration_ms', 0] } },
          first: { $min: '$queued_at' },
          last: { $max: '$queued_at' },
        },
      },
      {
        $group: {
          _id: null,
          attempted: { $sum: 1 },
          calls: { $sum: '$calls' },
          answered: { $sum: '$answered' },
          completed: { $sum: '$completed' },
          primary: { $sum: '$primary' },
          duration_ms: { $sum: '$duration_ms' },
          first: { $min: '$first' },
          last: { $max: '$last' },
        },
      },
    ] as never[]);
    return totals;
  }

  #points(ofCampaign: { $match: object }, flags: Record<string, object>, unit: 'hour' | 'day') {
    return this.#calls.aggregate<Point>([
      ofCampaign,
      {
        $group: {
          _id: { $dateTrunc: { date: '$queued_at', unit } },
          calls: { $sum: 1 },
          answered: { $sum: flags.answered },
          completed: { $sum: flags.completed },
          primary: { $sum: flags.primary },
        },
      },
      { $sort: { _id: 1 } },
    ] as never[]);
  }
}

function spanOf(totals: Totals | undefined): number {
  return totals ? totals.last.getTime() - totals.first.getTime() : 0;
}

function metricsOf(
  totals: Totals | undefined,
  statuses: readonly { _id: string; count: number }[],
  points: readonly Point[],
  averageScore: number | null,
): CampaignAnalytics['metrics'] {
  const sum = (field: 'answered' | 'completed' | 'primary') =>
    points.reduce((total, point) => total + point[field], 0);
  const calls = totals?.calls ?? 0;
  const completed = sum('completed');
  const seconds = (totals?.duration_ms ?? 0) / 1000;
  return {
    total_calls: calls,
    calls_by_status: Object.fromEntries(statuses.map(({ _id, count }) => [_id, count])),
    answer_rate: ratio(sum('answered'), calls),
    completion_rate: ratio(completed, calls),
    primary_outcome_rate: completed === 0 ? null : Math.min(1, sum('primary') / completed),
    average_duration_seconds: ratio(seconds, completed),
    total_duration_seconds: seconds,
    average_outcome_score: averageScore,
    average_attempts: ratio(calls, totals?.attempted ?? 0),
  };
}
