import type { GateAgent } from '../../compliance/decide.js';
import type { AgentForCall } from './agent-directory.js';
import { renderVariables, type Variables } from './variables.js';

/** Returns the agent as the gate judges it: by what it will really say in this call. */
export function gateAgent(agent: AgentForCall, variables: Variables): GateAgent {
  const { id, language, recording } = agent.snapshot;
  return {
    id,
    disclosure: agent.disclosure && renderVariables(agent.disclosure, variables),
    language,
    callingHours: agent.callingHours,
    recording: { enabled: recording.enabled, announce: recording.announce },
  };
}
