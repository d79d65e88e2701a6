import { rootSpanId, traceIdOf } from '@voice/shared/ids/call-trace';
import { startTraceCollector, type TraceCollector } from '@voice/shared/tracing/testing/trace-collector';
import { afterAll, beforeAll, describe, expect, it, onTestFailed } from 'vitest';
import { WebhookSink } from '../chaos/webhook-sink.js';
import { type McpEmulator, startMcpEmulator } from '../emulators/mcp/server.js';
import { type OpenAiEmulator, startOpenAiEmulator } from '../emulators/openai/server.js';
import { LaunchedSystem } from '../system/launched-system.js';
import { TestProcess } from '../system/process.js';
import { type CallDetail, isOver, Tenant } from '../system/tenant.js';
import { quickAgent } from './harness/quick-agent.js';

/** What the emulated vendors need to be satisfied. */
const KEYS = {
  deepgram: 'dg-key',
  openai: 'sk-openai',
  elevenlabs: 'xi-key',
  assemblyai: 'aai-key',
  anthropic: 'sk-ant',
  cartesia: 'ca-key',
};

let vendors: TestProcess[] = [];
let system: LaunchedSystem;
/** A server of tools, and a model that uses them. */
let shop: McpEmulator;
let model: OpenAiEmulator;
let collector: TraceCollector;
let sink: WebhookSink;

async function startVendors(): Promise<NodeJS.ProcessEnv> {
  // Everything that simulated people can say; the same bytes from every simulated carrier.
  const carrier = await new TestProcess({
    entry: 'infra/dist/simulated-carrier/main.js',
    env: {
      SIMULATED_CARRIER_PORT: '0',
      SIMULATED_CARRIER_ACCOUNT_SID: `AC${'0'.repeat(32)}`,
      SIMULATED_CARRIER_AUTH_TOKEN: '0'.repeat(32),
    },
  }).ready();
  const emulator = (name: keyof typeof KEYS, ...args: string[]) =>
    new TestProcess({
      entry: `loadtest/dist/emulators/${name}/main.js`,
      args: ['--port', '0', '--api-key', KEYS[name], ...args],
    }).ready();
  vendors = await Promise.all([
    emulator('deepgram', '--phrasebook', `${carrier.url}/phrasebook`),
    emulator('openai'),
    emulator('elevenlabs'),
    emulator('assemblyai', '--phrasebook', `${carrier.url}/phrasebook`),
    emulator('anthropic'),
    emulator('cartesia'),
  ]);
  await carrier.stop();
  const [deepgram, openai, elevenlabs, assemblyai, anthropic, cartesia] = vendors;
  return {
    DEEPGRAM_API_KEY: KEYS.deepgram,
    DEEPGRAM_URL: `ws://127.0.0.1:${deepgram!.port}`,
    OPENAI_API_KEY: KEYS.openai,
    OPENAI_BASE_URL: `http://127.0.0.1:${openai!.port}/v1`,
    ELEVENLABS_API_KEY: KEYS.elevenlabs,
    ELEVENLABS_URL: `ws://127.0.0.1:${elevenlabs!.port}`,
    ASSEMBLYAI_API_KEY: KEYS.assemblyai,
    ASSEMBLYAI_URL: `ws://127.0.0.1:${assemblyai!.port}`,
    ANTHROPIC_API_KEY: KEYS.anthropic,
    ANTHROPIC_URL: `http://127.0.0.1:${anthropic!.port}`,
    CARTESIA_API_KEY: KEYS.cartesia,
    CARTESIA_URL: `ws://127.0.0.1:${cartesia!.port}`,
    // The scripted model's server, and the unreachable one's, where nobody listens.
    EGRESS_ALLOW: '127.0.0.1/32',
  };
}

const { voice_config: local } = quickAgent;
/** At an address of the agent's own: the platform's OpenAI has no script. */
const scripted = () => ({
  provider: 'openai',
  model: 'gpt-4o-mini',
  params: { base_url: model.baseUrl, api_key: 'sk-openai' },
});
const vendorsWith = (sttModel: string) => ({
  stt: { provider: 'deepgram', model: sttModel },
  llm: { provider: 'openai', model: 'gpt-4o-mini' },
  tts: { provider: 'elevenlabs', model: 'eleven_flash_v2_5', params: { voice_id: 'EXAVITQu4vr4xnSDxMaL' } },
});
const VOICES = {
  nova: vendorsWith('nova-3'),
  flux: vendorsWith('flux-general-en'),
  others: {
    stt: { provider: 'assemblyai' },
    llm: { provider: 'anthropic' },
    tts: { provider: 'cartesia' },
  },
  unreachable: {
    ...local,
    llm: { provider: 'openai', model: 'gpt-4o-mini', params: { base_url: 'http://127.0.0.1:9/v1' } },
  },
};
type Voice = keyof typeof VOICES;

/** All calls run at the same time; each test looks at its own. */
const calls = new Map<Voice, Promise<{ call: CallDetail; tenant: Tenant }>>();

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
    ...(await startVendors()),
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_BSP_SCHEDULE_DELAY: '200',
  });
  for (const voice of Object.keys(VOICES) as Voice[]) {
    const running = Tenant.create(system, { ...quickAgent, voice_config: VOICES[voice] }).then(
      async (tenant) => ({
        tenant,
        call: await tenant.untilStatus(await tenant.dial('talks'), isOver, 220_000),
      }),
    );
    running.catch(() => {});
    calls.set(voice, running);
  }
});
afterAll(async () => {
  await system?.stop();
  for (const vendor of vendors) await vendor.stop();
  await model?.close();
  await shop?.close();
  sink?.close();
  await collector?.close();
});

describe.each([
  ['nova', 'Deepgram Nova, OpenAI and ElevenLabs'],
  ['flux', 'Deepgram Flux, OpenAI and ElevenLabs'],
  ['others', 'AssemblyAI, Anthropic and Cartesia'],
] as const)('a call through %s (%s)', (voice, _vendor) => {
  it('is the same conversation through the vendors’ real protocols', async () => {
    onTestFailed(() => console.error(system.tail(60)));
    const { call, tenant } = await calls.get(voice)!;
    expect(call).toMatchObject({ status: 'COMPLETED' });
    const caller = call.transcript.filter(({ role }) => role === 'caller').map(({ text }) => text);
    expect(caller.length).toBeGreaterThanOrEqual(3);
    expect(caller.join(' ').toLowerCase()).toContain('goodbye');
    expect(call.transcript.filter(({ role }) => role === 'agent').length).toBeGreaterThanOrEqual(4);
    expect(call.metrics.p50.response_latency_ms).toBeGreaterThan(0);
    expect((await tenant.recording(call.id)).mp3.length).toBeGreaterThan(10_000);
  });
});

describe('a vendor that cannot be reached', () => {
  it('ends the call as FAILED, provider_failed, and says of which kind', async () => {
    const { call } = await calls.get('unreachable')!;
    expect(call).toMatchObject({ status: 'FAILED', end_reason: 'provider_failed' });
    expect(call.error_code).toMatch(/^llm_/);
  });
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
    voice_config: { ...local, llm: scripted() },
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
    ...local,
    llm: scripted(),
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
