import { initialGuessing } from './guessing.js';
import type { NextAgent } from './next-agent.js';
import { audibleTurn, callerHoldsFloor, type Draft, pressesKeys, type TurnPurpose } from './state.js';
import { abortUnheard } from './turns.js';

/** What the agent that leaves has prepared, and the next one says in its own way or not at all. */
const GIVEN_UP: ReadonlySet<TurnPurpose> = new Set(['answer', 'filler', 'silence_prompt']);

/** Notes the agent that takes over. A call that is ending is not handed over any more. */
export function onHandoffReady({ state }: Draft, agent: NextAgent): void {
  if (state.startedAt === null || state.closing || state.machine) return;
  state.nextAgent = agent;
}

/**
 * Hands the call over in a moment in which nobody speaks: the caller's turn is recognised to its end by the agent that
 * it began with, and what the agent is saying is played to its end in the voice that it has.
 */
export function handOverIfQuiet(draft: Draft): void {
  const { state } = draft;
  const { nextAgent } = state;
  if (!nextAgent || state.closing || state.machine) return;
  if (audibleTurn(state) || callerHoldsFloor(draft) || pressesKeys(state)) return;
  // The next agent begins with what is known by then, its briefing above all.
  if (state.tools.some((run) => !run.deferred || run.call.kind === 'transfer_to_agent')) return;
  if (state.turns.some(({ purpose }) => !GIVEN_UP.has(purpose))) return;
  for (const turn of state.turns) {
    abortUnheard(draft, turn, 'superseded');
    // Tools that already ran lead to an answer by themselves.
    const acted = state.tools.some((run) => run.turn === turn.id);
    if (turn.purpose !== 'answer' || turn.speculative || acted) continue;
    const { basis, owedSince } = turn;
    state.pendingAnswer ??= { basis, attempt: 1, owedSince, endOfTurn: null };
  }
  // The next agent's detector begins with silence: what the one before holds for noise would never end.
  state.caller = { phase: 'silent' };
  const { hearsWords, ...options } = nextAgent;
  // What the next agent does not have is not that of the one before.
  const { turnDeadlineMs: _deadline, recogniser: _habits, ...ofTheCall } = state.options;
  state.options = { ...ofTheCall, ...options, hearsWords };
  state.hearsWords = hearsWords;
  state.nextAgent = null;
  // Another recogniser, another model; what the call may still spend on guesses is the call's.
  state.guessing = { ...initialGuessing(nextAgent.recogniser), credit: state.guessing.credit };
  state.silencePrompts = 0;
  state.failures = 0;
  draft.effects.push({ type: 'hand_over' });
}
