import { isBackchannel } from './backchannel.js';
import { reopen } from './closing.js';
import { audibleTurn, type Draft, isProtected, type State, startLateness, type Turn } from './state.js';
import { abortUnheard, clear, updateTurn } from './turns.js';
import { hasInput, hasText, utteranceText } from './utterance.js';
import { words } from './words.js';

/**
 * Rule 3. Sure speech pauses the agent at once; that it was an interruption takes words: enough of them,
 * or one of them and the minimum duration. Without words the pause ends by itself.
 */

/** Returns when the caller's speech is long enough to pause the turn, then to count as an interruption. */
export function bargeInDeadline(state: State, at: number): number | null {
  const { caller, options } = state;
  if (caller.phase !== 'speaking' || caller.noise) return null;
  const turn = audibleTurn(state);
  if (!turn || isProtected(state, turn)) return null;
  if (turn.phase === 'playing') return caller.since + options.settings.barge_in_pause_ms;
  if (turn.phase !== 'paused') return null;
  const interruption = caller.since + interruptionMs(state);
  return interruption > at ? interruption : null;
}

/**
 * Returns how long speech must last to be an interruption, in ms. Without words its length alone decides, and the
 * detector notices its end only after the minimum silence.
 */
function interruptionMs({ caller, hearsWords, options }: State): number {
  const { barge_in_min_speech_ms, vad_min_silence_ms } = options.settings;
  const unnoticed = !hearsWords && caller.phase === 'speaking' ? vad_min_silence_ms : 0;
  return barge_in_min_speech_ms + unnoticed;
}

export function onBargeInTimer(draft: Draft): void {
  const turn = audibleTurn(draft.state);
  if (turn?.phase === 'playing') {
    pause(draft, turn);
    considerInterruption(draft, false);
  } else {
    considerInterruption(draft, true);
  }
}

/** Pauses or interrupts as soon as the caller's speech so far suffices. */
export function considerBargeIn(draft: Draft): void {
  const { state, at } = draft;
  const turn = audibleTurn(state);
  if (!turn || turn.phase === 'clearing' || isProtected(state, turn)) return;
  const deadline = bargeInDeadline(state, at);
  if (turn.phase === 'playing' && deadline !== null && deadline <= at) pause(draft, turn);
  considerInterruption(draft, false);
}

/** Interrupts whatever may be interrupted: a pressed key is meant. */
export function interruptByKey(draft: Draft): void {
  const turn = audibleTurn(draft.state);
  if (turn && turn.phase !== 'clearing' && !isProtected(draft.state, turn)) interrupt(draft, turn);
}

function considerInterruption(draft: Draft, longEnough: boolean): void {
  const { state } = draft;
  const turn = audibleTurn(state);
  if (!turn || turn.phase === 'clearing' || isProtected(state, turn)) return;
  if (!state.hearsWords) {
    const sure = turn.phase === 'paused' && spokenMs(draft) >= interruptionMs(state);
    if (longEnough || sure) interrupt(draft, turn);
    return;
  }
  if (!hasText(state.utterance)) return;
  const text = utteranceText(state.utterance);
  if (isBackchannel(state, turn, text)) return;
  const { barge_in_min_words, barge_in_min_speech_ms } = state.options.settings;
  const spoken = longEnough ? barge_in_min_speech_ms : spokenMs(draft);
  const long = turn.phase === 'paused' && spoken >= barge_in_min_speech_ms;
  if (long || words(text).length >= barge_in_min_words) interrupt(draft, turn);
}

/** Returns how long the caller's speech has lasted, in ms. */
export function spokenMs({ state: { caller }, at }: Draft): number {
  switch (caller.phase) {
    case 'silent':
      return 0;
    case 'speaking':
      return at - caller.since;
    case 'trailing':
      return caller.spokenMs;
  }
}

function pause(draft: Draft, turn: Turn): void {
  draft.effects.push({ type: 'pause', turn: turn.id });
  updateTurn(draft, turn.id, { phase: 'paused' });
}

/** Ends the audible turn, because the caller took the floor, and drops what was prepared after it. */
export function interrupt(draft: Draft, turn: Turn): void {
  const { state, effects } = draft;
  const report = {
    type: 'report',
    metric: { name: 'barge_in', turn: turn.id, speechStartedAt: speechStartedAt(draft), falseAlarm: false },
  } as const;
  // Silence began with the pause, where there was one.
  if (turn.phase === 'paused') effects.push(report);
  clear(draft, turn);
  // Whatever broke off in it: the caller wants another answer now.
  updateTurn(draft, turn.id, { failure: null });
  effects.push({ type: 'abort', turn: turn.id, reason: 'interrupted' });
  if (turn.phase !== 'paused') effects.push(report);
  reopen(draft);
  for (const other of state.turns) {
    if (other.id !== turn.id) abortUnheard(draft, other, 'caller_continued');
  }
}

/** Returns when the speech that took the floor was begun to be spoken, ms since the media stream began. */
export function speechStartedAt({ state, at }: Draft): number {
  const { lastStartedAt, utterance } = state;
  const cameAt = lastStartedAt ?? (hasInput(utterance) ? utterance.startedAt : at);
  return Math.max(0, cameAt - startLateness(state, cameAt));
}
