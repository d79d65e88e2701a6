import type { CallStatus } from '@voice/shared/contracts/primitives';
import type { TenantId } from '@voice/shared/ids/ids';
import type { AnalysisModel } from '../../calls/record/analysis-model.js';
import { IS_ANSWERED } from '../../calls/record/answered.js';
import { isTerminal, TERMINAL_STATUSES } from '../../calls/record/call-state.js';
import type { CallModel } from '../../calls/record/model.js';
import type { CampaignDocument } from '../model.js';
import type { CampaignAnalytics } from './schemas.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Beyond this span, days say more than hours. */
const HOURS_UP_TO_MS = 72 * HOUR_MS;

/** Contacts, by what one of their calls came to. */
interface Totals {
  attempted: number;
  answered: number;
  completed: number;
  primary: number;
}

/** Calls of one status. */
interface StatusSums {
  _id: CallStatus;
  calls: number;
  answered: number;
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

/** One look at the campaign's calls: what is read at different moments does not add up while calls end. */
interface Snapshot {
  contacts: Totals[];
  statuses: StatusSums[];
  outcomes: { _id: string; calls: number }[];
  hours: Point[];
}

const ratio = (part: number, whole: number) => (whole === 0 ? null : part / whole);
const sum = <Row>(rows: readonly Row[], of: (row: Row) => number) =>
  rows.reduce((total, row) => total + of(row), 0);
const isEnded = ({ _id }: StatusSums) => isTerminal(_id);

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
    const own = { tenant_id: tenant as string, campaign_id: campaign._id };
    const [[snapshot], scores] = await Promise.all([
      this.#calls.aggregate<Snapshot>(snapshotOf(own, primaryOutcome) as never[]),
      this.#analyses.aggregate<{ average: number | null }>([
        { $match: { ...own, status: 'complete' } },
        { $group: { _id: null, average: { $avg: '$outcome_score' } } },
      ]),
    ]);
    const { contacts, statuses, outcomes, hours } = snapshot!;
    const [funnel] = contacts;
    const interval = spanOf(statuses) > HOURS_UP_TO_MS ? 'day' : 'hour';
    return {
      campaign_id: campaign._id,
      primary_outcome: primaryOutcome,
      funnel: {
        contacts: campaign.total_contacts,
        attempted: funnel?.attempted ?? 0,
        answered: funnel?.answered ?? 0,
        completed: funnel?.completed ?? 0,
        primary_outcome: funnel?.primary ?? 0,
      },
      outcomes: outcomes
        .map(({ _id, calls }) => ({ outcome: _id, count: calls }))
        .sort((a, b) => b.count - a.count || a.outcome.localeCompare(b.outcome)),
      metrics: metricsOf(statuses, funnel?.attempted ?? 0, scores[0]?.average ?? null),
      time_series: {
        interval,
        points: (interval === 'day' ? byDay(hours) : hours).map(
          ({ _id, calls, answered, completed, primary }) => ({
            at: _id.toISOString(),
            calls,
            answered,
            completed,
            primary_outcome: primary,
          }),
        ),
      },
    };
  }
}

/**
 * Returns the pipeline of a `Snapshot`. The primary outcome is a completed call's: a voicemail whose text the analysis
 * gave a label has reached nobody. Without labels, every completed call is the primary outcome.
 */
