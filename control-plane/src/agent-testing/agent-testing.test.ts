import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { newId } from '@voice/shared/ids/ids';
import { readStreamTicket } from '@voice/shared/inter-plane/stream-ticket';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type OpenAiEmulator, startOpenAiEmulator } from '../../../loadtest/emulators/openai/server.js';
import { agentMessage, ended, mediaStarted } from '../calls/testing/events.js';
import { startTestControlPlane, type TestControlPlane } from '../testing/control-plane.js';
import { eventually } from '../testing/eventually.js';
import { ScriptedWorker } from '../testing/scripted-worker.js';
import { startTestStore, type TestStore } from '../testing/store.js';
import type { TestSessionResult, WsSessionCreate } from './schemas.js';

let store: TestStore;
let plane: TestControlPlane;
let worker: ScriptedWorker;
let openai: OpenAiEmulator;
let tool: Server;
const toolCalls: string[] = [];
let key: string;

beforeAll(async () => {
  store = await startTestStore();
  openai = await startOpenAiEmulator({
    apiKeys: ['good'],
    script: [
      {
        whenUserSays: /stock/,
        say: 'Let me look.',
        toolCalls: [{ name: 'stock', arguments: { item: 'tea' } }],
      },
      { afterTool: 'stock', say: 'We have seven.' },
      { whenUserSays: /colleagues/, say: '', toolCalls: [{ name: 'flow', arguments: { data: { a: 1 } } }] },
      { afterTool: 'flow', say: 'They know.' },
      { whenUserSays: /bye/, say: 'Goodbye.', toolCalls: [{ name: 'end_call', arguments: {} }] },
      { whenUserSays: /./, say: 'Certainly.' },
    ],
  });
  tool = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    toolCalls.push(body);
    response.end('{"count":7}');
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => tool.once('listening', resolve));
  plane = await startTestControlPlane(store.uri, {
    env: {
      OPENAI_API_KEY: 'good',
      OPENAI_BASE_URL: openai.baseUrl,
      EGRESS_ALLOW: '127.0.0.0/8',
      ZAPIER_URL: `http://127.0.0.1:${(tool.address() as AddressInfo).port}`,
    },
  });
  worker = await ScriptedWorker.start({
    id: 'worker-1',
    secret: plane.platform.config.internalSecret,
    capacity: 2,
  });
});
afterAll(async () => {
  await plane?.close();
  await worker?.close();
  await openai?.close();
  tool?.close();
  await store?.close();
});
beforeEach(async () => {
  worker.mode = 'reserves';
  worker.held.clear();
  toolCalls.length = 0;
  Object.assign(openai.faults, { failNext: 0, stallNext: 0 });
  ({ key } = await plane.newKey());
  await worker.heartbeat(plane);
});

const voices = (llm: string) => ({
  stt: { provider: 'local' },
  llm: { provider: llm },
  tts: { provider: 'local' },
});
async function newAgent(changes: object = {}): Promise<string> {
  const { port } = tool.address() as AddressInfo;
  const made = await plane.request('POST', '/api/v1/agents', {
    key,
    body: {
      name: 'Ann',
      system_prompt: 'You sell tea to {{name}}.',
      first_message: 'Hello {{name}}!',
      disclosure: { text: 'I am an AI.' },
      voice_config: voices('openai'),
      tools: [
        { type: 'end_call' },
        { type: 'http', name: 'stock', description: 'Looks up stock.', url: `http://127.0.0.1:${port}/` },
      ],
      ...changes,
    },
  });
  expect(made.status, made.text).toBe(201);
  return (made.json as { id: string }).id;
}

