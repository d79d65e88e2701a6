import { close } from './closing.js';
import { audibleTurn, callerHoldsFloor, type Draft, pressesKeys, type State } from './state.js';
import { say } from './turns.js';
import { hasInput } from './utterance.js';
import { LONGEST_SPEECH_MS, speaksWithoutWords } from './wordless-speech.js';

/** Rule 7: a silent caller is asked, then taken leave of; a waiting caller hears that work is being done. */

/** Notes since when both sides are silent, or the caller waits. Called when all else is decided. */
export function noteSilence(draft: Draft): void {
  const { state, at } = draft;
  const active = state.startedAt !== null && !state.closing && !state.machine && !state.over;
  const busy =
    state.turns.some((turn) => !turn.speculative) || isAtWork(state) || state.pendingAnswer !== null;
  const idle = active && !busy && !hasInput(state.utterance);
  state.idleSince = idle ? (state.idleSince ?? at) : null;
  const silent = !audibleTurn(state) && !pressesKeys(state);
  const waiting = active && silent && !callerHoldsFloor(draft) && isAnswering(state);
  state.waitingSince = waiting ? (state.waitingSince ?? at) : null;
}

/** Returns whether tools run over which nothing is to be said. */
function isAtWork(state: State): boolean {
  if (state.tools.length === 0) return false;
  // Of a tool that is deferred the caller was told; one that takes long is told of again.
  return state.tools.some((run) => !run.deferred) || pressesKeys(state) || stillAtWork(state) === undefined;
}

/** Returns what a caller hears again and again who waits for a tool that takes long; undefined: nothing. */
function stillAtWork({ nextTurn, options }: State): string | undefined {
  const { fillers, silence_prompts } = options.settings;
  // No chance in a pure function: the turn's number varies the words.
  return fillers.length > 0 ? fillers[nextTurn % fillers.length] : silence_prompts[0];
}

function isAnswering({ turns, tools, pendingAnswer }: State): boolean {
  // Of a tool that is deferred the caller was just told.
  if (pendingAnswer || tools.some((run) => !run.deferred)) return true;
  return turns.some((turn) => turn.purpose === 'answer' && !turn.speculative && !turn.audioReady);
}

export function silenceDeadline(state: State): number | null {
  const { idleSince, caller, options } = state;
  if (idleSince === null) return null;
  const silent = idleSince + options.silenceTimeoutMs;
  // Somebody makes a sound; if no word follows, it counts as silence after all.
  if (caller.phase === 'silent' || (caller.phase === 'speaking' && caller.noise)) return silent;
  const longestMs = speaksWithoutWords(state) ? LONGEST_SPEECH_MS : options.settings.max_endpointing_ms;
  return Math.max(silent, caller.since + longestMs);
}

export function onSilence(draft: Draft): void {
  const { state } = draft;
  if (state.tools.length > 0) {
    // It is for the agent to speak, not for the caller: nobody takes leave.
    const text = stillAtWork(state);
    if (text !== undefined) say(draft, 'filler', text);
    return;
  }
  const { silence_prompts, silence_goodbye } = state.options.settings;
  const prompt = silence_prompts[state.silencePrompts];
  if (prompt !== undefined) {
    state.silencePrompts += 1;
    say(draft, 'silence_prompt', prompt);
    return;
  }
  if (silence_goodbye.trim() !== '') say(draft, 'goodbye', silence_goodbye);
  close(draft, { reason: 'silence_timeout' }, true);
}

export function fillerDeadline({ waitingSince, fillerUsed, turns, options }: State): number | null {
  if (waitingSince === null || fillerUsed || options.settings.fillers.length === 0) return null;
  if (turns.some((turn) => turn.purpose === 'filler')) return null;
  return waitingSince + options.settings.filler_delay_ms;
}

export function onFiller(draft: Draft): void {
  const { state } = draft;
  const { fillers } = state.options.settings;
  // No chance in a pure function: the turn's number varies the words.
  const filler = fillers[state.nextTurn % fillers.length];
  if (filler === undefined) return;
  state.fillerUsed = true;
  draft.effects.push({ type: 'report', metric: { name: 'filler', turn: state.nextTurn } });
  say(draft, 'filler', filler, { first: true });
}
