import type { AgentSnapshot, AgentTool } from '@voice/shared/contracts/agent';
import type { IntegrationTool } from '../agents/schemas.js';
import { findAction, findAdapter, parametersOf } from './catalog.js';

/** Returns what is wrong with the tool; undefined when there is such an action. */
export function unknownAction({ integration, action }: IntegrationTool): string | undefined {
  const adapter = findAdapter(integration);
  if (!adapter) return `there is no integration ${integration}`;
  if (findAction(adapter, action)) return undefined;
  const names = adapter.actions.map(({ name }) => name).join(', ');
  return `${integration} has no action ${action}; it has ${names}`;
}

/**
 * Describes the tools of integrations and their parameters to the worker, and by it to the model.
 * @param now epoch ms: a model knows no date by itself, and a caller who says "tomorrow" means one
 */
export function withIntegrationTools(agent: AgentSnapshot, now: number): AgentSnapshot {
  return { ...agent, tools: agent.tools.map((tool) => described(tool, now)) };
}

function described(tool: AgentTool, now: number): AgentTool {
  if (tool.type !== 'integration') return tool;
  const adapter = findAdapter(tool.integration);
  const action = adapter && findAction(adapter, tool.action);
  if (!action) return tool;
  const parameters = parametersOf(action);
  const description = tool.description || action.description;
  return {
    ...tool,
    description: takesTimes(parameters) ? `${description} Now it is ${clockText(now)}.` : description,
    parameters,
    side_effects: !READING.has(action.name),
  };
}

function takesTimes({ properties }: Readonly<Record<string, unknown>>): boolean {
  return Object.values(properties ?? {}).some(({ format }) => format === 'date' || format === 'date-time');
}

/** `Friday, 2026-11-20T14:16Z`. */
function clockText(now: number): string {
  const weekday = new Intl.DateTimeFormat('en-US', { weekday: 'long', timeZone: 'UTC' }).format(now);
  return `${weekday}, ${new Date(now).toISOString().slice(0, 'YYYY-MM-DDThh:mm'.length)}Z`;
}

/** What only reads may run ahead of the turn. */
const READING = new Set(['find_slots', 'list_slots']);
