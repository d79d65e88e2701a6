import type { EndReason } from '@voice/shared/contracts/primitives';
import type { Insight } from './schemas.js';

/** A call that was analysed and scored low, or whose caller was annoyed; the latest first. */
export interface LowQualityCall {
  readonly callId: string;
  readonly outcome: string | null;
  readonly sentiment: string | null;
  readonly durationSeconds: number;
  readonly endReason: EndReason | null;
}

interface FailedCall {
  readonly callId: string;
  readonly endReason: EndReason | null;
  readonly errorCode: string | null;
}

/** A criterion's score in one call, from 0 to 1. */
interface CriterionScore {
  readonly callId: string;
  readonly criterion: string;
  readonly score: number;
}

/** What is known of a campaign's calls, each list with the latest first. */
export interface InsightEvidence {
  readonly lowQuality: readonly LowQualityCall[];
  readonly failed: readonly FailedCall[];
  /** Of all analysed calls. */
  readonly scores: readonly CriterionScore[];
  /** Calls that were analysed. */
  readonly analysed: number;
  /** Calls that are over, whether analysed or not. */
  readonly ended: number;
}

/** A score below it is poor, be it of a call or of a criterion. */
export const POOR_SCORE = 0.5;
/** One call shows no pattern. */
const LEAST_CALLS = 2;
const MOST_INSIGHTS = 10;
const EXAMPLES = 20;
/** From which share of the calls a pattern is of which severity. */
const HIGH_SHARE = 0.3;
const MEDIUM_SHARE = 0.1;
/** Where callers drop out, by the length of their call in seconds. */
const STAGES = [
  {
    under: 15,
    when: 'within 15 seconds',
    advice: 'Shorten the first message, and say early who calls and what for.',
  },
  {
    under: 60,
    when: 'after 15 to 60 seconds',
    advice: 'Come to the point sooner: ask the most important question first.',
  },
  {
    under: Number.POSITIVE_INFINITY,
    when: 'after a minute or more',
    advice: 'Shorten the conversation: ask less, or offer to continue another time.',
  },
] as const;

const CHECK_PROVIDERS = "Check the providers of the agent's voice configuration and their keys.";
const ADVICE_ON_FAILURE: Readonly<Record<EndReason, string>> = {
  caller_hangup: 'Read the transcripts of these calls.',
  agent_hangup: 'Read the transcripts of these calls.',
  operator_hangup: 'Ask the operators why they ended these calls.',
  transferred: 'Check the number that calls are transferred to.',
  silence_timeout: 'Let the agent ask whether somebody is there before it gives up.',
  max_duration: "Raise the agent's longest call duration, or shorten the conversation.",
  voicemail: 'Call at other hours, or let the agent leave a message.',
  busy: 'Try again later: raise the delay after a busy line in the retry policy.',
  no_answer: 'Call at other hours.',
  rejected: 'Check the numbers, and whether the number that is called from is verified.',
  carrier_failed: "Check the carrier's account and the number that is called from.",
  provider_failed: CHECK_PROVIDERS,
  worker_lost: 'Ask the operator of the service: a media worker went away during these calls.',
  no_capacity: "Lower the campaign's max_concurrent, or add media workers.",
};

interface Pattern {
  readonly title: string;
  readonly description: string;
  readonly recommendation: string;
  readonly callIds: readonly string[];
  /** The calls that could have shown it. */
  readonly of: number;
}

/** Counts the patterns behind failed and low-quality calls: the most frequent first. Pure. */
export function insightsByStatistics(evidence: InsightEvidence): Insight[] {
  return [
    ...failures(evidence),
    ...missedCriteria(evidence),
    ...dropOuts(evidence),
    ...outcomes(evidence),
    ...annoyance(evidence),
  ]
    .filter(({ callIds }) => callIds.length >= LEAST_CALLS)
    .sort((a, b) => b.callIds.length / b.of - a.callIds.length / a.of || b.callIds.length - a.callIds.length)
    .slice(0, MOST_INSIGHTS)
    .map(({ title, description, recommendation, callIds, of }) => ({
      title: title.slice(0, 200),
      description,
      recommendation,
      severity: severityOf(callIds.length / of),
      call_ids: callIds.slice(0, EXAMPLES),
    }));
}

