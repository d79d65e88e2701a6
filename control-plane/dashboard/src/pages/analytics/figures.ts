import type { Overview, UsageSummary } from '../../api/types.js';
import { money } from '../../format/money.js';
import { counted, label } from '../../format/words.js';

/** The figures of one day. */
export interface DayFigures {
  /** `2026-11-22`, in UTC. */
  readonly date: string;
  readonly calls: number;
  readonly answered: number;
  readonly completed: number;
  readonly failed: number;
  readonly minutes: number;
  /** In USD, test sessions included. */
  readonly cost: number;
}

/** Joins calls and usage of the last days, the oldest first. */
export function dailyFigures(
  overview: Pick<Overview, 'by_day'>,
  usage: { readonly daily: readonly Pick<UsageSummary['daily'][number], 'date' | 'minutes' | 'cost'>[] },
  days: number,
): DayFigures[] {
  const used = new Map(usage.daily.map((day) => [day.date, day]));
  return overview.by_day.slice(-days).map(({ date, calls, answered, completed, failed }) => ({
    date,
    calls,
    answered,
    completed,
    failed,
    minutes: used.get(date)?.minutes ?? 0,
    cost: used.get(date)?.cost.total ?? 0,
  }));
}

/** Adds days up. */
export function sumsOf(days: readonly DayFigures[]): Omit<DayFigures, 'date'> {
  const sum = (of: (day: DayFigures) => number) => days.reduce((total, day) => total + of(day), 0);
  return {
    calls: sum(({ calls }) => calls),
    answered: sum(({ answered }) => answered),
    completed: sum(({ completed }) => completed),
    failed: sum(({ failed }) => failed),
    minutes: sum(({ minutes }) => minutes),
    cost: sum(({ cost }) => cost),
  };
}

/** Says a chart of calls in a sentence or two, for who does not see it. */
export function callsSentence(days: readonly DayFigures[]): string {
  const { calls, answered } = sumsOf(days);
  const most = days.reduce<DayFigures | undefined>(
    (best, day) => (best === undefined || day.calls > best.calls ? day : best),
    undefined,
  );
  const total = `${counted(calls, 'call')} in ${counted(days.length, 'day')}, ${answered.toLocaleString('en-US')} answered.`;
  return most === undefined || most.calls === 0
    ? total
    : `${total} The most on ${most.date}: ${most.calls.toLocaleString('en-US')}.`;
}

/** Says a chart of costs in a sentence or two. */
export function costSentence(days: readonly DayFigures[]): string {
  const { cost } = sumsOf(days);
  const most = days.reduce<DayFigures | undefined>(
    (best, day) => (best === undefined || day.cost > best.cost ? day : best),
    undefined,
  );
  const total = `${money(cost)} in ${counted(days.length, 'day')}.`;
  return most === undefined || most.cost === 0
    ? total
    : `${total} The most on ${most.date}: ${money(most.cost)}.`;
}

/** The statuses that calls are in, the most frequent first. `share`: of all calls, 0 to 1. */
export function statusShares(
  byStatus: Overview['by_status'],
): { readonly name: string; readonly calls: number; readonly share: number }[] {
  const all = Object.values(byStatus).reduce((sum, calls) => sum + calls, 0);
  return Object.entries(byStatus)
    .filter(([, calls]) => calls > 0)
    .sort(([, a], [, b]) => b - a)
    .map(([status, calls]) => ({ name: label(status), calls, share: calls / all }));
}
