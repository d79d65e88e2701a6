import { type Draft, hasText, type State, speculativeTurn, utteranceText } from './state.js';
import { releaseHeldTools } from './tools.js';
import { abortUnheard, generateSpeculative, updateTurn } from './turns.js';
import { hasWords, sameWords } from './words.js';

/** Rule 2: the answer is begun before the caller's turn is surely over, and kept when it was. */

const MAX_TRIES = 3;
/** Longer speech is a narrative whose end cannot be foreseen; speculating on it is waste. In ms. */
const MAX_SPEECH_MS = 10_000;

/** Returns when text that no longer changes is worth a speculative answer. */
export function stableInterimDeadline(state: State): number | null {
  const { caller, utterance, options } = state;
  if (caller.phase !== 'trailing' || !maySpeculate(state) || utterance.tries >= MAX_TRIES) return null;
  const speculation = speculativeTurn(state);
  if (speculation && sameWords(speculation.basis, utteranceText(utterance))) return null;
  return Math.max(utterance.textAt, caller.since) + options.settings.eager_stable_interim_ms;
}

export function onStableInterim(draft: Draft): void {
  speculate(draft, utteranceText(draft.state.utterance));
}

/** Speculates on final text and silence at once, unless the words say that more will come. */
export function speculateOnFinal(draft: Draft): void {
  const { caller, utterance, options } = draft.state;
  if (caller.phase !== 'trailing' || utterance.interim !== '') return;
  if (utterance.minimumMs <= options.settings.min_endpointing_ms) speculate(draft, utterance.finals);
}

export function speculate(draft: Draft, basis: string): void {
  const { state } = draft;
  if (!maySpeculate(state)) return;
  const speculation = speculativeTurn(state);
  if (speculation) {
    if (sameWords(speculation.basis, basis)) return;
    abortUnheard(draft, speculation, 'text_changed');
  }
  if (state.utterance.tries >= MAX_TRIES || !hasWords(basis)) return;
  state.utterance = { ...state.utterance, tries: state.utterance.tries + 1 };
  generateSpeculative(draft, basis);
}

/** Keeps the speculation when it was made on the same words. False when there is none to keep. */
export function commitSpeculation(draft: Draft, text: string, speechEndedAt: number): boolean {
  const speculation = speculativeTurn(draft.state);
  if (!speculation) return false;
  if (!sameWords(speculation.basis, text)) {
    abortUnheard(draft, speculation, 'text_changed');
    return false;
  }
  draft.effects.push({ type: 'commit', turn: speculation.id });
  draft.effects.push({
    type: 'report',
    metric: {
      name: 'end_of_turn',
      turn: speculation.id,
      speechEndedAt,
      decidedAt: draft.at,
      preempted: true,
    },
  });
  updateTurn(draft, speculation.id, { speculative: false, owedSince: draft.at });
  releaseHeldTools(draft, { ...speculation, speculative: false });
  return true;
}

/** Returns whether nothing else is being said, prepared or done, so that the history is what the answer will see. */
function maySpeculate(state: State): boolean {
  const { utterance, caller, options } = state;
  if (!options.settings.preemptive_generation || !hasText(utterance) || utterance.digits !== '') return false;
  // Without words there is nothing to speculate on.
  if (utterance.spoken) return false;
  if (utterance.endedAt !== null || state.closing || state.machine || state.pendingAnswer) return false;
  if (state.tools.some((run) => run.turn !== speculativeTurn(state)?.id)) return false;
  if (state.turns.some((turn) => !turn.speculative)) return false;
  const spokenUntil = caller.phase === 'trailing' ? caller.since : utterance.textAt;
  return spokenUntil - utterance.startedAt <= MAX_SPEECH_MS;
}
