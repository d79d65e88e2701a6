import type { EndReason } from '@voice/shared/contracts/primitives';
import { languageRules } from './language.js';
import { releaseNotesBefore } from './notes.js';
import { audibleTurn, type Closing, callerHoldsFloor, type Draft, findTurn, type State } from './state.js';
import { cancelAllTimers } from './timers.js';
import { rememberCaller } from './transcript.js';
import { abortUnheard, clear, dropSpeculation, say } from './turns.js';
import { EMPTY_UTTERANCE } from './utterance.js';
import { LONGEST_SPEECH_MS, speaksWithoutWords } from './wordless-speech.js';

/** Rule 8: what is being said is heard, within a limit; then `hang_up`, exactly once. */

/** How long a goodbye may take on top of its own length, in ms. */
const CLOSING_LIMIT_MS = 10_000;
/** Slow speech, in ms a character: a goodbye that is long is not cut for being long. */
const MS_PER_CHARACTER = 75;
/** How long the executor may take to answer `clear`, in ms. It answers at once. */
const CLEARING_LIMIT_MS = 1000;

/** What the model reads as the result of an `end_call` that the caller has revoked. */
const NOT_ENDED = JSON.stringify({ error: 'The caller went on; this was not done.' });

/** Endings with a goodbye: a caller who hangs up before they are heard has ended the call. */
const CHOSEN_BY_AGENT: ReadonlySet<EndReason> = new Set(['agent_hangup', 'silence_timeout', 'max_duration']);

export interface Ending {
  readonly reason: EndReason;
  readonly errorCode?: string;
  readonly errorMessage?: string;
}

/** Ends the call when everything that is prepared or being said was heard. */
export function close(draft: Draft, ending: Ending, revocable = false): void {
  const { state } = draft;
  dropSpeculation(draft, 'closing');
  state.pendingAnswer = null;
  const characters = state.turns.reduce((sum, turn) => sum + turn.text.length, 0);
  state.closing = {
    reason: ending.reason,
    errorCode: ending.errorCode ?? null,
    errorMessage: ending.errorMessage ?? null,
    deadline: draft.at + CLOSING_LIMIT_MS + characters * MS_PER_CHARACTER,
    revocable,
  };
}

/** Ends the call now; only how much of the audible turn was heard is waited for. */
export function closeNow(draft: Draft, ending: Ending): void {
  const { state } = draft;
  silenceAgent(draft);
  state.tools = [];
  close(draft, ending);
  if (state.closing) state.closing = { ...state.closing, deadline: draft.at + CLEARING_LIMIT_MS };
}

/**
 * Revokes an ending, because the caller spoke before the goodbye for their silence, or before any of that of `end_call`,
 * was heard.
 */
export function reopen({ state }: Draft): void {
  const { closing } = state;
  if (!closing?.revocable) return;
  state.closing = null;
  if (closing.reason !== 'agent_hangup') return;
  state.tools = state.tools.map((run) =>
    run.call.kind === 'end_call' ? { ...run, status: 'finished', result: NOT_ENDED } : run,
  );
}

/**
 * Ends the call by the tool `end_call`: nothing new is begun, what the turn says is heard. Until that begins, the
 * caller may go on (rule 5).
 */
export function endCall(draft: Draft, turnId: number): void {
  const { closing } = draft.state;
  if (closing && !closing.revocable) return;
  const isUnheard = findTurn(draft.state, turnId)?.phase === 'preparing';
  close(draft, { reason: 'agent_hangup' }, isUnheard);
}

/** Makes the ending by `end_call` final: its goodbye begins, or nobody is understood any more who would go on. */
export function confirmEndCall({ state }: Draft): void {
  const { closing } = state;
  if (closing?.reason === 'agent_hangup') state.closing = { ...closing, revocable: false };
}

/** Returns whether `end_call` ends the call without a word: until it does, the caller may go on. */
export function isEndingInSilence({ closing, turns }: State): boolean {
  return closing?.revocable === true && closing.reason === 'agent_hangup' && turns.length === 0;
}

