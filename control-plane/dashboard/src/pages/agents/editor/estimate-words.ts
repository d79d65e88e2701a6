import { latency } from '../../../format/time.js';
import type { ExpectedLatency } from '../query.js';

type Part = ExpectedLatency['parts'][number];

const STAGES: Readonly<Record<Part['stage'], string>> = {
  end_of_turn: 'End of the turn',
  recognition: 'Final text',
  model: 'Model',
  voice: 'Voice',
  speech_to_speech: 'Speech-to-speech model',
  runtime: 'This service',
};

/** Says how soon the agent answers, and by whose figures. Pure. */
export function answerWords(
  { basis, turns, is_at_least, response_latency_ms, in_doubt_latency_ms }: ExpectedLatency,
  { hasCalls, ofChange }: { readonly hasCalls: boolean; readonly ofChange: boolean },
): string {
  const inDoubt = `; up to ${latency(in_doubt_latency_ms)} where the caller seems not to have finished`;
  if (basis === 'measured') {
    return `Answers in ${latency(response_latency_ms)} (median of ${turns} measured turns)${inDoubt}`;
  }
  const answers = `answers in ${is_at_least ? 'at least' : 'about'} ${latency(response_latency_ms)}`;
  if (turns > 0) return `By ${turns} measured turns with these providers it ${answers}${inDoubt}`;
  const without = hasCalls && !ofChange ? 'No measured turns' : 'No calls yet';
  return `${without}${ofChange ? ' with these providers' : ''}: by its settings and published figures it ${answers}${inDoubt}`;
}

/** Says of a stage how long it takes, what of that is waited for, and whose figure it is. Pure. */
export function partWords({ stage, takes_ms, adds_ms, basis }: Part): string {
  if (takes_ms === null) return `${STAGES[stage]}: not known. ${basis}`;
  const waited = adds_ms < takes_ms ? `, of which ${latency(adds_ms)} is waited for` : '';
  return `${STAGES[stage]}: ${latency(takes_ms)}${waited}. ${basis}`;
}
