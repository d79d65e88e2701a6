import { isBackchannel } from './backchannel.js';
import { speechStartedAt } from './barge-in.js';
import { isEndingInSilence } from './closing.js';
import { endTurn } from './endpointing.js';
import { audibleTurn, type Draft, isProtected, type State } from './state.js';
import { updateTurn } from './turns.js';
import { hasInput, utteranceText } from './utterance.js';
import { LONGEST_SPEECH_MS, speaksWithoutWords } from './wordless-speech.js';

/** Rule 3, its other half: a pause that turns out not to be an interruption, and the agent's going on. */

/** Returns when a caller who took the floor without a word, or only to say "mhm", gives it back. */
export function falseInterruptionDeadline(state: State): number | null {
  const { caller, options } = state;
  if (caller.phase === 'silent' || !isHeldUp(state) || saysSomething(state)) return null;
  const { false_interruption_ms, max_endpointing_ms } = options.settings;
  if (caller.phase === 'trailing') return caller.since + false_interruption_ms;
  if (caller.noise) return null;
  // Without words only its length distinguishes speech from noise.
  if (speaksWithoutWords(state)) return caller.since + LONGEST_SPEECH_MS;
  return caller.since + Math.max(max_endpointing_ms, false_interruption_ms);
}

function saysSomething(state: State): boolean {
  const { utterance } = state;
  if (!hasInput(utterance)) return false;
  const turn = audibleTurn(state);
  return !turn || utterance.digits !== '' || !isBackchannel(state, turn, utteranceText(utterance));
}

/** Returns whether the agent is paused, or it, its answer, its ending or the next agent waits for the caller's silence. */
function isHeldUp(state: State): boolean {
  const audible = audibleTurn(state);
  if (audible) return audible.phase === 'paused';
  if (isEndingInSilence(state)) return true;
  if (state.nextAgent || (state.pendingAnswer && !state.hearsWords)) return true;
  const head = state.turns.find((turn) => !turn.speculative);
  return head?.audioReady === true && !isProtected(state, head);
}

export function onFalseInterruption(draft: Draft): void {
  const { state } = draft;
  if (hasInput(state.utterance)) {
    endTurn(draft);
    return;
  }
  state.caller = state.caller.phase === 'speaking' ? { ...state.caller, noise: true } : { phase: 'silent' };
}

/** Resumes a paused turn from what was heard, when nobody interrupts any more, or nobody may. */
export function resumeIfQuiet(draft: Draft): void {
  const { state, effects } = draft;
  const turn = audibleTurn(state);
  if (turn?.phase !== 'paused') return;
  if (!isProtected(state, turn) && !isQuiet(state)) return;
  effects.push({
    type: 'report',
    metric: { name: 'barge_in', turn: turn.id, speechStartedAt: speechStartedAt(draft), falseAlarm: true },
  });
  effects.push({ type: 'resume', turn: turn.id, fromMs: turn.playedMs });
  updateTurn(draft, turn.id, { phase: 'playing' });
}

function isQuiet({ caller, utterance }: State): boolean {
  if (hasInput(utterance)) return false;
  return caller.phase === 'silent' || (caller.phase === 'speaking' && caller.noise);
}
