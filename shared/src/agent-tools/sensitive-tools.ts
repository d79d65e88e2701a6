import type { AgentTool } from '../contracts/agent.js';
import { isNamedAfter } from './mcp/offered-tools.js';

/** In the record, in the place of what a sensitive tool was given and what it answered. */
export const WITHHELD = '[withheld: the tool is sensitive]';

/**
 * Returns whether the tool that a model called by this name is marked `sensitive`; an MCP server's tools as it is.
 * Pure.
 */
export function isSensitiveTool(tools: readonly AgentTool[], calledName: string): boolean {
  return tools.some(
    (tool) =>
      'sensitive' in tool &&
      tool.sensitive === true &&
      (tool.type === 'mcp' ? isNamedAfter(tool.name, calledName) : calledName === tool.name),
  );
}