interface StreamedEvent {
  readonly event: string;
  readonly data: Record<string, unknown>;
}
async function say(agentId: string, message: string, more: object = {}, as = key) {
  const answer = await plane.request('POST', `/api/v1/agents/${agentId}/test/text`, {
    key: as,
    body: { message, ...more },
  });
  const events: StreamedEvent[] = answer.text
    .split('\n\n')
    .filter((block) => block.startsWith('event: '))
    .map((block) => {
      const [event, data] = block.split('\n');
      return { event: event!.slice('event: '.length), data: JSON.parse(data!.slice('data: '.length)) };
    });
  return { answer, events, sessionId: answer.headers.get('x-session-id') ?? '' };
}
const messages = (events: readonly StreamedEvent[]) =>
  events.flatMap(({ event, data }) => (event === 'message' ? [data.text] : []));
const result = (id: string, as = key) =>
  plane.request('GET', `/api/v1/test-sessions/${id}/result`, { key: as });
const finalResult = async (id: string) =>
  (
    await eventually(
      () => result(id),
      ({ status }) => status !== 202,
    )
  ).json as TestSessionResult;

describe('POST /agents/{agent_id}/test/text', () => {
  // @rule 4.49
  it('answers as a server-sent event stream; X-Session-Id always carries the session id', async () => {
    const agentId = await newAgent();
    const { answer, events, sessionId } = await say(agentId, 'Tell me more.', { variables: { name: 'Eve' } });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      200,
      'text/event-stream; charset=utf-8',
    ]);
    expect(sessionId).toMatch(/^[0-9a-f-]{36}$/);
    expect(events[0]).toEqual({ event: 'session', data: { session_id: sessionId, agent_id: agentId } });
    expect(messages(events)).toEqual(['I am an AI. Hello Eve!', 'Certainly.']);
    expect(events.at(-1)).toEqual({ event: 'done', data: { session_id: sessionId, turn: 1, ended: false } });
    expect(openai.requests.at(-1)!.messages[0]).toMatchObject({ content: 'You sell tea to Eve.' });
  });

  // @rule 4.50
  it('continues a session by its id, multi-turn; otherwise a new session is created', async () => {
    const agentId = await newAgent();
    const first = await say(agentId, 'One.');
    const second = await say(agentId, 'Two.', { session_id: first.sessionId });
    expect(second.sessionId).toBe(first.sessionId);
    expect(openai.requests.at(-1)!.messages.map(({ content }) => content)).toEqual([
      'You sell tea to .',
      'I am an AI. Hello !',
      'One.',
      'Certainly.',
      'Two.',
    ]);
    expect((await say(agentId, 'One.')).sessionId).not.toBe(first.sessionId);
  });

  it('is charged for what the model used in production, once a turn, and for nothing in the sandbox', async () => {
    const tenant = `both modes ${Math.random()}`;
    const keys = [await plane.newKey({ tenant, sandbox: false }), await plane.newKey({ tenant })];
    ({ key } = keys[0]!);
    const agentId = await newAgent();
    const usageOf = async (as: string) =>
      (await plane.request('GET', '/api/v1/billing/usage', { key: as })).json as {
        totals: { calls: number; llm_output_tokens: number; cost: { llm: number; total: number } };
        daily_cap: { spent_usd: number };
      };
    const tokens = ({ events }: Awaited<ReturnType<typeof say>>) =>
      events.reduce((sum, { event, data }) => sum + (event === 'usage' ? Number(data.output_tokens) : 0), 0);
    const turn = await say(agentId, 'One.');
    const sandboxTurn = await say(agentId, 'One.', {}, keys[1]!.key);
    expect([tokens(turn), tokens(sandboxTurn)].every((count) => count > 0)).toBe(true);
    const { totals, daily_cap } = await usageOf(key);
    expect(totals).toMatchObject({ calls: 0, llm_output_tokens: tokens(turn) });
    expect(totals.cost.total).toBeGreaterThan(0);
    expect(totals.cost.llm).toBe(totals.cost.total);
    expect(daily_cap.spent_usd).toBe(totals.cost.total);
    expect((await usageOf(keys[1]!.key)).totals).toMatchObject({ cost: { total: 0 } });
    await say(agentId, 'Two.', { session_id: turn.sessionId });
    expect((await usageOf(key)).totals.cost.total).toBeGreaterThan(totals.cost.total);
  });

  it("integrations are really used in production, with the tenant's own connection", async () => {
    ({ key } = await plane.newKey({ sandbox: false }));
    const tools = [{ type: 'integration', name: 'flow', integration: 'zapier', action: 'trigger' }];
    const agentId = await newAgent({ tools });
    const results = (events: readonly StreamedEvent[]) =>
      events.filter(({ event }) => event === 'tool_result');
    const before = await say(agentId, 'Tell my colleagues.');
    expect(results(before.events)).toMatchObject([
      { data: { status: 'failed', result: 'The integration is not connected.' } },
    ]);
    const { port } = tool.address() as AddressInfo;
    const connected = await plane.request('POST', '/api/v1/integrations/zapier/api-key-connect', {
      key,
      body: { webhook_url: `http://127.0.0.1:${port}/flow` },
    });
    expect(connected.status, connected.text).toBe(200);
    const after = await say(agentId, 'Tell my colleagues.');
    expect(results(after.events)).toMatchObject([{ data: { status: 'succeeded' } }]);
    expect(toolCalls.map((text) => JSON.parse(text))).toEqual([{ a: 1, run_id: expect.any(String) }]);
  });

  it('shows tools, runs them, and lets the model go on with their results', async () => {
    const { events } = await say(await newAgent(), 'Any stock?');
    expect(toolCalls).toEqual(['{"item":"tea"}']);
    const shown = events.filter(({ event }) => event.startsWith('tool_'));
    expect(shown).toMatchObject([
      { event: 'tool_call', data: { name: 'stock', arguments: { item: 'tea' } } },
      { event: 'tool_result', data: { name: 'stock', status: 'succeeded', result: '{"count":7}' } },
    ]);
    expect(messages(events).slice(1)).toEqual(['Let me look.', 'We have seven.']);
  });

  it('is over when the agent ends the call', async () => {
    const agentId = await newAgent();
    const { events, sessionId } = await say(agentId, 'bye');
    expect(events.at(-1)).toMatchObject({ event: 'done', data: { ended: true } });
    const late = await say(agentId, 'Wait!', { session_id: sessionId });
    expect([late.answer.status, (late.answer.json as { code: string }).code]).toEqual([
      409,
      'test_session_ended',
    ]);
  });

  it('works with the keyless local model', async () => {
    const agentId = await newAgent({
      voice_config: voices('local'),
      system_prompt: 'You are Ada.\n\nFacts:\n- The clinic is at 12 Main Street.',
    });
    const { events } = await say(agentId, 'Where is the clinic?');
    expect(messages(events).at(-1)).toContain('12 Main Street');
  });

  it('reports a failing model as an error; the turn can be sent again', async () => {
    const agentId = await newAgent();
    const first = await say(agentId, 'One.');
    Object.assign(openai.faults, { failNext: 1, failStatus: 503 });
    const failed = await say(agentId, 'Two.', { session_id: first.sessionId });
    expect(failed.events.at(-1)).toMatchObject({ event: 'error', data: { code: 'language_model_failed' } });
    const again = await say(agentId, 'Two.', { session_id: first.sessionId });
    expect(again.events.at(-1)).toMatchObject({ event: 'done', data: { turn: 2 } });
  });

  it('answers one message at a time', async () => {
    const agentId = await newAgent();
    const { sessionId } = await say(agentId, 'One.');
    openai.faults.stallNext = 1;
    const gone = new AbortController();
    const slow = fetch(`${plane.url}/api/v1/agents/${agentId}/test/text`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ message: 'Two.', session_id: sessionId }),
      signal: gone.signal,
    });
    await slow;
    const other = await say(agentId, 'Three.', { session_id: sessionId });
    expect([other.answer.status, (other.answer.json as { code: string }).code]).toEqual([
      409,
      'test_session_busy',
    ]);
    // A tester who leaves frees the session.
    gone.abort();
    await eventually(
      () => say(agentId, 'Three.', { session_id: sessionId }),
      ({ answer }) => answer.status === 200,
    );
  });

  it('404 for a foreign agent or session, 409 for an inactive agent', async () => {
    const agentId = await newAgent();
    const { sessionId } = await say(agentId, 'One.');
    const stranger = await plane.newKey();
    expect((await say(agentId, 'Hi.', {}, stranger.key)).answer.status).toBe(404);
    const other = await newAgent();
    const code = ({ answer }: Awaited<ReturnType<typeof say>>) => [
      answer.status,
      (answer.json as { code: string }).code,
    ];
    expect(code(await say(other, 'Hi.', { session_id: sessionId }))).toEqual([404, 'test_session_not_found']);
    expect(code(await say(agentId, 'Hi.', { session_id: newId() }))).toEqual([404, 'test_session_not_found']);
    await plane.request('DELETE', `/api/v1/agents/${agentId}`, { key });
    expect(code(await say(agentId, 'Hi.'))).toEqual([409, 'agent_inactive']);
  });
});