function snapshotOf(own: object, primaryOutcome: string | null) {
  const flag = (condition: object) => ({ $cond: [condition, 1, 0] });
  const completed = { $eq: ['$status', 'COMPLETED'] };
  const primary =
    primaryOutcome === null
      ? completed
      : { $and: [completed, { $eq: ['$outcome', { $literal: primaryOutcome }] }] };
  const sums = {
    calls: { $sum: '$calls' },
    answered: { $sum: '$answered' },
    completed: { $sum: '$completed' },
    primary: { $sum: '$primary' },
  };
  return [
    { $match: own },
    {
      $group: {
        _id: {
          contact: '$contact_id',
          status: '$status',
          outcome: '$outcome',
          hour: { $dateTrunc: { date: '$queued_at', unit: 'hour' } },
        },
        calls: { $sum: 1 },
        answered: { $sum: flag(IS_ANSWERED) },
        completed: { $sum: flag(completed) },
        primary: { $sum: flag(primary) },
        duration_ms: { $sum: '$duration_ms' },
        first: { $min: '$queued_at' },
        last: { $max: '$queued_at' },
      },
    },
    {
      $facet: {
        // By contact first: one that is called three times is one contact in the funnel.
        contacts: [
          { $group: { _id: '$_id.contact', ...sums } },
          {
            $group: {
              _id: null,
              attempted: { $sum: 1 },
              answered: { $sum: flag({ $gt: ['$answered', 0] }) },
              completed: { $sum: flag({ $gt: ['$completed', 0] }) },
              primary: { $sum: flag({ $gt: ['$primary', 0] }) },
            },
          },
        ],
        statuses: [
          {
            $group: {
              _id: '$_id.status',
              ...sums,
              duration_ms: { $sum: '$duration_ms' },
              first: { $min: '$first' },
              last: { $max: '$last' },
            },
          },
        ],
        outcomes: [
          { $match: { '_id.status': { $in: [...TERMINAL_STATUSES] } } },
          {
            $group: {
              _id: {
                $cond: [
                  { $eq: ['$_id.status', 'COMPLETED'] },
                  { $ifNull: ['$_id.outcome', 'completed'] },
                  { $toLower: '$_id.status' },
                ],
              },
              calls: { $sum: '$calls' },
            },
          },
        ],
        hours: [{ $group: { _id: '$_id.hour', ...sums } }, { $sort: { _id: 1 } }],
      },
    },
  ];
}

/** Returns the time from the first call to the last, in ms. */
function spanOf(statuses: readonly StatusSums[]): number {
  const first = Math.min(...statuses.map((row) => row.first.getTime()));
  const last = Math.max(...statuses.map((row) => row.last.getTime()));
  return statuses.length === 0 ? 0 : last - first;
}

/** Hours in their order as days in UTC. */
function byDay(hours: readonly Point[]): Point[] {
  const days = new Map<number, Point>();
  for (const { _id, calls, answered, completed, primary } of hours) {
    const day = Math.floor(_id.getTime() / DAY_MS) * DAY_MS;
    const before = days.get(day);
    days.set(day, {
      _id: new Date(day),
      calls: calls + (before?.calls ?? 0),
      answered: answered + (before?.answered ?? 0),
      completed: completed + (before?.completed ?? 0),
      primary: primary + (before?.primary ?? 0),
    });
  }
  return [...days.values()];
}

function metricsOf(
  statuses: readonly StatusSums[],
  attempted: number,
  averageScore: number | null,
): CampaignAnalytics['metrics'] {
  const callsIn = (rows: readonly StatusSums[]) => sum(rows, ({ calls }) => calls);
  const ended = statuses.filter(isEnded);
  const completed = statuses.filter(({ _id }) => _id === 'COMPLETED');
  const seconds = sum(completed, ({ duration_ms }) => duration_ms) / 1000;
  return {
    total_calls: callsIn(statuses),
    calls_by_status: Object.fromEntries(statuses.map(({ _id, calls }) => [_id, calls])),
    answer_rate: ratio(
      sum(ended, ({ answered }) => answered),
      callsIn(ended),
    ),
    completion_rate: ratio(callsIn(completed), callsIn(ended)),
    primary_outcome_rate: ratio(
      sum(completed, ({ primary }) => primary),
      callsIn(completed),
    ),
    average_duration_seconds: ratio(seconds, callsIn(completed)),
    total_duration_seconds: seconds,
    average_outcome_score: averageScore,
    average_attempts: ratio(callsIn(statuses), attempted),
  };
}
