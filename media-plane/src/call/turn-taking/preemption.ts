import { isAffordable, isPaid, waitOfDebtMs } from './guess-credit.js';
import { leadMs } from './guessing.js';
import { earlyFinalMs, hasReliableInterims, lateFinalMs } from './recogniser-habits.js';
import { type Draft, type State, speculativeTurn } from './state.js';
import { releaseHeldTools } from './tools.js';
import { abortUnheard, generateSpeculative, updateTurn } from './turns.js';
import { hasText, utteranceText } from './utterance.js';
import { hasWords, sameWords } from './words.js';

/** Rule 2: the answer is begun before the caller's turn is surely over, and kept when it was. */

const MAX_TRIES = 3;
/** Longer speech is a narrative whose end cannot be foreseen; speculating on it is waste. In ms. */
const MAX_SPEECH_MS = 10_000;
/** A final that is expected so soon after an interim has stood long enough is waited for, in ms. */
const WORTH_MS = 60;

/**
 * Returns when the text is worth a speculative answer: as late as an answer can be begun without being late itself, for
 * the caller may go on; on final text, or on an interim where the recogniser is known to keep to those or its final is
 * late; and later while guesses cost more than they may.
 */
export function guessDeadline(state: State): number | null {
  const { caller, utterance, guessing } = state;
  if (caller.phase !== 'trailing' || !maySpeculate(state) || utterance.tries >= MAX_TRIES) return null;
  const speculation = speculativeTurn(state);
  if (speculation && sameWords(speculation.basis, utteranceText(utterance))) return null;
  const isFinal = utterance.interim === '';
  const settledAt = isFinal ? utterance.textAt : interimSettledAt(state, caller.since);
  const endsAt =
    caller.since + Math.max(utterance.minimumMs, isFinal ? 0 : earlyFinalMs(guessing.recogniser));
  // In whole ms: what was measured has fractions.
  const guessAt = Math.floor(Math.max(settledAt, endsAt - leadMs(guessing)) + waitOfDebtMs(guessing.credit));
  // Begun with the turn's end it is no guess any more.
  return isFinal && guessAt >= endsAt ? null : guessAt;
}

/** Returns when a text that may still change is to be taken for what was said. */
function interimSettledAt({ utterance, guessing, options }: State, silentSince: number): number {
  const { recogniser } = guessing;
  const stableAt = Math.max(utterance.textAt, silentSince) + options.settings.eager_stable_interim_ms;
  const isFinalFar = silentSince + recogniser.finalMs.mean >= stableAt + WORTH_MS;
  if (isFinalFar && hasReliableInterims(recogniser)) return stableAt;
  return Math.max(stableAt, silentSince + lateFinalMs(recogniser));
}

export function onGuessDue(draft: Draft): void {
  speculate(draft, utteranceText(draft.state.utterance));
}

/** Begins the answer when its time has already come: a final text may come late. */
export function speculateIfDue(draft: Draft): void {
  const deadline = guessDeadline(draft.state);
  if (deadline !== null && deadline <= draft.at) onGuessDue(draft);
}

/** Begins the answer because the recogniser thinks that the turn ends, unless guesses cost more than they may. */
export function speculateOnEagerEnd(draft: Draft, basis: string): void {
  if (isPaid(draft.state.guessing.credit)) speculate(draft, basis);
}

function speculate(draft: Draft, basis: string): void {
  const { state } = draft;
  if (!maySpeculate(state)) return;
  const speculation = speculativeTurn(state);
  if (speculation) {
    if (sameWords(speculation.basis, basis)) return;
    abortUnheard(draft, speculation, 'text_changed');
    if (!isAffordable(state.guessing.credit)) return;
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
  if (options.settings.preemptive_generation === 'off' || !hasText(utterance) || utterance.digits !== '')
    return false;
  // Without words there is nothing to speculate on.
  if (utterance.spoken) return false;
  if (utterance.endedAt !== null || state.closing || state.machine || state.pendingAnswer) return false;
  if (!isAffordable(state.guessing.credit)) return false;
  if (state.tools.some((run) => run.turn !== speculativeTurn(state)?.id)) return false;
  if (state.turns.some((turn) => !turn.speculative)) return false;
  const spokenUntil = caller.phase === 'trailing' ? caller.since : utterance.textAt;
  return spokenUntil - utterance.startedAt <= MAX_SPEECH_MS;
}