describe('GET /test-sessions/{session_id}/result', () => {
  // @rule 4.55
  it('202 with Retry-After: 3 while the analysis runs, then 200', async () => {
    const { sessionId } = await say(await newAgent(), 'Any stock?');
    const pending = await result(sessionId);
    expect([pending.status, pending.headers.get('retry-after')]).toEqual([202, '3']);
    const done = await finalResult(sessionId);
    expect(done).toMatchObject({ kind: 'text', turns: 1, ended: false, call_id: null });
    expect(done.transcript.map(({ role }) => role)).toEqual(['agent', 'caller', 'agent', 'agent']);
    expect(done.tool_executions).toMatchObject([{ name: 'stock', status: 'succeeded' }]);
    expect(done.analysis).toMatchObject({ status: 'complete', outcome: 'goal_reached' });
  });

  it('analyses anew after a further turn', async () => {
    const agentId = await newAgent();
    const { sessionId } = await say(agentId, 'One.');
    await finalResult(sessionId);
    await say(agentId, 'Two.', { session_id: sessionId });
    expect((await result(sessionId)).status).toBe(202);
    expect((await finalResult(sessionId)).turns).toBe(2);
  });

  // @rule 4.55
  it("404 if the session is not the tenant's", async () => {
    const { sessionId } = await say(await newAgent(), 'One.');
    const stranger = await plane.newKey();
    expect((await result(sessionId, stranger.key)).status).toBe(404);
    expect((await result(newId())).status).toBe(404);
  });

  it('says what failed where the analysis failed', async () => {
    const { sessionId } = await say(await newAgent(), 'One.');
    Object.assign(openai.faults, { failNext: 1, failStatus: 401 });
    expect((await finalResult(sessionId)).analysis).toMatchObject({
      status: 'failed',
      error_code: 'language_model_failed',
      outcome: null,
    });
  });
});

