import { type Draft, hasText, type State, speculativeTurn, utteranceText } from './state.js';
import { releaseHeldTools } from './tools.js';
import { abortUnheard, generateSpeculative, updateTurn } from './turns.js';
import { hasWords, sameWords } from './words.js';

/** Rule 2: the answer is begun before the caller's turn is surely over, and kept when it was. */

const MAX_TRIES = 3;
/** A caller who speaks for longer is telling something: guessing at its end is waste. In ms. */
const MAX_SPEECH_MS = 10_000;

/** When text that no longer changes is worth a guess. */
export function stableInterimDeadline(state: State): number | null {
  const { caller, utterance, options } = state;
  if (caller.phase !== 'trailing' || !maySpeculate(state) || utterance.tries >= MAX_TRIES) return null;
  const guess = speculativeTurn(state);
  if (guess && sameWords(guess.basis, utteranceText(utterance))) return null;
  return Math.max(utterance.textAt, caller.since) + options.settings.eager_stable_interim_ms;
}

export function onStableInterim(draft: Draft): void {
  speculate(draft, utteranceText(draft.state.utterance));
}

/** Final text and silence: worth a guess at once, unless the words say that more will come. */
export function speculateOnFinal(draft: Draft): void {
  const { caller, utterance, options } = draft.state;
  if (caller.phase !== 'trailing' || utterance.interim !== '') return;
  if (utterance.minimumMs <= options.settings.min_endpointing_ms) speculate(draft, utterance.finals);
}

export function speculate(draft: Draft, basis: string): void {
  const { state } = draft;
  if (!maySpeculate(state)) return;
  const guess = speculativeTurn(state);
  if (guess) {
    if (sameWords(guess.basis, basis)) return;
    abortUnheard(draft, guess, 'text_changed');
  }
  if (state.utterance.tries >= MAX_TRIES || !hasWords(basis)) return;
  state.utterance = { ...state.utterance, tries: state.utterance.tries + 1 };
  generateSpeculative(draft, basis);
}

/** Keeps the guess when it was made on the same words. False when there is none to keep. */
export function commitSpeculation(draft: Draft, text: string, speechEndedAt: number): boolean {
  const guess = speculativeTurn(draft.state);
  if (!guess) return false;
  if (!sameWords(guess.basis, text)) {
    abortUnheard(draft, guess, 'text_changed');
    return false;
  }
  draft.effects.push({ type: 'commit', turn: guess.id });
  draft.effects.push({
    type: 'report',
    metric: { name: 'end_of_turn', turn: guess.id, speechEndedAt, decidedAt: draft.at, preempted: true },
  });
  updateTurn(draft, guess.id, { speculative: false });
  releaseHeldTools(draft, { ...guess, speculative: false });
  return true;
}

/** Only while nothing else is being said, prepared or done, so that the history is what the answer will see. */
function maySpeculate(state: State): boolean {
  const { utterance, caller, options } = state;
  if (!options.settings.preemptive_generation || !hasText(utterance) || utterance.digits !== '') return false;
  // Without words there is nothing to guess on.
  if (utterance.spoken) return false;
  if (utterance.endedAt !== null || state.closing || state.machine || state.owed) return false;
  if (state.tools.some((run) => run.turn !== speculativeTurn(state)?.id)) return false;
  if (state.turns.some((turn) => !turn.speculative)) return false;
  const spokenUntil = caller.phase === 'trailing' ? caller.since : utterance.textAt;
  return spokenUntil - utterance.startedAt <= MAX_SPEECH_MS;
}
