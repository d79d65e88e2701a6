import type { AgentSnapshot, AgentTool } from '@voice/shared/contracts/agent';
import { findAction, findAdapter, parametersOf } from './catalog.js';

type IntegrationTool = Extract<AgentTool, { type: 'integration' }>;

/** What is wrong with the tool; undefined when there is such an action. */
export function unknownAction({ integration, action }: IntegrationTool): string | undefined {
  const adapter = findAdapter(integration);
  if (!adapter) return `there is no integration ${integration}`;
  if (findAction(adapter, action)) return undefined;
  const names = adapter.actions.map(({ name }) => name).join(', ');
  return `${integration} has no action ${action}; it has ${names}`;
}

/** Tells the worker, and by it the model, what the tools of integrations are and take. */
export function withIntegrationTools(agent: AgentSnapshot): AgentSnapshot {
  return { ...agent, tools: agent.tools.map(described) };
}

function described(tool: AgentTool): AgentTool {
  if (tool.type !== 'integration') return tool;
  const adapter = findAdapter(tool.integration);
  const action = adapter && findAction(adapter, tool.action);
  if (!action) return tool;
  return {
    ...tool,
    description: tool.description || action.description,
    parameters: parametersOf(action),
    side_effects: !READING.has(action.name),
  };
}

/** What only reads may run ahead of the turn. */
const READING = new Set(['find_slots', 'list_slots']);
