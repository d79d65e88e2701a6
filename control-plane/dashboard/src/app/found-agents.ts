import { defaultFilter } from 'cmdk';

/** Agents that the palette lists; who looks for another types more of its name. */
const MOST_FOUND = 20;

/** Finds the agents that fit the typed letters, the best first, and counts those that are left out. */
export function foundAgents<Agent extends { readonly name: string }>(
  agents: readonly Agent[],
  letters: string,
): { readonly agents: readonly Agent[]; readonly others: number } {
  const typed = letters.trim();
  const fitting =
    typed === ''
      ? agents
      : agents
          .map((agent) => ({ agent, score: defaultFilter?.(agent.name, typed) ?? 0 }))
          .filter(({ score }) => score > 0)
          .sort((a, b) => b.score - a.score)
          .map(({ agent }) => agent);
  return { agents: fitting.slice(0, MOST_FOUND), others: Math.max(0, fitting.length - MOST_FOUND) };
}
