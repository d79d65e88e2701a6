import { considerBargeIn, spokenMs } from './barge-in.js';
import { endTurn, endTurnIfDue } from './endpointing.js';
import type { CallerEvent, OutsideEvent } from './events.js';
import { dropUnheardAnswer } from './late-text.js';
import { audibleTurn, type Draft, isProtected, type State, startLateness } from './state.js';
import { rememberWords, retractCallerTurn, wholeText } from './transcript.js';
import { abortUnheard } from './turns.js';
import { EMPTY_UTTERANCE, hasInput, type Utterance } from './utterance.js';

/**
 * Speech to speech: the model hears the caller itself, and their words are learnt when the answer has long begun. So
 * turns end, and agents are interrupted, by the duration of speech alone.
 */

/** Shorter speech is a cough, in ms. */
const SHORTEST_TURN_MS = 150;

/** Decides whether the caller's stop ended something said. */
export function onUntranscribedSpeech(draft: Draft): void {
  const { state, at } = draft;
  const { caller, utterance } = state;
  if (caller.phase !== 'trailing') return;
  if (!utterance.spoken && caller.spokenMs < shortest(draft)) {
    // A backchannel while the agent speaks, or a noise.
    state.caller = { phase: 'silent' };
    return;
  }
  dropUnheardAnswer(draft);
  const before = state.utterance;
  state.utterance = {
    ...before,
    spoken: true,
    ...(hasInput(before) ? {} : startOfSpeech(state, caller.startedAt)),
    textAt: at,
    endedAt: null,
    minimumMs: state.options.settings.min_endpointing_ms,
  };
  state.silencePrompts = 0;
  considerBargeIn(draft);
  endTurnIfDue(draft);
}

function startOfSpeech(state: State, startedAt: number): Pick<Utterance, 'startedAt' | 'lateMs'> {
  return { startedAt, lateMs: startLateness(state, startedAt) };
}

function shortest({ state }: Draft): number {
  const turn = audibleTurn(state);
  const interruptible = turn !== undefined && turn.phase !== 'clearing' && !isProtected(state, turn);
  return interruptible ? state.options.settings.barge_in_min_speech_ms : SHORTEST_TURN_MS;
}

/** Ends the caller's turn where the provider found its end. */
export function onProviderEndOfTurn(draft: Draft): void {
  const { state, at } = draft;
  const { caller } = state;
  // A cascade has taken over, and its recogniser speaks for itself.
  if (state.hearsWords) return;
  if (caller.phase === 'speaking') {
    state.caller = { phase: 'trailing', since: at, startedAt: caller.since, spokenMs: spokenMs(draft) };
    onUntranscribedSpeech(draft);
  } else if (!state.utterance.spoken) {
    const turn = audibleTurn(state);
    // Our own detector found it too short to count against what the agent says.
    if (turn && turn.phase !== 'clearing') return;
    dropUnheardAnswer(draft);
    const start = startOfSpeech(state, state.lastStartedAt ?? at);
    state.utterance = { ...state.utterance, ...start, spoken: true, textAt: at };
    state.silencePrompts = 0;
  }
  endTurn(draft);
}

/** Adds what the caller said in a turn that was answered long before. */
export function onTranscribed(draft: Draft, event: Extract<CallerEvent, { type: 'transcribed' }>): void {
  const { state } = draft;
  const index = state.untranscribed.findLastIndex(({ parts }) =>
    parts.some(({ answer }) => answer === event.answer),
  );
  const turn = state.untranscribed[index];
  if (!turn) return;
  const text = event.text.trim();
  const parts = turn.parts.map((part) => (part.answer === event.answer ? { ...part, text } : part));
  state.untranscribed = state.untranscribed.with(index, { ...turn, parts });
  if (turn.historyAt === null) return;
  const whole = wholeText(parts);
  if (whole === '' || whole === wholeText(turn.parts)) return;
  rememberWords(draft, { ...turn, parts }, whole);
}

/** Hands over to the cascade: what was said and not answered is heard again, now with words. */
export function onConversationReplaced(
  draft: Draft,
  event: Extract<OutsideEvent, { type: 'conversation_replaced' }>,
): void {
  const { state } = draft;
  const before = state.hearsWords;
  state.hearsWords = event.hearsWords;
  // What follows a tool, or words that are known, is answered by the history.
  if (before || !event.hearsWords || event.hearsAgain === false) return;
  if (state.utterance.spoken) state.utterance = { ...EMPTY_UTTERANCE, digits: state.utterance.digits };
  const last = state.untranscribed.at(-1);
  if (!last || last.historyAt === null || wholeText(last.parts) !== '') return;
  const answer = state.turns.find((turn) => turn.purpose === 'answer' && turn.phase === 'preparing');
  if (!answer && !state.pendingAnswer) return;
  if (answer) abortUnheard(draft, answer, 'superseded');
  state.pendingAnswer = null;
  retractCallerTurn(draft);
}
