import { describedTools } from '@voice/shared/agent-tools/described-tools';
import { type AgentMcpTools, createMcpTools } from '@voice/shared/agent-tools/mcp/agent-mcp-tools';
import { MAX_ANSWER_BYTES } from '@voice/shared/agent-tools/mcp/bounded-fetch';
import { systemClock } from '@voice/shared/clock/clock';
import { patientClock } from '@voice/shared/clock/testing/patient-clock';
import { agentTool } from '@voice/shared/contracts/agent';
import type { CallEventBody } from '@voice/shared/contracts/call-events';
import { createAddressPolicy } from '@voice/shared/egress/address-policy';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type McpEmulator, startMcpEmulator } from '../../../loadtest/emulators/mcp/server.js';
import { testCallPlan } from '../testing/call-plan.js';
import { classifyToolCall } from './classify-tool-call.js';
import { ToolRunner } from './tool-runner.js';

describe("the tools of a call's MCP server", () => {
  let server: McpEmulator;
  let mcp: AgentMcpTools;
  let tools: ToolRunner;
  let emitted: CallEventBody[];

  beforeEach(async () => {
    server = await startMcpEmulator();
    emitted = [];
  });
  afterEach(async () => {
    tools.close();
    mcp.close();
    await server.close();
  });

  const planOf = (changes: object) => {
    const shop = agentTool.parse({
      type: 'mcp',
      name: 'shop',
      server_url: server.serverUrl,
      secret_headers: { authorization: `Bearer ${server.token}` },
      ...changes,
    });
    return testCallPlan({}, { tools: [agentTool.parse({ type: 'end_call' }), shop] });
  };

  async function begin(changes: object = {}, allow = ['127.0.0.0/8']) {
    const plan = planOf(changes);
    const open = createMcpTools({ policy: createAddressPolicy(allow), clock: patientClock() });
    mcp = open(plan.agent, ({ code, message }) => emitted.push({ kind: 'notice', code, message }));
    tools = new ToolRunner({
      plan,
      clock: systemClock,
      now: () => 0,
      emit: (body) => emitted.push(body),
      httpTool: () => Promise.reject(new Error('no HTTP here')),
      integrationTool: () => Promise.reject(new Error('no integrations here')),
      mcp,
      pressKeys: () => Promise.reject(new Error('no keys here')),
      handOver: () => Promise.reject(new Error('no agents here')),
      onSensitive: () => {},
      onFinished: () => {},
    });
    mcp.begin();
    await mcp.ready;
    const run = (name: string, args: object) => {
      const asked = { id: 't1', name, arguments: JSON.stringify(args) };
      tools.run(classifyToolCall(asked, plan.agent, mcp.tools));
    };
    return { plan, run };
  }
  const executions = () =>
    emitted.flatMap((body) =>
      body.kind === 'tool_execution' ? [[body.execution.status, body.execution.result]] : [],
    );

  it('are offered beside its own, and known as what they do; the server itself is no tool', async () => {
    const { plan } = await begin({ allowed_tools: ['look_up_order', 'orders.cancel'] });
    const names = describedTools(plan.agent, mcp.tools).map(({ name }) => name);
    expect(names).toEqual(['end_call', 'shop_look_up_order', 'shop_orders_cancel']);
    const kinds = [...names, 'shop'].map((name) => {
      const { kind, sideEffects } = classifyToolCall({ id: '1', name, arguments: '' }, plan.agent, mcp.tools);
      return [kind, sideEffects];
    });
    expect(kinds).toEqual([
      ['end_call', true],
      ['mcp', false],
      ['mcp', true],
      ['unknown', false],
    ]);
  });

  it('are run, with a record of what they answered', async () => {
    const { run } = await begin();
    run('shop_look_up_order', { order: 'A7' });
    await expect.poll(executions).toEqual([['succeeded', 'Order A7 was shipped yesterday.']]);
    run('shop_look_up_order', { order: 'B1' });
    await expect.poll(executions).toContainEqual(['failed', 'There is no order B1.']);
    expect(JSON.stringify(emitted)).not.toContain(server.token);
  });

  it('are cancelled at the server by the end of the call', async () => {
    const { run } = await begin();
    run('shop_ask_a_colleague', {});
    await expect.poll(() => server.calls.length).toBe(1);
    tools.close();
    expect(executions()).toEqual([['cancelled', 'The call ended first.']]);
    await expect.poll(() => server.cancelled.length).toBe(1);
  });

  it('end in time', async () => {
    const { run } = await begin({ timeout_ms: 300 });
    run('shop_ask_a_colleague', {});
    await expect.poll(executions).toEqual([['timed_out', 'The tool did not answer in time.']]);
  });

  it('end at a bounded length', async () => {
    const { run } = await begin();
    run('shop_catalogue', { bytes: MAX_ANSWER_BYTES });
    await expect.poll(executions).toEqual([['failed', `The answer is over ${MAX_ANSWER_BYTES} bytes.`]]);
  });

  it('are not there when its address is refused, which the timeline records', async () => {
    const { plan } = await begin({}, []);
    expect(describedTools(plan.agent, mcp.tools).map(({ name }) => name)).toEqual(['end_call']);
    expect(emitted).toMatchObject([{ kind: 'notice', code: 'mcp_server_unavailable' }]);
    expect(server.refused).toEqual([]);
  });
});
