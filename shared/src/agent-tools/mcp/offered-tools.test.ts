import { describe, expect, it } from 'vitest';
import { agentTool, MCP_TOOLS_PER_SERVER } from '../../contracts/agent.js';
import { type ListedTool, type McpServerConfig, offeredTools } from './offered-tools.js';

const server = (changes: object = {}) =>
  agentTool.parse({
    type: 'mcp',
    name: 'shop',
    description: 'The shop.',
    server_url: 'https://mcp.example/',
    ...changes,
  }) as McpServerConfig;
const tool = (name: string, more: Partial<ListedTool> = {}): ListedTool => ({
  name,
  inputSchema: { type: 'object' },
  ...more,
});
const offer = (listed: readonly ListedTool[], changes: object = {}, taken: readonly string[] = []) =>
  offeredTools(server(changes), listed, new Set(taken));
const names = (...args: Parameters<typeof offer>) => offer(...args).tools.map(({ name }) => name);

describe("a server's tools, offered to the model", () => {
  it('have names that every vendor takes, and that no two share', () => {
    const long = 'x'.repeat(128);
    const offered = names([tool('a/b'), tool('a.b'), tool(long), tool(`${long}y`)]);
    for (const name of offered) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    expect(offered[0]).toBe('shop_a_b');
    expect(new Set(offered).size).toBe(4);
  });

  it("never hide one of the agent's own tools, and keep their names from call to call", () => {
    const [first] = names([tool('find')], {}, ['shop_find']);
    expect(first).toMatch(/^shop_find_[0-9a-f]{8}$/);
    expect(names([tool('find')], {}, ['shop_find'])).toEqual([first]);
  });

  it('are those that the agent allows, and all without a list', () => {
    const listed = [tool('find'), tool('delete_all')];
    expect(names(listed, { allowed_tools: ['find'] })).toEqual(['shop_find']);
    expect(names(listed)).toHaveLength(2);
    expect(offer(listed, { allowed_tools: ['find', 'look_up'] }).unknown).toEqual(['look_up']);
  });

  it('are no more than a model can take; the rest is reported', () => {
    const many = Array.from({ length: MCP_TOOLS_PER_SERVER + 3 }, (_, i) => tool(`t${i}`));
    expect(offer(many)).toMatchObject({ tools: { length: MCP_TOOLS_PER_SERVER }, leftOut: 3 });
    const huge = tool('huge', { inputSchema: { type: 'object', description: 'x'.repeat(20_000) } });
    expect(offer([huge, tool('small')])).toMatchObject({ tools: [{ name: 'shop_small' }], leftOut: 1 });
  });

  it('may run ahead of the turn only when the server says that they only read', () => {
    const listed = [tool('a', { annotations: { readOnlyHint: true } }), tool('b', { annotations: {} })];
    expect(offer(listed).tools.map(({ sideEffects }) => sideEffects)).toEqual([false, true]);
  });

  it('are described: by the server, or by what the agent says of it', () => {
    const [described, bare] = offer([tool('a', { description: 'x'.repeat(2000) }), tool('b')]).tools;
    expect(described?.description).toHaveLength(1024);
    expect(bare?.description).toBe('The shop.');
    expect(bare?.parameters).toEqual({ type: 'object', properties: {} });
  });
});
