import { decide, initialState } from './decide.js';
import type { Effect } from './effects.js';
import type { TurnTakingEvent } from './events.js';
import { readDecisionLog } from './recorded-decisions.js';

/** A decision that today's rules would take differently. */
export interface Difference {
  /** 1 for the first event of the log. */
  readonly step: number;
  readonly event: TurnTakingEvent;
  readonly recorded: readonly Effect[];
  readonly today: readonly Effect[];
}

export interface Replay {
  readonly steps: number;
  /** Those after the first may be mere consequences: the events that followed were caused by what was done then. */
  readonly differences: readonly Difference[];
}

/**
 * Runs a recorded call through today's rules.
 *
 * @param lines the decision log's: the options first, then one decision each; empty lines are skipped
 * @throws DecisionLogError
 */
export function replay(lines: Iterable<string>): Replay {
  const { options, decisions } = readDecisionLog(lines);
  let state = initialState(options);
  const differences: Difference[] = [];
  for (const [i, { event, effects }] of decisions.entries()) {
    const today = decide(state, event);
    state = today.state;
    if (JSON.stringify(today.effects) !== JSON.stringify(effects)) {
      differences.push({ step: i + 1, event, recorded: effects, today: today.effects });
    }
  }
  return { steps: decisions.length, differences };
}
