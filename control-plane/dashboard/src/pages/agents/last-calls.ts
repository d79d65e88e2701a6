import type { Call } from '../../api/types.js';

/** Bars beside an agent. */
const SHOWN = 12;

/** The last calls of each agent, the latest last. Takes calls with the newest first, as the API lists them. */
export function lastCalls(calls: readonly Call[]): ReadonlyMap<string, readonly Call[]> {
  const byAgent = new Map<string, Call[]>();
  for (const call of calls) {
    const known = byAgent.get(call.agent_id) ?? [];
    if (known.length < SHOWN) byAgent.set(call.agent_id, [call, ...known]);
  }
  return byAgent;
}
