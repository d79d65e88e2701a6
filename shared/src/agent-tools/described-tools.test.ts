import { describe, expect, it } from 'vitest';
import { type AgentSnapshot, agentTool } from '../contracts/agent.js';
import { describedTools, parseArguments } from './described-tools.js';

const agent = (tools: readonly object[], destinations: readonly string[] = []) =>
  ({
    tools: tools.map((tool) => agentTool.parse(tool)),
    transfer_destinations: destinations.map((name) => ({ name, phone_number: '+15005550001' })),
  }) as unknown as AgentSnapshot;

describe("an agent's tools, as the model gets them", () => {
  it('have a description and parameters of their own where the agent says nothing', () => {
    const tools = describedTools(agent([{ type: 'end_call' }, { type: 'send_dtmf' }]), []);
    for (const { description } of tools) expect(description).not.toBe('');
    expect(tools.map(({ parameters }) => Object.keys(parameters.properties as object))).toEqual([
      ['reason'],
      ['digits'],
    ]);
  });

  it('transfer to the destinations that there are', () => {
    const [transfer] = describedTools(agent([{ type: 'transfer_call' }], ['sales']), []);
    expect(transfer?.parameters).toMatchObject({ properties: { destination: { enum: ['sales'] } } });
  });

  it('hand over to the agents that the tool names, by when each is for', () => {
    const agents = [
      { agent_id: '01a1f89d-9411-7163-83cc-0d0b3604120f', name: 'billing', description: 'Invoices.' },
      { agent_id: '01a1f89d-9411-7163-83cc-0d0b36041210', name: 'orders' },
    ];
    const [handoff] = describedTools(agent([{ type: 'transfer_to_agent', agents }]), []);
    expect(handoff).toMatchObject({
      name: 'transfer_to_agent',
      description: expect.stringMatching(/\n- billing: Invoices\.\n- orders$/),
      parameters: {
        properties: { agent: { enum: ['billing', 'orders'] } },
        required: ['agent', 'summary', 'reason'],
      },
    });
    const twice = { type: 'transfer_to_agent', agents: [agents[0], agents[0]] };
    expect(agentTool.safeParse(twice).error?.issues[0]?.message).toBe('names must differ');
  });

  it('brief the human of a warm transfer, and of no cold one', () => {
    const parametersOf = (type: string) =>
      describedTools(agent([{ type: 'transfer_call', transfer_type: type }], ['sales']), [])[0]?.parameters;
    expect(parametersOf('warm')).toMatchObject({
      properties: { briefing: { type: 'string', maxLength: 500 } },
      required: ['destination', 'briefing'],
    });
    expect(parametersOf('cold')).toEqual({
      type: 'object',
      properties: { destination: { type: 'string', enum: ['sales'] } },
      required: ['destination'],
    });
  });

  it('take an object, also where a schema says less', () => {
    const http = {
      type: 'http',
      name: 'look_up',
      url: 'https://shop.example/',
      parameters: { required: ['a'] },
    };
    expect(describedTools(agent([http]), [])[0]?.parameters).toEqual({
      type: 'object',
      properties: {},
      required: ['a'],
    });
  });

  it("are the servers' tools instead of a server", () => {
    const server = { type: 'mcp', name: 'shop', server_url: 'https://mcp.example/' };
    const tool = { name: 'shop_find', description: 'Finds.', parameters: { type: 'object' } };
    const mcp = { ...tool, remoteName: 'find', sideEffects: false, timeoutMs: 1000 };
    expect(describedTools(agent([server]), [mcp])).toEqual([tool]);
  });
});

it.each([
  ['{"a":1}', { a: 1 }],
  ['', {}],
  ['[1]', undefined],
  ['null', undefined],
  ['a: 1', undefined],
  [`${'{"a":'.repeat(33)}1${'}'.repeat(33)}`, undefined],
  [JSON.stringify({ a: 'x'.repeat(64 * 1024) }), undefined],
])('what a model wrote as arguments, %j, is %j', (text, value) => {
  expect(parseArguments(text)).toEqual(value);
});
