import type { AgentEvent } from './events.js';
import { recover } from './failure.js';
import { audibleTurn, type Draft, findTurn, type Turn } from './state.js';
import { cancelHeldTools, releaseSpokenTools } from './tools.js';
import { rememberAgent } from './transcript.js';
import { removeTurn, updateTurn } from './turns.js';

/** How an agent's turn ends: heard to its end, or cut; what it held back, and what follows a failure in it. */

/** Ends a turn that was heard to its end, also when that is learnt while it was being paused or cleared. */
export function onPlaybackFinished(
  draft: Draft,
  event: Extract<AgentEvent, { type: 'playback_finished' }>,
): void {
  const turn = findTurn(draft.state, event.turn);
  if (!turn) return;
  if (turn.phase === 'preparing') {
    // Nothing to hear; a speculative turn still has to be committed before it counts.
    updateTurn(draft, turn.id, { complete: true, mute: true });
    return;
  }
  if (event.playedMs > 0) rememberAgent(draft, { ...turn, complete: true }, turn.text);
  removeTurn(draft, turn.id);
  releaseSpokenTools(draft, turn.id);
  forgetFailures(draft, turn);
  recover(draft, turn);
}

/** Ends a turn that was cut, by the answer to `clear`; ignored for a turn that is not being cleared. */
export function onCleared(draft: Draft, event: Extract<AgentEvent, { type: 'cleared' }>): void {
  const turn = audibleTurn(draft.state);
  if (turn?.id !== event.turn || turn.phase !== 'clearing') return;
  draft.effects.push({ type: 'truncate', turn: turn.id, heardMs: event.heardMs });
  rememberAgent(draft, turn, event.heardText);
  removeTurn(draft, turn.id);
  cancelHeldTools(draft, turn.id);
  if (event.heardText.trim() !== '') forgetFailures(draft, turn);
  recover(draft, turn);
}

/** Ends the row of failures: model and voice have given an answer that was heard, to its end or not. */
function forgetFailures({ state }: Draft, { purpose, failure }: Turn): void {
  if (purpose === 'answer' && failure === null) state.failures = 0;
}