describe('POST /agents/{agent_id}/test/tool', () => {
  it('runs a tool that need not be saved, of an agent of the tenant alone', async () => {
    const { port } = tool.address() as AddressInfo;
    const path = `/api/v1/agents/${await newAgent()}/test/tool`;
    const body = {
      tool: { type: 'http', name: 'new', url: `http://127.0.0.1:${port}/` },
      arguments: { item: 'tea' },
    };
    const { status, json } = await plane.request('POST', path, { key, body });
    expect([status, json]).toMatchObject([200, { status: 200, body: '{"count":7}' }]);
    expect(toolCalls).toEqual(['{"item":"tea"}']);
    const { key: foreign } = await plane.newKey();
    expect((await plane.request('POST', path, { key: foreign, body })).status).toBe(404);
    expect(toolCalls).toHaveLength(1);
  });
});

describe('POST /agents/{agent_id}/test/websocket', () => {
  const open = (agentId: string, as = key) =>
    plane.request('POST', `/api/v1/agents/${agentId}/test/websocket`, {
      key: as,
      body: { variables: { name: 'Eve' } },
    });

  // @rule 4.53
  it('201 with session_id, stream_url and a short-lived signed token for the worker that keeps a place', async () => {
    const agentId = await newAgent();
    const answer = await open(agentId);
    expect(answer.status, answer.text).toBe(201);
    const session = answer.json as WsSessionCreate;
    expect(session.stream_url).toContain('ws://');
    const ticket = readStreamTicket(plane.platform.config.internalSecret, session.token, Date.now());
    expect(ticket).toMatchObject({ callId: session.session_id, streamToken: `token-${session.session_id}` });
    expect(Date.parse(session.expires_at) - Date.now()).toBeLessThanOrEqual(60_000);
    const plan = worker.plans.at(-1)!;
    expect(plan).toMatchObject({ call_id: session.session_id, carrier: { protocol: 'websocket' } });
    expect(plan.agent.first_message).toBe('Hello Eve!');
  });

  it('becomes a test call: live, analysed, and then a result', async () => {
    const { session_id: id } = (await open(await newAgent())).json as WsSessionCreate;
    expect((await result(id)).json).toMatchObject({ status: 'in_progress' });
    const { turn } = agentMessage(1, 'Tea, please.') as Extract<
      ReturnType<typeof agentMessage>,
      { kind: 'turn' }
    >;
    await worker.send(
      plane,
      worker.number(id, [
        mediaStarted(`websocket-${id}`),
        agentMessage(0, 'Hello Eve!'),
        { kind: 'turn', turn: { ...turn, role: 'caller', confidence: 1 } },
      ]),
    );
    const call = await plane.request('GET', `/api/v1/calls/${id}`, { key });
    expect(call.json).toMatchObject({
      status: 'IN_PROGRESS',
      is_test_call: true,
      carrier: 'websocket',
      compliance_check_id: null,
    });
    await worker.send(plane, worker.number(id, [ended('caller_hangup', 2000)]));
    const done = await finalResult(id);
    expect(done).toMatchObject({ kind: 'websocket', call_id: id, ended: true, turns: 1 });
    expect(done.analysis).toMatchObject({ status: 'complete' });
  });

  it('has no result before the recording that its worker announced', async () => {
    const { session_id: id } = (await open(await newAgent())).json as WsSessionCreate;
    const over = { ...ended('caller_hangup', 2000), has_recording: true };
    const events = [mediaStarted(`websocket-${id}`), agentMessage(0, 'Hello Eve!'), over];
    await worker.send(plane, worker.number(id, events));
    await eventually(
      () => plane.request('GET', `/api/v1/calls/${id}/detail`, { key }),
      ({ json }) => (json as { analysis: object | null }).analysis !== null,
    );
    expect((await result(id)).json).toMatchObject({ status: 'analyzing' });
    await plane.upload(`/internal/calls/${id}/recording`, Buffer.alloc(1000, 1), {
      'content-type': 'audio/mpeg',
      'x-duration-ms': '2000',
    });
    expect((await finalResult(id)).recording_url).toContain(id);
  });

  // @rule 4.54
  it('503 when all workers are at capacity', async () => {
    worker.mode = 'full';
    const answer = await open(await newAgent());
    expect([answer.status, (answer.json as { code: string }).code]).toEqual([503, 'workers_at_capacity']);
    expect(answer.headers.get('retry-after')).toBe('5');
  });

  it('422 when no worker can run the agent', async () => {
    worker.mode = 'refuses';
    const answer = await open(await newAgent());
    expect([answer.status, (answer.json as { code: string }).code]).toEqual([422, 'pipeline_not_supported']);
  });
});
