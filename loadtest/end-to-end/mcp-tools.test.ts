import { rootSpanId, traceIdOf } from '@voice/shared/ids/call-trace';
import { startTraceCollector, type TraceCollector } from '@voice/shared/tracing/testing/trace-collector';
import { afterAll, beforeAll, expect, it, onTestFailed } from 'vitest';
import { WebhookSink } from '../chaos/webhook-sink.js';
import { type McpEmulator, startMcpEmulator } from '../emulators/mcp/server.js';
import { type OpenAiEmulator, startOpenAiEmulator } from '../emulators/openai/server.js';
import { LaunchedSystem } from '../system/launched-system.js';
import { type CallDetail, isOver, Tenant } from '../system/tenant.js';
import { quickAgent } from './harness/quick-agent.js';

let shop: McpEmulator;
let model: OpenAiEmulator;
let system: LaunchedSystem;
let collector: TraceCollector;
let sink: WebhookSink;

beforeAll(async () => {
  shop = await startMcpEmulator();
  collector = await startTraceCollector();
  sink = await WebhookSink.start();
  model = await startOpenAiEmulator({
    apiKeys: ['sk-openai'],
    script: [
      { afterTool: 'shop_look_up_order', say: 'Your order was shipped yesterday. Goodbye!' },
      {
        afterTool: 'transfer_to_agent',
        say: 'This is billing. I have your invoice here, and I see at once what is wrong with it.',
      },
      { afterTool: '*', say: '' },
      {
        whenUserSays: /bye/i,
        say: 'Goodbye!',
        toolCalls: [{ name: 'end_call', arguments: {} }],
      },
      {
        whenUserSays: /./,
        say: '',
        toolCalls: [
          { name: 'shop_look_up_order', arguments: { order: 'A7' } },
          {
            name: 'transfer_to_agent',
            arguments: { agent: 'billing', summary: 'Wants a check-up.', reason: 'an invoice' },
          },
        ],
      },
    ],
  });
  system = await LaunchedSystem.start({
    OPENAI_API_KEY: 'sk-openai',
    OPENAI_BASE_URL: model.baseUrl,
    EGRESS_ALLOW: '127.0.0.1/32',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_BSP_SCHEDULE_DELAY: '200',
  });
});
afterAll(async () => {
  await system?.stop();
  await model?.close();
  await shop?.close();
  sink?.close();
  await collector?.close();
});

/**
 * A call to somebody who talks, once it is over. A server that lists its tools later than 2 s after the call was placed
 * is left out of it, as on a machine that is busy with something else: the next call is as good.
 */
async function callWithTools(tenant: Tenant): Promise<CallDetail> {
  for (let more = 3; ; more--) {
    const call = await tenant.untilStatus(await tenant.dial('talks'), isOver, 90_000);
    if (more === 0 || !JSON.stringify(call.events).includes('The server did not answer in time.'))
      return call;
  }
}

it("a call uses the tools of its agent's MCP server, and ends the session with it", async () => {
  onTestFailed(() => console.error(system.tail(60)));
  const tenant = await Tenant.create(system, {
    ...quickAgent,
    voice_config: { ...quickAgent.voice_config, llm: { provider: 'openai', model: 'gpt-4o-mini' } },
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
  await tenant.request('POST', '/api/v1/webhooks', { url: sink.url, event_types: ['call.started'] });
  const call = await callWithTools(tenant);
  expect(call.status).toBe('COMPLETED');
  expect(call.tool_executions).toContainEqual(
    expect.objectContaining({ name: 'shop_look_up_order', status: 'succeeded' }),
  );
  expect(call.transcript.map(({ text }) => text).join(' ')).toContain('shipped yesterday');
  expect(shop.calls[0]).toEqual({ name: 'look_up_order', arguments: { order: 'A7' } });
  await expect.poll(() => shop.openSessions).toBe(0);
  expect(system.tail(10_000)).not.toContain(shop.token);
  await expectOneTrace(call.id);
});

/** Both planes' spans of a call are one tree, with no word of what was said. */
async function expectOneTrace(callId: string): Promise<void> {
  const spans = () => collector.spans().filter(({ traceId }) => traceId === traceIdOf(callId));
  const find = (name: string) => spans().find((span) => span.name === name);
  await expect.poll(() => find('post_call analysis'), { timeout: 20_000 }).toBeDefined();
  await expect.poll(() => find('webhook call.started'), { timeout: 20_000 }).toBeDefined();
  const root = rootSpanId(callId);
  expect(find('call')).toMatchObject({ spanId: root });
  const conversation = find('conversation');
  for (const name of ['placement', 'dial', 'conversation', 'post_call analysis', 'webhook call.started']) {
    expect(find(name), name).toMatchObject({ parentSpanId: root });
  }
  for (const name of ['turn', 'execute_tool shop_look_up_order']) {
    expect(find(name), name).toMatchObject({ parentSpanId: conversation?.spanId });
  }
  const turns = spans().flatMap(({ name, spanId }) => (name === 'turn' ? [spanId] : []));
  for (const name of ['chat gpt-4o-mini', 'end_of_turn', 'llm', 'tts']) {
    const parents = spans().flatMap((span) => (span.name === name ? [span.parentSpanId ?? ''] : []));
    expect(
      turns.some((turn) => parents.includes(turn)),
      name,
    ).toBe(true);
  }
  expect(JSON.stringify(spans())).not.toContain('shipped yesterday');
}

it('an agent hands the live call to another, which goes on in its own voice; one call, one record', async () => {
  onTestFailed(() => console.error(system.tail(60)));
  const voice = (espeak_voice: string) => ({
    ...quickAgent.voice_config,
    llm: { provider: 'openai', model: 'gpt-4o-mini' },
    tts: { provider: 'local', model: '', params: { espeak_voice } },
  });
  const tenant = await Tenant.create(system, {
    ...quickAgent,
    name: 'Billing',
    voice_config: voice('en-us+m3'),
  });
  const desk = await tenant.request('POST', '/api/v1/agents', {
    ...quickAgent,
    voice_config: voice('en-us+f3'),
    tools: [
      { type: 'end_call' },
      { type: 'transfer_to_agent', agents: [{ agent_id: tenant.agentId, name: 'billing' }] },
    ],
  });
  const deskId = String(desk.json.id);
  const id = await tenant.dial('hangs_up', { agent_id: deskId });
  const call = await tenant.untilStatus(id, isOver, 90_000);
  expect(call).toMatchObject({ status: 'COMPLETED', end_reason: 'caller_hangup' });
  const { json } = await tenant.request('GET', `/api/v1/calls/${id}/detail`);
  expect(json).toMatchObject({
    agent_id: deskId,
    agents: [
      { agent_id: deskId, from_ms: 0 },
      { agent_id: tenant.agentId, from_ms: expect.any(Number) },
    ],
  });
  const said = call.transcript.filter(({ role }) => role === 'agent');
  const billing = said.find(({ text }) => text.startsWith('This is billing'));
  expect([said[0]?.agent_id, billing?.agent_id]).toEqual([deskId, tenant.agentId]);
  expect(call.events.filter(({ type }) => type === 'agent.handoff')).toHaveLength(1);
  const voices = call.usage?.segments?.filter(({ kind }) => kind === 'tts').map(({ agent_id }) => agent_id);
  expect(voices).toEqual(expect.arrayContaining([undefined, tenant.agentId]));
});
