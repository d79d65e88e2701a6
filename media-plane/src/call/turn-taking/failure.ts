import { hasTime, owedTurn } from './answer-deadline.js';
import { close, closeNow, confirmEndCall } from './closing.js';
import type { AgentEvent } from './events.js';
import { languageRules } from './language.js';
import { type Draft, findTurn, type Turn } from './state.js';
import { abortUnheard, clear, say, updateTurn } from './turns.js';

const RETRIES = 1;
/** Failures in a row, each after its retry, that end the call. */
const MAX_FAILURES = 2;

/**
 * Handles a model or voice that failed within a turn. What the caller hears of it is one short apology, not a silence.
 */
export function onGenerationFailed(
  draft: Draft,
  event: Extract<AgentEvent, { type: 'generation_failed' }>,
): void {
  const turn = findTurn(draft.state, event.turn);
  if (!turn || turn.phase === 'clearing') return;
  const failure = { retryable: event.retryable, code: event.code };
  if (turn.phase === 'preparing') {
    abortUnheard(draft, turn, 'failed');
    if (!turn.speculative) recover(draft, { ...turn, failure });
    return;
  }
  if (event.playsOut) {
    // Whole sentences: the caller hears them while nothing better is there, then it is begun anew.
    updateTurn(draft, turn.id, { failure, complete: true });
    return;
  }
  // The rest of what it says will never come: what was heard is asked for, then it is begun anew.
  clear(draft, turn);
  draft.effects.push({ type: 'abort', turn: turn.id, reason: 'failed' });
  updateTurn(draft, turn.id, { failure });
}

/** Gives up the answer that made no sound by its deadline. */
export function onAnswerDeadline(draft: Draft): void {
  const turn = owedTurn(draft.state);
  if (!turn) return;
  abortUnheard(draft, turn, 'timed_out');
  giveUp(draft, 'turn_timed_out');
}

/** Follows up a failed turn: once more, or an apology, or the end. */
export function recover(draft: Draft, turn: Turn): void {
  const { state } = draft;
  const { failure } = turn;
  if (!failure || (state.closing && turn.purpose !== 'goodbye' && turn.purpose !== 'voicemail')) return;
  if (failure.retryable && turn.attempt <= RETRIES && hasTime(draft, turn)) {
    again(draft, turn);
    return;
  }
  switch (turn.purpose) {
    case 'filler':
    case 'silence_prompt':
    case 'goodbye':
      // Nothing is lost but politeness.
      return;
    case 'answer':
    case 'first_message':
      giveUp(draft, failure.code);
      return;
    case 'disclosure':
    case 'apology':
    case 'voicemail':
      closeNow(draft, providerFailed(failure.code));
      return;
  }
}

/** Gives up a turn with an apology; the second time in a row, ends the call. */
export function giveUp(draft: Draft, code: string): void {
  const { state } = draft;
  state.pendingAnswer = null;
  state.failures += 1;
  if (state.failures >= MAX_FAILURES) {
    closeNow(draft, providerFailed(code));
    return;
  }
  const { settings, language } = state.options;
  const own = settings.apology.trim();
  say(draft, 'apology', own === '' ? languageRules(language).phrases.apology : own);
}

/**
 * Handles a recogniser, or session of speech to speech, that failed for good. A goodbye is said without it, and so is a
 * message to a machine: it is needed only where a machine turns out to be a person (`endByDeferredFailure`).
 */
export function onProviderFailed(draft: Draft, code: string): void {
  const { state } = draft;
  confirmEndCall(draft);
  if (state.machine || (state.closing && !state.closing.revocable)) {
    state.deferredFailure = code;
    return;
  }
  closeNow(draft, providerFailed(code));
}

/** Ends the call where the recogniser has failed, as a person is on the line. True when it did. */
export function endByDeferredFailure(draft: Draft): boolean {
  const { deferredFailure: code } = draft.state;
  if (code === null) return false;
  closeNow(draft, providerFailed(code));
  return true;
}

function again(draft: Draft, turn: Turn): void {
  const { state } = draft;
  const attempt = turn.attempt + 1;
  if (turn.purpose === 'answer') {
    // Tools that already ran must not run twice: their results lead to the next answer by themselves.
    const acted = state.tools.some((run) => run.turn === turn.id);
    const owedSince = turn.phase === 'preparing' ? turn.owedSince : null;
    if (!acted) state.pendingAnswer = { basis: turn.basis, attempt, owedSince, endOfTurn: null };
    return;
  }
  say(draft, turn.purpose, turn.text, { uninterruptible: turn.uninterruptible, first: true, attempt });
  if (state.closing) close(draft, { reason: state.closing.reason }, state.closing.revocable);
}

function providerFailed(code: string) {
  return {
    reason: 'provider_failed',
    errorCode: code,
    errorMessage: 'A provider of this call failed and there was no other to take over.',
  } as const;
}
