import { audibleTurn, type State } from './state.js';

export type AgentPhase = 'idle' | 'preparing' | 'speaking' | 'paused' | 'acting' | 'closing';

/** Returns the agent's machine, for readers and tests. */
export function agentPhase(state: State): AgentPhase {
  if (state.closing || state.over) return 'closing';
  const audible = audibleTurn(state);
  if (audible) return audible.phase === 'paused' ? 'paused' : 'speaking';
  if (state.tools.some((tool) => tool.status === 'running')) return 'acting';
  return state.turns.length > 0 || state.pendingAnswer ? 'preparing' : 'idle';
}
