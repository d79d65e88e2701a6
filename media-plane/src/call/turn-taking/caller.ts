import { considerBargeIn, interruptByKey } from './barge-in.js';
import { endingDelayOf, endTurn, endTurnIfDue } from './endpointing.js';
import type { CallerEvent } from './events.js';
import { dropUnheardAnswer } from './late-text.js';
import { speculateIfDue } from './preemption.js';
import { withFinal } from './recogniser-habits.js';
import { onUntranscribedSpeech } from './speech-to-speech.js';
import { audibleTurn, type Caller, type Draft, type State, startLateness } from './state.js';
import { correctCaller } from './transcript.js';
import { dropSpeculation } from './turns.js';
import { hasInput, hasText, type Utterance, utteranceText } from './utterance.js';
import { continues, hasWords, join, sameWords } from './words.js';

/** What the caller does, as the detector and the recogniser report it. */

export function onSpeechStarted(
  draft: Draft,
  { startedAt, lateMs = 0 }: Extract<CallerEvent, { type: 'speech_started' }>,
): void {
  const { state } = draft;
  const since = Math.min(startedAt, draft.at);
  state.caller = { phase: 'speaking', since, noise: false };
  state.lastStartedAt = since;
  state.startedLateMs = lateMs;
  const { endedAt, confidentEnd, completion } = state.utterance;
  if (endedAt !== null || confidentEnd || completion !== null) {
    state.utterance = { ...state.utterance, endedAt: null, confidentEnd: false, completion: null };
  }
  considerBargeIn(draft);
}

export function onSpeechStopped(
  draft: Draft,
  { stoppedAt, lateMs = 0 }: Extract<CallerEvent, { type: 'speech_stopped' }>,
): void {
  const { state } = draft;
  state.lastStoppedAt = Math.min(stoppedAt, draft.at);
  state.stoppedLateMs = lateMs;
  const { caller } = state;
  if (caller.phase !== 'speaking') return;
  if (caller.noise && state.hearsWords && !hasInput(state.utterance)) {
    state.caller = { phase: 'silent' };
    return;
  }
  const since = Math.max(caller.since, state.lastStoppedAt);
  const spokenMs = Math.max(0, since - lateMs - (caller.since - startLateness(state, caller.since)));
  state.caller = { phase: 'trailing', since, startedAt: caller.since, spokenMs };
  if (!state.hearsWords) {
    onUntranscribedSpeech(draft);
    return;
  }
  if (!hasText(state.utterance)) return;
  state.utterance = { ...state.utterance, minimumMs: endingDelayOf(state, state.utterance) };
  endTurnIfDue(draft);
  speculateIfDue(draft);
}

export function onTurnResumed(draft: Draft): void {
  const { state } = draft;
  state.utterance = { ...state.utterance, endedAt: null, confidentEnd: false };
  dropSpeculation(draft, 'caller_continued');
}

export function onDtmf(draft: Draft, digit: string): void {
  const { state, at } = draft;
  dropUnheardAnswer(draft);
  const { utterance } = state;
  state.utterance = {
    ...utterance,
    digits: utterance.digits + digit,
    digitAt: at,
    ...(hasInput(utterance) ? {} : { startedAt: at, lateMs: 0 }),
    endedAt: null,
  };
  state.silencePrompts = 0;
  dropSpeculation(draft, 'text_changed');
  interruptByKey(draft);
  if (digit === '#') endTurn(draft);
}

