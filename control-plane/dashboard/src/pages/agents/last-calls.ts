import type { Call } from '../../api/types.js';

/** Bars beside an agent. */
export const SHOWN = 12;

/** The last calls of each agent, the latest last. Takes calls with the newest first, as the API lists them. */
export function lastCalls(calls: readonly Call[]): ReadonlyMap<string, readonly Call[]> {
  const byAgent = new Map<string, Call[]>();
  for (const call of calls) {
    const known = byAgent.get(call.agent_id) ?? [];
    if (known.length < SHOWN) byAgent.set(call.agent_id, [call, ...known]);
  }
  return byAgent;
}

/** Returns whether an agent may have had other calls than those among the latest of all, of which there were so many. */
export const mayLack = (known: readonly Call[], latest: number, most: number): boolean =>
  latest >= most && known.length < SHOWN;
