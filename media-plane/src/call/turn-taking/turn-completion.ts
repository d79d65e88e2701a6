import { endingDelayOf } from './endpointing.js';
import type { CallerEvent } from './events.js';
import type { Draft } from './state.js';
import { hasText } from './utterance.js';

/**
 * Takes what a model says of the sound of the caller's last speech: whether they have finished. It moves the deadline
 * of the end of turn and ends nothing itself. What comes late, of speech that the caller has gone on from, is dropped.
 */
export function onTurnCompletion(
  draft: Draft,
  { probability, stoppedAt }: Extract<CallerEvent, { type: 'turn_completion' }>,
): void {
  const { state } = draft;
  if (state.options.settings.semantic_end_of_turn === 'off' || !state.hearsWords) return;
  if (state.caller.phase !== 'trailing' || state.lastStoppedAt !== stoppedAt) return;
  const utterance = { ...state.utterance, completion: probability };
  state.utterance = hasText(utterance)
    ? { ...utterance, minimumMs: endingDelayOf(state, utterance) }
    : utterance;
}
