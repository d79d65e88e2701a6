import { describe, expect, it } from 'vitest';
import { type AgentTool, agentTool } from '../contracts/agent.js';
import { type McpServerConfig, offeredTools } from './mcp/offered-tools.js';
import { isSensitiveTool } from './sensitive-tools.js';

const tools: AgentTool[] = [
  { type: 'http', name: 'pay', url: 'https://example.com', sensitive: true },
  { type: 'http', name: 'look', url: 'https://example.com' },
  { type: 'mcp', name: 'bank', server_url: 'https://example.com', sensitive: true },
  { type: 'mcp', name: 'shop', server_url: 'https://example.com' },
  { type: 'end_call' },
].map((tool) => agentTool.parse(tool));

describe('a sensitive tool', () => {
  it.each([
    ['pay', true],
    ['payment', false],
    ['look', false],
    ['bank_transfer', true],
    ['banker', false],
    ['shop_order', false],
    ['end_call', false],
    ['nobody', false],
  ])('is known by the name that the model calls: %s, %s', (name, sensitive) => {
    expect(isSensitiveTool(tools, name)).toBe(sensitive);
  });

  it.each([55, 56, 60, 64])('is one of an MCP server whose name has %i characters', (length) => {
    const server = (name: string, sensitive: boolean) =>
      agentTool.parse({ type: 'mcp', name, server_url: 'https://example.com', sensitive }) as McpServerConfig;
    const [bank, shop] = [server('b'.repeat(length), true), server('s'.repeat(length), false)];
    const listed = ['pay', 'charge_the_card'].map((name) => ({ name, inputSchema: { type: 'object' } }));
    const sensitive = (of: McpServerConfig) =>
      offeredTools(of, listed, new Set()).tools.map(({ name }) => isSensitiveTool([bank, shop], name));
    expect(sensitive(bank)).toEqual([true, true]);
    expect(sensitive(shop)).toEqual([false, false]);
    expect(isSensitiveTool([bank, shop], bank.name.slice(0, 55))).toBe(false);
  });
});
