import { reopen } from './closing.js';
import { audibleTurn, type Draft } from './state.js';
import { retractCallerTurn } from './transcript.js';
import { abortUnheard } from './turns.js';

/**
 * Drops the answer that was not heard yet, because the caller goes on (rule 5), and reopens the caller's turn. Fillers,
 * prompts and apologies are dropped, too, but not the agent's opening.
 */
export function dropUnheardAnswer(draft: Draft): void {
  const { state } = draft;
  if (audibleTurn(state) || (state.closing && !state.closing.revocable)) return;
  let answering = false;
  for (const turn of state.turns) {
    if (turn.speculative) continue;
    switch (turn.purpose) {
      case 'answer':
        answering = true;
        abortUnheard(draft, turn, 'caller_continued');
        break;
      case 'filler':
      case 'silence_prompt':
      case 'goodbye':
      case 'apology':
        abortUnheard(draft, turn, 'superseded');
        break;
      case 'disclosure':
      case 'first_message':
      case 'voicemail':
        break;
    }
  }
  reopen(draft);
  if (answering && state.tools.every((run) => run.deferred)) {
    state.utterance = retractCallerTurn(draft) ?? state.utterance;
  }
}
