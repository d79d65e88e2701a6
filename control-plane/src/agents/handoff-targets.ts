import type { AgentTool } from '@voice/shared/contracts/agent';
import { ValidationError } from '../platform/http/validation.js';

/** Throws `ValidationError` for a handoff to what is no agent of the tenant. */
export async function requireKnownTargets(
  tools: readonly AgentTool[],
  isKnown: (agentId: string) => Promise<boolean>,
): Promise<void> {
  const targets = tools.flatMap((tool, i) =>
    tool.type === 'transfer_to_agent'
      ? tool.agents.map(({ agent_id }, j) => ({
          agent_id,
          loc: ['body', 'tools', i, 'agents', j, 'agent_id'],
        }))
      : [],
  );
  const known = await Promise.all(targets.map(({ agent_id }) => isKnown(agent_id)));
  const unknown = targets.filter((_, i) => !known[i]);
  if (unknown.length === 0) return;
  throw new ValidationError(
    unknown.map(({ loc }) => ({ loc, msg: 'there is no such agent', type: 'value_error' })),
  );
}
