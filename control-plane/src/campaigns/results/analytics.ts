import { CALL_STATUSES, type CallStatus } from '@voice/shared/contracts/primitives';
import { isTerminal } from '../../calls/record/call-state.js';
import { type CallRollups, SCORE_UNIT } from '../../calls/rollups/call-rollups.js';
import { CALL_SUBJECT, hoursOf, outcomesOf } from '../../calls/rollups/call-sums.js';
import type { Sums } from '../../platform/rollups/model.js';
import { addedUp, asPart, dayOf } from '../../platform/rollups/sums.js';
import { scopeOf } from '../../platform/store/tenant-scope.js';
import type { CampaignDocument } from '../model.js';
import type { CampaignAnalytics } from './schemas.js';

const HOUR_MS = 3_600_000;
/** Beyond this span, days say more than hours. */
const HOURS_UP_TO_MS = 72 * HOUR_MS;

/** Calls of one status. */
interface StatusSums {
  readonly status: CallStatus;
  readonly calls: number;
  readonly answered: number;
  readonly duration_ms: number;
}

/** Calls of one hour or day. */
interface Point {
  /** Its beginning, in epoch ms. */
  readonly at: number;
  readonly calls: number;
  readonly answered: number;
  readonly completed: number;
  readonly primary: number;
}

const ratio = (part: number, whole: number) => (whole === 0 ? null : part / whole);
const sum = <Row>(rows: readonly Row[], of: (row: Row) => number) =>
  rows.reduce((total, row) => total + of(row), 0);
const isEnded = ({ status }: StatusSums) => isTerminal(status);

/** Outcome funnel, metrics and time series of a campaign, from the sums that are kept of its calls. */
export class CampaignAnalyticsReader {
  readonly #rollups: Pick<CallRollups, 'ofCampaign'>;

  constructor(rollups: Pick<CallRollups, 'ofCampaign'>) {
    this.#rollups = rollups;
  }

  async read(campaign: CampaignDocument): Promise<CampaignAnalytics> {
    const primaryOutcome = campaign.outcome_labels[0] ?? null;
    const parts = await this.#rollups.ofCampaign(scopeOf(campaign), campaign._id);
    const partsOf = (wanted: string) => parts.filter(({ subject }) => subject === wanted);
    const calls = addedUp(partsOf(CALL_SUBJECT.campaign).map(({ sums }) => sums));
    const contacts = addedUp(partsOf(CALL_SUBJECT.contacts).map(({ sums }) => sums));
    const statuses = statusesOf(calls);
    const hours = pointsOf(partsOf(CALL_SUBJECT.campaignHours), primaryOutcome);
    const interval = (hours.at(-1)?.at ?? 0) - (hours[0]?.at ?? 0) > HOURS_UP_TO_MS ? 'day' : 'hour';
    const attempted = contacts.attempted ?? 0;
    return {
      campaign_id: campaign._id,
      primary_outcome: primaryOutcome,
      funnel: {
        contacts: campaign.total_contacts,
        attempted,
        answered: contacts.answered ?? 0,
        completed: contacts.completed ?? 0,
        primary_outcome: primaryOf(contacts, primaryOutcome),
      },
      outcomes: outcomeRows(calls, statuses).sort(
        (a, b) => b.count - a.count || a.outcome.localeCompare(b.outcome),
      ),
      metrics: metricsOf(statuses, {
        attempted,
        primary: sum(hours, ({ primary }) => primary),
        averageScore: ratio((contacts.score ?? 0) / SCORE_UNIT, contacts.scores ?? 0),
      }),
      time_series: {
        interval,
        points: (interval === 'day' ? byDay(hours) : hours).map(({ at, primary, ...counts }) => ({
          at: new Date(at).toISOString(),
          ...counts,
          primary_outcome: primary,
        })),
      },
    };
  }
}

function statusesOf(sums: Sums): StatusSums[] {
  return CALL_STATUSES.map((status) => ({
    status,
    calls: sums[`${status}|calls`] ?? 0,
    answered: sums[`${status}|answered`] ?? 0,
    duration_ms: sums[`${status}|duration_ms`] ?? 0,
  })).filter(({ calls }) => calls > 0);
}

/**
 * Returns how many came to the primary outcome, which is a completed call's: a voicemail whose text the analysis gave a
 * label has reached nobody. Without labels, every completed call is the primary outcome. Pure.
 */
function primaryOf(sums: Sums, primaryOutcome: string | null): number {
  return (primaryOutcome === null ? sums.completed : sums[`outcome|${asPart(primaryOutcome)}`]) ?? 0;
}

/** Returns the ended calls by outcome: a completed one's label, or its status. Pure. */
function outcomeRows(sums: Sums, statuses: readonly StatusSums[]): { outcome: string; count: number }[] {
  const rows = new Map(outcomesOf(sums));
  const labelled = sum([...rows.values()], (count) => count);
  for (const { status, calls } of statuses.filter(isEnded)) {
    const outcome = status.toLowerCase();
    const count = status === 'COMPLETED' ? calls - labelled : calls;
    if (count > 0) rows.set(outcome, (rows.get(outcome) ?? 0) + count);
  }
  return [...rows].map(([outcome, count]) => ({ outcome, count }));
}

/** Returns the calls of each hour that has any, oldest first. Pure. */
function pointsOf(
  days: readonly { readonly day: number; readonly sums: Sums }[],
  primaryOutcome: string | null,
): Point[] {
  const hours = new Map<number, Sums>();
  for (const day of days) {
    for (const [at, sums] of hoursOf(day)) hours.set(at, addedUp([hours.get(at) ?? {}, sums]));
  }
  return [...hours]
    .map(([at, sums]) => ({
      at,
      calls: sums.calls ?? 0,
      answered: sums.answered ?? 0,
      completed: sums.completed ?? 0,
      primary: primaryOf(sums, primaryOutcome),
    }))
    .filter(({ calls }) => calls > 0)
    .sort((a, b) => a.at - b.at);
}

/** Hours in their order as days in UTC. */
function byDay(hours: readonly Point[]): Point[] {
  const days = new Map<number, Point>();
  for (const { at, calls, answered, completed, primary } of hours) {
    const day = dayOf(at);
    const before = days.get(day);
    days.set(day, {
      at: day,
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
  of: { readonly attempted: number; readonly primary: number; readonly averageScore: number | null },
): CampaignAnalytics['metrics'] {
  const callsIn = (rows: readonly StatusSums[]) => sum(rows, ({ calls }) => calls);
  const ended = statuses.filter(isEnded);
  const completed = statuses.filter(({ status }) => status === 'COMPLETED');
  const seconds = sum(completed, ({ duration_ms }) => duration_ms) / 1000;
  return {
    total_calls: callsIn(statuses),
    calls_by_status: Object.fromEntries(statuses.map(({ status, calls }) => [status, calls])),
    answer_rate: ratio(
      sum(ended, ({ answered }) => answered),
      callsIn(ended),
    ),
    completion_rate: ratio(callsIn(completed), callsIn(ended)),
    primary_outcome_rate: ratio(of.primary, callsIn(completed)),
    average_duration_seconds: ratio(seconds, callsIn(completed)),
    total_duration_seconds: seconds,
    average_outcome_score: of.averageScore,
    average_attempts: ratio(callsIn(statuses), of.attempted),
  };
}