function severityOf(share: number): Insight['severity'] {
  return share >= HIGH_SHARE ? 'high' : share >= MEDIUM_SHARE ? 'medium' : 'low';
}

function grouped<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string | null,
): ReadonlyMap<string, readonly Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    if (key === null) continue;
    const group = groups.get(key) ?? [];
    groups.set(key, group);
    group.push(item);
  }
  return groups;
}

const words = (name: string) => name.replaceAll('_', ' ');
const percent = (count: number, of: number) => `${Math.round((100 * count) / of)} %`;
const idsOf = (calls: readonly { readonly callId: string }[]) => calls.map(({ callId }) => callId);

function failures({ failed, ended }: InsightEvidence): Pattern[] {
  const causes = grouped(failed, ({ endReason, errorCode }) => errorCode ?? endReason);
  return [...causes].map(([cause, calls]) => ({
    title: `${calls.length} calls failed: ${words(cause)}`,
    description: `${calls.length} of ${ended} calls (${percent(calls.length, ended)}) failed with “${cause}”.`,
    recommendation: ADVICE_ON_FAILURE[calls[0]!.endReason ?? 'provider_failed'],
    callIds: idsOf(calls),
    of: ended,
  }));
}

function missedCriteria({ scores }: InsightEvidence): Pattern[] {
  return [...grouped(scores, ({ criterion }) => criterion)].map(([criterion, all]) => {
    const missed = all.filter(({ score }) => score < POOR_SCORE);
    const mean = all.reduce((sum, { score }) => sum + score, 0) / all.length;
    return {
      title: `“${criterion}” is missed in ${missed.length} of ${all.length} calls`,
      description: `${percent(missed.length, all.length)} of the scored calls are below ${POOR_SCORE} for the criterion “${criterion}”; its mean is ${mean.toFixed(2)}.`,
      recommendation: `Say in the agent's prompt how it is to reach “${criterion}”, and listen to these calls.`,
      callIds: idsOf(missed),
      of: all.length,
    };
  });
}

function dropOuts({ lowQuality, analysed }: InsightEvidence): Pattern[] {
  const hungUp = lowQuality.filter(({ endReason }) => endReason === 'caller_hangup');
  const byStage = grouped(
    hungUp,
    ({ durationSeconds }) => STAGES.find(({ under }) => durationSeconds < under)!.when,
  );
  return STAGES.flatMap(({ when, advice }) => {
    const calls = byStage.get(when) ?? [];
    if (calls.length === 0) return [];
    return {
      title: `${calls.length} callers hang up ${when}`,
      description: `In ${calls.length} of ${analysed} analysed calls (${percent(calls.length, analysed)}) the caller hung up ${when}, and the call went badly.`,
      recommendation: advice,
      callIds: idsOf(calls),
      of: analysed,
    };
  });
}

function outcomes({ lowQuality, analysed }: InsightEvidence): Pattern[] {
  return [...grouped(lowQuality, ({ outcome }) => outcome)].map(([outcome, calls]) => ({
    title: `${calls.length} low-quality calls end as “${outcome}”`,
    description: `${calls.length} of ${lowQuality.length} calls that went badly (${percent(calls.length, lowQuality.length)}) ended as “${outcome}”.`,
    recommendation: `Read the summaries of these calls, and tell the agent's prompt what to do before a call ends as “${outcome}”.`,
    callIds: idsOf(calls),
    of: analysed,
  }));
}

function annoyance({ lowQuality, analysed }: InsightEvidence): Pattern[] {
  const annoyed = lowQuality.filter(({ sentiment }) => sentiment === 'negative');
  if (annoyed.length === 0) return [];
  return [
    {
      title: `${annoyed.length} callers are annoyed`,
      description: `In ${annoyed.length} of ${analysed} analysed calls (${percent(annoyed.length, analysed)}) the caller's sentiment is negative.`,
      recommendation:
        'Check whom the campaign calls and when, and let the agent offer early not to call again.',
      callIds: idsOf(annoyed),
      of: analysed,
    },
  ];
}
