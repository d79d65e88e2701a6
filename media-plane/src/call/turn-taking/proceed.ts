import { isGreeting } from './backchannel.js';
import { confirmEndCall, hangUpIfDone } from './closing.js';
import { resumeIfQuiet } from './false-interruption.js';
import { afterTurn } from './guess-credit.js';
import { handOverIfQuiet } from './handoff.js';
import { commitSpeculation } from './preemption.js';
import { noteSilence } from './silence.js';
import { audibleTurn, callerHoldsFloor, type Draft, isProtected, pressesKeys } from './state.js';
import { deferRunningTools, releaseSpokenTools, settleTools } from './tools.js';
import { rememberCaller, spokenEnd } from './transcript.js';
import { abortUnheard, dropSpeculation, generate, play, removeTurn } from './turns.js';
import { EMPTY_UTTERANCE, hasInput, hasText, utteranceText } from './utterance.js';
import { speaksWithoutWords } from './wordless-speech.js';

/** Does what follows from the state, whatever event led to it: one place decides what the agent does next. */
export function proceed(draft: Draft): void {
  resumeIfQuiet(draft);
  settleTools(draft);
  finishCallerTurn(draft);
  handOverIfQuiet(draft);
  // The recogniser retracted the words that the speculation was made on.
  if (!hasText(draft.state.utterance)) dropSpeculation(draft, 'text_changed');
  playNext(draft);
  settleTools(draft);
  if (hangUpIfDone(draft)) return;
  // What stood in its way may have had nothing to say.
  handOverIfQuiet(draft);
  answer(draft);
  noteSilence(draft);
}

/** Remembers and answers the caller's turn when it is over and nothing is audible any more. */
function finishCallerTurn(draft: Draft): void {
  const { state } = draft;
  const { utterance } = state;
  if (utterance.endedAt === null || audibleTurn(state)) return;
  const text = utteranceText(utterance);
  const { spokenUntilMs } = spokenEnd(draft, utterance);
  const endOfTurn = { speechEndedAt: spokenUntilMs, decidedAt: utterance.endedAt };
  if (!state.closing && !state.machine) deferRunningTools(draft);
  rememberCaller(draft, utterance);
  // A turn that was reopened has paid already.
  if (utterance.index === null) {
    state.guessing = { ...state.guessing, credit: afterTurn(state.guessing.credit) };
  }
  state.utterance = EMPTY_UTTERANCE;
  state.fillerUsed = false;
  state.toolRounds = 0;
  if (state.closing || state.machine) return;
  if (utterance.digits === '' && commitSpeculation(draft, text, endOfTurn.speechEndedAt)) return;
  const opening = state.turns.some((turn) => turn.purpose === 'first_message');
  if (opening && utterance.digits === '' && isGreeting(state, text)) return;
  state.pendingAnswer = { basis: text, attempt: 1, owedSince: null, endOfTurn };
}

/** Plays the first turn in order that is ready, when nothing else is audible (rule 6: one voice). */
function playNext(draft: Draft): void {
  const { state } = draft;
  // The message for a machine is prepared, and its greeting not over.
  if (state.machine?.kind === 'greeting') return;
  while (!audibleTurn(state) && !pressesKeys(state)) {
    const [head, next] = state.turns.filter((turn) => !turn.speculative);
    if (!head) return;
    if (head.purpose === 'filler' && !head.audioReady && next?.audioReady) {
      // What the filler was to bridge is there.
      abortUnheard(draft, head, 'superseded');
      continue;
    }
    if (head.mute) {
      removeTurn(draft, head.id);
      releaseSpokenTools(draft, head.id);
      continue;
    }
    if (!head.audioReady || (callerHoldsFloor(draft) && !isProtected(state, head))) return;
    play(draft, head);
    if (head.purpose === 'answer') confirmEndCall(draft);
    return;
  }
}

function answer(draft: Draft): void {
  const { state } = draft;
  const { pendingAnswer } = state;
  // The next agent answers.
  if (state.nextAgent) return;
  if (!pendingAnswer || state.closing || state.machine || state.tools.some((run) => !run.deferred)) return;
  if (state.turns.some((turn) => turn.purpose !== 'filler')) return;
  // A caller who is still talking is answered as a whole.
  if (hasInput(state.utterance) || speaksWithoutWords(state)) return;
  state.pendingAnswer = null;
  generate(draft, pendingAnswer);
}
