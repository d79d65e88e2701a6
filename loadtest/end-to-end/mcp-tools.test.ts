import { demoAgent } from '@voice/shared/contracts/demo-agent';
import { afterAll, beforeAll, expect, it, onTestFailed } from 'vitest';
import { type McpEmulator, startMcpEmulator } from '../emulators/mcp/server.js';
import { type OpenAiEmulator, startOpenAiEmulator } from '../emulators/openai/server.js';
import { LaunchedSystem } from '../system/launched-system.js';
import { type CallDetail, isOver, Tenant } from '../system/tenant.js';

let shop: McpEmulator;
let model: OpenAiEmulator;
let system: LaunchedSystem;

beforeAll(async () => {
  shop = await startMcpEmulator();
  model = await startOpenAiEmulator({
    apiKeys: ['sk-openai'],
    script: [
      { afterTool: 'shop_look_up_order', say: 'Your order was shipped yesterday. Goodbye!' },
      { afterTool: '*', say: '' },
      {
        whenUserSays: /bye/i,
        say: 'Goodbye!',
        toolCalls: [{ name: 'end_call', arguments: {} }],
      },
      {
        whenUserSays: /./,
        say: '',
        toolCalls: [{ name: 'shop_look_up_order', arguments: { order: 'A7' } }],
      },
    ],
  });
  system = await LaunchedSystem.start({
    OPENAI_API_KEY: 'sk-openai',
    OPENAI_BASE_URL: model.baseUrl,
    EGRESS_ALLOW: '127.0.0.1/32',
  });
});
afterAll(async () => {
  await system?.stop();
  await model?.close();
  await shop?.close();
});

/**
 * A call to somebody who talks, once it is over. A server that lists its tools later than 2 s after the call was placed
 * is left out of it, as on a machine that is busy with something else: the next call is as good.
 */
async function callWithTools(tenant: Tenant): Promise<CallDetail> {
  for (let more = 3; ; more--) {
    const call = await tenant.until(await tenant.dial('talks'), isOver, 90_000);
    const { json } = await tenant.request('GET', `/api/v1/calls/${call.id}/detail`);
    if (more === 0 || !JSON.stringify(json.events).includes('The server did not answer in time.'))
      return call;
  }
}

it("a call uses the tools of its agent's MCP server, and ends the session with it", async () => {
  onTestFailed(() => console.error(system.tail(60)));
  const tenant = await Tenant.create(system, {
    ...demoAgent,
    voice_config: { ...demoAgent.voice_config, llm: { provider: 'openai', model: 'gpt-4o-mini' } },
    tools: [
      { type: 'end_call' },
      {
        type: 'mcp',
        name: 'shop',
        server_url: shop.serverUrl,
        secret_headers: { Authorization: `Bearer ${shop.token}` },
      },
    ],
  });
  const call = await callWithTools(tenant);
  expect(call.status).toBe('COMPLETED');
  expect(call.tool_executions).toContainEqual(
    expect.objectContaining({ name: 'shop_look_up_order', status: 'succeeded' }),
  );
  expect(call.transcript.map(({ text }) => text).join(' ')).toContain('shipped yesterday');
  expect(shop.calls[0]).toEqual({ name: 'look_up_order', arguments: { order: 'A7' } });
  await expect.poll(() => shop.openSessions).toBe(0);
  expect(system.tail(10_000)).not.toContain(shop.token);
});
