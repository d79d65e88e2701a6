import type { Overview, Trends } from '../../api/types.js';
import { money } from '../../format/money.js';
import { latency } from '../../format/time.js';
import { counted, label } from '../../format/words.js';
import type { Bucket } from './search.js';

/** What calls of a day, a week or a month come to. */
export type Figures = Trends['buckets'][number];
type AgentFigures = Trends['by_agent'][number];
/** What sentences are about. */
type Said = Pick<Trends, 'period' | 'totals' | 'response_latency_ms' | 'buckets'>;

const WHEN: Readonly<Record<Bucket, (start: string) => string>> = {
  day: (start) => `on ${start}`,
  week: (start) => `in the week of ${start}`,
  month: (start) => `in ${start.slice(0, 7)}`,
};

/** The figures with the most of something; nothing where none has any. */
function mostOf(buckets: readonly Figures[], of: (figures: Figures) => number): Figures | undefined {
  const most = buckets.reduce<Figures | undefined>(
    (best, one) => (best === undefined || of(one) > of(best) ? one : best),
    undefined,
  );
  return most === undefined || of(most) === 0 ? undefined : most;
}

/** Says a chart of calls in a sentence or two, for who does not see it. */
export function callsSentence({ period, totals, buckets }: Said): string {
  const most = mostOf(buckets, ({ calls }) => calls);
  const total = `${counted(totals.calls, 'call')} in ${counted(period.days, 'day')}, ${totals.answered.toLocaleString('en-US')} answered.`;
  return most === undefined
    ? total
    : `${total} The most ${WHEN[period.bucket](most.start)}: ${most.calls.toLocaleString('en-US')}.`;
}

/** Says a chart of costs in a sentence or two. */
export function costSentence({ period, totals, buckets }: Said): string {
  const most = mostOf(buckets, ({ cost_usd }) => cost_usd);
  const total = `${money(totals.cost_usd)} in ${counted(period.days, 'day')}.`;
  return most === undefined
    ? total
    : `${total} The most ${WHEN[period.bucket](most.start)}: ${money(most.cost_usd)}.`;
}

/** Says a chart of latencies in a sentence or two. */
export function latencySentence({ period, response_latency_ms: all, buckets }: Said): string {
  if (all.p50 === null || all.p95 === null || all.p99 === null) return 'No answer of an agent was measured.';
  const total =
    `Half of ${counted(all.turns, 'answer')} came within ${latency(all.p50)}, 95 of 100 within ` +
    `${latency(all.p95)}, 99 of 100 within ${latency(all.p99)}.`;
  const slowest = mostOf(buckets, ({ response_latency_ms }) => response_latency_ms.p95 ?? 0);
  return slowest === undefined
    ? total
    : `${total} Slowest ${WHEN[period.bucket](slowest.start)}: p95 ${latency(slowest.response_latency_ms.p95 ?? 0)}.`;
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

/** An agent, what its calls came to, and its share of the cost (of the calls where they cost nothing), 0 to 1. */
export interface AgentShare extends AgentFigures {
  readonly share: number;
  /** In USD; null without a call that lasted. */
  readonly costPerMinute: number | null;
}

/** Returns each agent's share, in the order of the API: the dearest first. */
export function agentShares({ totals, by_agent }: Pick<Trends, 'totals' | 'by_agent'>): AgentShare[] {
  const shareOf = (agent: AgentFigures) =>
    totals.cost_usd > 0 ? agent.cost_usd / totals.cost_usd : agent.calls / Math.max(1, totals.calls);
  return by_agent.map((agent) => ({
    ...agent,
    share: shareOf(agent),
    costPerMinute: agent.duration_ms > 0 ? (agent.cost_usd / agent.duration_ms) * 60_000 : null,
  }));
}
