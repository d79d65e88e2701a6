import {
  type ExplainedCall,
  type ExplainedDecision,
  MOST_EXPLAINED,
} from '@voice/shared/contracts/decisions';
import { decide, initialState } from './decide.js';
import { DecisionFacts } from './decision-facts.js';
import { eventWords } from './event-words.js';
import { explain } from './explain-decision.js';
import { outcomeOf } from './outcome-words.js';
import { decisionLogLines } from './recorded-decisions.js';
import type { State } from './state.js';

/** Decisions between two pauses of the generator: about a millisecond of work. */
const SLICE = 25;

/**
 * Explains a call's decisions in plain words and runs them through today's rules. Gives way every `SLICE` decisions, so
 * that who else needs the processor is not kept waiting.
 *
 * @throws DecisionLogError
 */
export function* explainLog(lines: Iterable<string>): Generator<void, ExplainedCall> {
  const explained: ExplainedDecision[] = [];
  let truncated = false;
  let steps = 0;
  let different = 0;
  let state: State | undefined;
  let facts: DecisionFacts | undefined;
  for (const line of decisionLogLines(lines)) {
    if (line.kind === 'options') {
      state = initialState(line.options);
      facts = new DecisionFacts(line.options);
      continue;
    }
    if (!state || !facts) continue;
    const { event, effects } = line.decision;
    steps += 1;
    const today = decide(state, event);
    state = today.state;
    const differs = JSON.stringify(today.effects) !== JSON.stringify(effects);
    if (differs) different += 1;
    facts.happened(event);
    const recorded = explain(line.decision, facts);
    // Nothing is an outcome, too.
    const otherwise = differs ? (outcomeOf(today.effects, facts) ?? '') : null;
    facts.decided(effects);
    const changes = otherwise !== null && otherwise !== (recorded?.outcome ?? '');
    if (recorded || changes) {
      if (explained.length < MOST_EXPLAINED) {
        explained.push({
          step: steps,
          at_ms: event.at,
          ...(recorded ?? { rule: 'note', known: eventWords(event), outcome: '' }),
          today: changes ? otherwise : null,
        });
      } else truncated = true;
    }
    if (steps % SLICE === 0) yield;
  }
  return { decisions: explained, truncated, steps, different };
}
