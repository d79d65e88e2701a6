import { endingDelayOf, endTurn, endTurnIfDue } from './endpointing.js';
import type { CallerEvent } from './events.js';
import { speculateOnEagerEnd } from './preemption.js';
import { onProviderEndOfTurn } from './speech-to-speech.js';
import type { Draft } from './state.js';
import { hasText, utteranceText } from './utterance.js';

/** What providers report about the end of the caller's turn, sure or eager. */

export function onEndOfTurn(draft: Draft, event: Extract<CallerEvent, { type: 'end_of_turn' }>): void {
  const { state } = draft;
  if (event.confidence < state.options.settings.end_of_turn_confidence) return;
  if (event.source === 'realtime') {
    onProviderEndOfTurn(draft);
    return;
  }
  if (!hasText(state.utterance)) return;
  switch (event.source) {
    case 'stt': {
      const utterance = { ...state.utterance, confidentEnd: true };
      state.utterance = { ...utterance, minimumMs: endingDelayOf(state, utterance) };
      endTurnIfDue(draft);
      return;
    }
    case 'flux':
      endTurn(draft);
      return;
  }
}

export function onEagerEndOfTurn(
  draft: Draft,
  event: Extract<CallerEvent, { type: 'eager_end_of_turn' }>,
): void {
  const { utterance } = draft.state;
  speculateOnEagerEnd(
    draft,
    utterance.finals === '' && event.text.trim() !== '' ? event.text.trim() : utteranceText(utterance),
  );
}