export function onTranscript(draft: Draft, event: Extract<CallerEvent, { type: 'transcript' }>): void {
  const { state, at } = draft;
  const text = event.text.trim();
  if (!hasWords(text)) {
    // A final without words takes the interim back: it was noise.
    if (event.final) state.utterance = { ...state.utterance, interim: '' };
    endTurnIfDue(draft);
    return;
  }
  if (belongsToLastTurn(draft, text, event.final)) return;
  dropUnheardAnswer(draft);

  const before = state.utterance;
  const said = hasText(before);
  const next = event.final
    ? { finals: join(before.finals, text), interim: '' }
    : { finals: before.finals, interim: text };
  const changed = !sameWords(utteranceText(before), utteranceText({ ...before, ...next }));
  if (event.final) measureFinal(draft, changed);
  const confidence = Math.min(1, Math.max(0, event.confidence));
  state.caller = heardWords(draft, state.caller, changed, before.index !== null);
  state.utterance = {
    ...before,
    ...next,
    ...(hasInput(before) ? {} : startOfWords(state, at)),
    textAt: changed ? at : before.textAt,
    confidence: said && before.finals !== '' ? Math.min(before.confidence, confidence) : confidence,
    confidentEnd: changed ? false : before.confidentEnd,
    endedAt: changed ? null : before.endedAt,
  };
  state.silencePrompts = 0;
  if (event.final || state.caller.phase === 'trailing') {
    state.utterance = { ...state.utterance, minimumMs: endingDelayOf(state, state.utterance) };
  }
  // They go on: what was begun on fewer words is of no use.
  if (changed && state.caller.phase === 'speaking') dropSpeculation(draft, 'caller_continued');
  considerBargeIn(draft);
  endTurnIfDue(draft);
  speculateIfDue(draft);
}

/** Measures a final text that follows the end of speech, before the utterance takes it. */
function measureFinal({ state, at }: Draft, isRevised: boolean): void {
  const { caller, utterance, guessing } = state;
  // Only the detector knows when speech ended; a final within speech says nothing of how long one takes after it.
  if (caller.phase !== 'trailing' || caller.spokenMs === 0 || utterance.interim === '') return;
  const recogniser = withFinal(guessing.recogniser, { afterMs: at - caller.since, isRevised });
  state.guessing = { ...guessing, recogniser };
}

/** Moves the caller's phase on, because words were recognised: whatever the detector says, somebody spoke. */
function heardWords({ state, at }: Draft, caller: Caller, changed: boolean, takenBack: boolean): Caller {
  switch (caller.phase) {
    case 'speaking':
      return caller.noise ? { ...caller, noise: false } : caller;
    case 'trailing':
      // Text that comes without the detector's speech moves the end of speech on.
      return changed && caller.spokenMs === 0 && caller.since !== state.lastStoppedAt
        ? { ...caller, since: at, startedAt: at }
        : caller;
    case 'silent': {
      if (!changed) return caller;
      const stopped = state.lastStoppedAt;
      const recent = stopped !== null && at - stopped <= state.options.settings.max_endpointing_ms;
      const since = stopped !== null && (recent || takenBack) ? stopped : at;
      return { phase: 'trailing', since, startedAt: since, spokenMs: 0 };
    }
  }
}

function startOfWords(state: State, at: number): Pick<Utterance, 'startedAt' | 'lateMs'> {
  const startedAt = arrivalOfWords(state.caller, at);
  return { startedAt, lateMs: startLateness(state, startedAt) };
}

function arrivalOfWords(caller: Caller, at: number): number {
  switch (caller.phase) {
    case 'silent':
      return at;
    case 'speaking':
      return caller.since;
    case 'trailing':
      return caller.startedAt;
  }
}

/**
 * Applies a newer text to the last turn, if that was ended on a text that could still change and this is the same
 * speech. True when nothing more is to be done: it says the same, or the agent is already heard, so that only the
 * transcript is corrected.
 */
function belongsToLastTurn(draft: Draft, text: string, final: boolean): boolean {
  const { state } = draft;
  const last = state.lastTurn;
  if (!last || last.utterance.interim === '' || hasInput(state.utterance)) return false;
  const { utterance } = last;
  const spokeAgain = state.lastStartedAt !== null && state.lastStartedAt > last.endedAtMs;
  if (spokeAgain || !continues(utterance.interim, text)) {
    const finals = utteranceText(utterance);
    state.lastTurn = { ...last, utterance: { ...utterance, finals, interim: '' } };
    return false;
  }
  const newer = final
    ? { ...utterance, finals: join(utterance.finals, text), interim: '' }
    : { ...utterance, interim: text };
  const same = sameWords(utteranceText(newer), utteranceText(utterance));
  if (!same && isAnswerPrepared(state)) return false;
  if (final) correctCaller(draft, newer);
  return true;
}

function isAnswerPrepared(state: State): boolean {
  const isEnding = state.closing !== null && !state.closing.revocable;
  return !audibleTurn(state) && !isEnding && state.turns.some((turn) => turn.purpose === 'answer');
}