/** Ends the agent's part: the transfer stands. */
export function transferred(draft: Draft): void {
  if (!draft.state.closing) close(draft, { reason: 'transferred' });
}

/**
 * Ends the call whose media stream is gone. An ending that had begun keeps its reason where the caller did not choose
 * it.
 */
export function onCarrierStopped(draft: Draft): void {
  const { state } = draft;
  const transferring = state.tools.some(
    (run) => run.call.kind === 'transfer_call' && run.status === 'running',
  );
  const { closing } = state;
  if (closing && !CHOSEN_BY_AGENT.has(closing.reason)) closeNow(draft, endingOf(closing));
  else if (state.machine) closeNow(draft, { reason: 'voicemail' });
  else closeNow(draft, { reason: transferring ? 'transferred' : 'caller_hangup' });
}

/** Ends a call that has lasted as long as it may: cuts what is said, with a polite goodbye. */
export function onMaxDuration(draft: Draft): void {
  const { state } = draft;
  if (state.closing && !state.closing.revocable) return;
  if (state.machine) {
    closeNow(draft, { reason: 'max_duration' });
    return;
  }
  silenceAgent(draft);
  state.tools = [];
  say(draft, 'goodbye', languageRules(state.options.language).phrases.timeLimit, { uninterruptible: true });
  close(draft, { reason: 'max_duration' });
}

/** Ends the call, because the limit of its ending has passed. */
export function onClosingTimer(draft: Draft): void {
  const { state } = draft;
  const { closing } = state;
  if (!closing) return;
  const audible = audibleTurn(state);
  if (audible && audible.phase !== 'clearing') {
    closeNow(draft, endingOf(closing));
    return;
  }
  hangUp(draft);
}

/** Ends the call when nothing is left to be heard or to be done. True when it did. */
export function hangUpIfDone(draft: Draft): boolean {
  const { state } = draft;
  if (!state.closing || state.turns.length > 0) return false;
  if (state.tools.some((run) => run.status === 'running')) return false;
  if (isEndingInSilence(state) && callerHoldsFloor(draft)) return false;
  hangUp(draft);
  return true;
}

function hangUp(draft: Draft): void {
  const { state, effects } = draft;
  const { closing } = state;
  if (!closing || state.over) return;
  if (state.turns.some(({ purpose, phase }) => purpose === 'voicemail' && phase === 'preparing')) {
    effects.push({
      type: 'notice',
      code: 'voicemail_message_not_left',
      message: 'The message was not left: its voice did not begin in time.',
    });
  }
  for (const turn of state.turns) abortUnheard(draft, turn, 'closing');
  if (!state.machine) rememberCaller(draft, state.utterance);
  releaseNotesBefore(draft, Number.POSITIVE_INFINITY);
  state.utterance = EMPTY_UTTERANCE;
  state.over = true;
  cancelAllTimers(draft);
  const { reason, errorCode, errorMessage } = closing;
  effects.push({ type: 'hang_up', reason, errorCode, errorMessage });
}

function endingOf({ reason, errorCode, errorMessage }: Closing): Ending {
  return { reason, errorCode: errorCode ?? undefined, errorMessage: errorMessage ?? undefined };
}

/** Cuts what is audible and drops what is prepared. */
export function silenceAgent(draft: Draft): void {
  for (const turn of draft.state.turns) {
    if (turn.phase === 'preparing') abortUnheard(draft, turn, 'closing');
    else if (turn.phase !== 'clearing') {
      clear(draft, turn);
      draft.effects.push({ type: 'abort', turn: turn.id, reason: 'closing' });
    }
  }
}

export function closingDeadline(state: State): number | null {
  const { closing, caller } = state;
  if (!closing) return null;
  const mayBeRevoked = closing.revocable && speaksWithoutWords(state) && caller.phase === 'speaking';
  return mayBeRevoked ? Math.max(closing.deadline, caller.since + LONGEST_SPEECH_MS) : closing.deadline;
}

export function maxDurationDeadline({ startedAt, options, closing }: State): number | null {
  if (startedAt === null || (closing && !closing.revocable)) return null;
  return startedAt + options.maxDurationMs;
}
