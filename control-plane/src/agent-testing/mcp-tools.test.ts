import { patientClock } from '@voice/shared/clock/testing/patient-clock';
import { SANDBOX_CALLER_ID } from '@voice/shared/contracts/test-numbers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type McpEmulator, startMcpEmulator } from '../../../loadtest/emulators/mcp/server.js';
import { type OpenAiEmulator, startOpenAiEmulator } from '../../../loadtest/emulators/openai/server.js';
import type { TestControlPlane } from '../testing/control-plane.js';
import { eventually } from '../testing/eventually.js';
import { startTestInstallation } from '../testing/installation.js';
import type { ScriptedCarrier } from '../testing/scripted-carrier.js';
import type { ScriptedWorker } from '../testing/scripted-worker.js';
import type { TestSessionResult } from './schemas.js';

let plane: TestControlPlane;
let carrier: ScriptedCarrier;
let worker: ScriptedWorker;
let openai: OpenAiEmulator;
let shop: McpEmulator;
let key: string;

const lookUp = (order: string) => [{ name: 'shop_look_up_order', arguments: { order } }];

beforeAll(async () => {
  openai = await startOpenAiEmulator({
    apiKeys: ['good'],
    script: [
      { whenUserSays: /A7/, say: '', toolCalls: lookUp('A7') },
      { whenUserSays: /no number/, say: '', toolCalls: [{ name: 'shop_look_up_order', arguments: {} }] },
      { whenUserSays: /B1/, say: '', toolCalls: lookUp('B1') },
      { afterTool: 'shop_look_up_order', say: 'So it is.' },
      { whenUserSays: /./, say: 'Certainly.' },
    ],
  });
  const installation = await startTestInstallation({
    // How long a server may take to list its tools is none of these tests.
    clock: patientClock(),
    env: { OPENAI_API_KEY: 'good', OPENAI_BASE_URL: openai.baseUrl, EGRESS_ALLOW: '127.0.0.0/8' },
  });
  ({ carrier, plane, worker } = installation);
  return installation.close;
});
afterAll(() => openai?.close());
beforeEach(async () => {
  shop = await startMcpEmulator();
  ({ key } = await plane.newKey());
  return () => shop.close();
});

async function newAgent(): Promise<string> {
  const made = await plane.request('POST', '/api/v1/agents', {
    key,
    body: {
      name: 'Ann',
      system_prompt: 'You sell tea.',
      voice_config: { stt: { provider: 'local' }, llm: { provider: 'openai' }, tts: { provider: 'local' } },
      tools: [
        { type: 'end_call' },
        {
          type: 'mcp',
          name: 'shop',
          server_url: shop.serverUrl,
          secret_headers: { Authorization: `Bearer ${shop.token}` },
          allowed_tools: ['look_up_order'],
        },
      ],
    },
  });
  expect(made.status, made.text).toBe(201);
  return (made.json as { id: string }).id;
}

async function say(agentId: string, message: string) {
  const answer = await plane.request('POST', `/api/v1/agents/${agentId}/test/text`, {
    key,
    body: { message },
  });
  const streamed = answer.text
    .split('\n\n')
    .filter((block) => block.startsWith('event: '))
    .map((block): [string, Record<string, unknown>] => {
      const [event = '', data = ''] = block.split('\n');
      return [event.slice('event: '.length), JSON.parse(data.slice('data: '.length))];
    });
  const of = (wanted: string) => streamed.filter(([event]) => event === wanted).map(([, data]) => data);
  return { text: answer.text, sessionId: answer.headers.get('x-session-id') ?? '', of };
}

describe("a text test of an agent with an MCP server's tools", () => {
  // @rule 2.7
  it('offers them to the model, really calls them, and shows it', async () => {
    const { of, sessionId, text } = await say(await newAgent(), 'Where is A7?');
    expect(openai.requests.at(-1)?.tools?.map((tool) => tool.function.name)).toEqual([
      'end_call',
      'shop_look_up_order',
    ]);
    expect(shop.calls).toEqual([{ name: 'look_up_order', arguments: { order: 'A7' } }]);
    expect(of('tool_result')).toMatchObject([
      { name: 'shop_look_up_order', status: 'succeeded', result: 'Order A7 was shipped yesterday.' },
    ]);
    expect(of('message').at(-1)).toMatchObject({ text: 'So it is.' });
    expect(text).not.toContain(shop.token);
    await expect.poll(() => shop.openSessions).toBe(0);

    const path = `/api/v1/test-sessions/${sessionId}/result`;
    const result = await eventually(
      () => plane.request('GET', path, { key }),
      ({ status }) => status === 200,
    );
    expect((result.json as TestSessionResult).tool_executions).toMatchObject([
      { name: 'shop_look_up_order', arguments: { order: 'A7' }, status: 'succeeded' },
    ]);
    expect(result.text).not.toContain(shop.token);
  });

  it('lets the model go on with why one failed', async () => {
    const { of } = await say(await newAgent(), 'Where is B1?');
    expect(of('tool_result')).toMatchObject([{ status: 'failed', result: 'There is no order B1.' }]);
    expect(of('message').at(-1)).toMatchObject({ text: 'So it is.' });
  });

  it('does not run one whose arguments do not fit its schema, and says so to the model', async () => {
    const { of } = await say(await newAgent(), 'Where is it? I have no number.');
    expect(of('tool_result')).toMatchObject([
      {
        status: 'failed',
        result: expect.stringMatching(/^The arguments do not fit: order .+ Call it again/),
      },
    ]);
    expect(shop.calls).toEqual([]);
    expect(of('message').at(-1)).toMatchObject({ text: 'So it is.' });
  });

  // @rule 2.7
  it('goes on without them when the server is down, and says so', async () => {
    const agentId = await newAgent();
    shop.faults.failNext = 1;
    const { of, text } = await say(agentId, 'Where is A7?');
    expect(of('notice')).toEqual([
      {
        code: 'mcp_server_unavailable',
        message:
          'The tools of shop are not available. The server answered with status 500. The agent does without look_up_order.',
      },
    ]);
    expect(of('tool_result')).toEqual([]);
    expect(of('done')).toHaveLength(1);
    expect(text).not.toContain(shop.token);
  });
});

// @rule 2.7
it("a call's plan takes the server and its secret headers to the worker, sealed on the way", async () => {
  await worker.heartbeat(plane);
  const made = await plane.request('POST', '/api/v1/calls', {
    key,
    body: { agent_id: await newAgent(), from_number: SANDBOX_CALLER_ID, to_number: '+15005550006' },
  });
  expect(made.status, made.text).toBe(202);
  const { id } = made.json as { id: string };
  await eventually(() => carrier.callOf(id));
  const plan = worker.plans.find(({ call_id }) => call_id === id);
  expect(plan?.agent.tools[1]).toMatchObject({
    type: 'mcp',
    allowed_tools: ['look_up_order'],
    secret_headers: { Authorization: `Bearer ${shop.token}` },
  });
  const row = await plane.platform.store.collection<{ _id: string }>('calls').findOne({ _id: id });
  const shown = await plane.request('GET', `/api/v1/calls/${id}`, { key });
  expect(JSON.stringify(row) + shown.text + made.text).not.toContain(shop.token);
});
