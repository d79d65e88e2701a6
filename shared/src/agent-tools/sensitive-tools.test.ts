import { describe, expect, it } from 'vitest';
import { type AgentTool, agentTool } from '../contracts/agent.js';
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
});
