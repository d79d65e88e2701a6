import { reopen } from './closing.js';
import { audibleTurn, type Draft } from './state.js';
import { takeBackCaller } from './transcript.js';
import { abortUnheard } from './turns.js';

/**
 * Rule 5: the caller goes on before the agent is heard. Its answer is dropped and the caller's turn taken
 * back; what it was about to say of itself is dropped, too, but not its opening.
 */
export function stopUnheard(draft: Draft): void {
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
  if (answering && state.tools.length === 0) state.utterance = takeBackCaller(draft) ?? state.utterance;
}
