import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type OpenAiEmulator, startOpenAiEmulator } from '../../../loadtest/emulators/openai/server.js';
import { startTestControlPlane, type TestAnswer, type TestControlPlane } from '../testing/control-plane.js';
import { eventually } from '../testing/eventually.js';
import { startTestStore, type TestStore } from '../testing/store.js';

let store: TestStore;
let plane: TestControlPlane;
let replica: TestControlPlane;
let openai: OpenAiEmulator;
let tool: Server;
/** How often the tool was called, and what it waits for before it answers. */
let toolCalls: number;
let askedBefore: number;
let gate: Promise<void>;
let key: string;
let path: string;
let env: Record<string, string>;

beforeAll(async () => {
  store = await startTestStore();
  openai = await startOpenAiEmulator({
    apiKeys: ['good'],
    script: [
      { whenUserSays: /stock/, say: 'Let me look.', toolCalls: [{ name: 'stock', arguments: {} }] },
      { afterTool: 'stock', say: 'We have seven.' },
      { whenUserSays: /./, say: 'Certainly.' },
    ],
  });
  tool = createServer(async (_request, response) => {
    toolCalls += 1;
    await gate;
    response.end('{"count":7}');
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => tool.once('listening', resolve));
  env = { OPENAI_API_KEY: 'good', OPENAI_BASE_URL: openai.baseUrl, EGRESS_ALLOW: '127.0.0.0/8' };
  plane = await startTestControlPlane(store.uri, { env });
  replica = await startTestControlPlane(store.uri, { env });
});
afterAll(async () => {
  await plane?.close();
  await replica?.close();
  await openai?.close();
  tool?.close();
  await store?.close();
});
beforeEach(async () => {
  toolCalls = 0;
  gate = Promise.resolve();
  askedBefore = openai.requests.length;
  Object.assign(openai.faults, { failNext: 0 });
  ({ key } = await plane.newKey());
  const { port } = tool.address() as AddressInfo;
  const made = await plane.request('POST', '/api/v1/agents', {
    key,
    body: {
      name: 'Ann',
      system_prompt: 'You sell tea.',
      first_message: 'Hello!',
      voice_config: { stt: { provider: 'local' }, llm: { provider: 'openai' }, tts: { provider: 'local' } },
      tools: [{ type: 'http', name: 'stock', description: 'Stock.', url: `http://127.0.0.1:${port}/` }],
    },
  });
  path = `/api/v1/agents/${(made.json as { id: string }).id}/test/text`;
});

const say = (message: string, idempotencyKey = 'k', more: object = {}, on = plane) =>
  on.request('POST', path, {
    key,
    body: { message, ...more },
    headers: { 'idempotency-key': idempotencyKey },
  });
/** How often the model was asked in this test. */
const timesAsked = () => openai.requests.length - askedBefore;
const answerOf = ({ status, text, headers }: TestAnswer) => ({
  status,
  text,
  session: headers.get('x-session-id'),
  type: headers.get('content-type'),
});
const isReplay = ({ headers }: TestAnswer) => headers.get('x-idempotent-replay') === 'true';
const code = ({ status, json }: TestAnswer) => [status, (json as { code: string }).code];

/** The tool answers only when it is let to. */
function holdTool(): () => void {
  let open = () => {};
  gate = new Promise((resolve) => {
    open = resolve;
  });
  return open;
}

/** Says something that needs the tool, and loses the connection while the tool works; the session's id. */
async function sayAndLeave(on = plane): Promise<string | null> {
  const leaving = new AbortController();
  const { headers } = await fetch(on.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'idempotency-key': 'k' },
    body: JSON.stringify({ message: 'Any stock?' }),
    signal: leaving.signal,
  });
  await eventually(
    async () => toolCalls,
    (calls) => calls === 1,
  );
  leaving.abort();
  return headers.get('x-session-id');
}

describe('POST /agents/{agent_id}/test/text with an Idempotency-Key', () => {
  // @rule 8.8
  it('repeated, on any replica, is the same stream byte for byte, of the same session, and no turn', async () => {
    const first = await say('Any stock?');
    expect(first.text).toContain('We have seven.');
    expect(isReplay(first)).toBe(false);
    for (const on of [plane, replica]) {
      const again = await say('Any stock?', 'k', {}, on);
      expect(isReplay(again)).toBe(true);
      expect(answerOf(again)).toEqual(answerOf(first));
    }
    expect([toolCalls, timesAsked()]).toEqual([1, 2]);
  });

  it('a later turn of a session is repeated as well, also when the session has moved on', async () => {
    const { session } = answerOf(await say('One.', 'first'));
    const second = await say('Two.', 'second', { session_id: session });
    await say('Three.', 'third', { session_id: session });
    expect(answerOf(await say('Two.', 'second', { session_id: session }))).toEqual(answerOf(second));
    expect(timesAsked()).toBe(3);
  });

  it('with another message is refused', async () => {
    await say('One.');
    expect(code(await say('Two.'))).toEqual([422, 'idempotency_key_reused']);
  });

  it('repeated while the turn goes on is refused with the reason', async () => {
    const letGo = holdTool();
    const first = say('Any stock?');
    await eventually(
      async () => toolCalls,
      (calls) => calls === 1,
    );
    const again = await say('Any stock?', 'k', {}, replica);
    expect(code(again)).toEqual([409, 'idempotency_in_flight']);
    expect(again.headers.get('retry-after')).toBe('1');
    letGo();
    expect(answerOf(await say('Any stock?').then(() => first)).text).toContain('event: done');
  });

  // @rule 8.8
  it('of a client that lost the connection goes on; asking again gets the whole stream', async () => {
    const letGo = holdTool();
    const session = await sayAndLeave();
    letGo();
    const again = await eventually(
      () => say('Any stock?', 'k', {}, replica),
      ({ status }) => status !== 409,
    );
    expect(isReplay(again)).toBe(true);
    expect(again.text).toMatch(/event: session[\s\S]*We have seven\.[\s\S]*event: done/);
    expect(answerOf(again).session).toBe(session);
    expect(toolCalls).toBe(1);
  });

  it('under way at a replica that shuts down is undone, and can be repeated at once elsewhere', async () => {
    const leaving = await startTestControlPlane(store.uri, { env });
    holdTool();
    const session = await sayAndLeave(leaving);
    await leaving.close();
    gate = Promise.resolve();
    const again = await say('Any stock?');
    expect(isReplay(again)).toBe(false);
    expect(again.text).toMatch(/We have seven[\s\S]*event: done/);
    expect(answerOf(again).session).toBe(session);
  });

  it('whose turn failed has not happened: repeated, it is run, in the same session', async () => {
    Object.assign(openai.faults, { failNext: 1, failStatus: 503 });
    const failed = await say('One.');
    expect(failed.text).toContain('language_model_failed');
    const again = await say('One.');
    expect(isReplay(again)).toBe(false);
    expect(again.text).toContain('event: done');
    expect(answerOf(again).session).toBe(answerOf(failed).session);
  });

  it.each([['a new session'], ['a later turn']])(
    'of %s, whose replica died between the turn and its record, is no second turn either',
    async (what) => {
      const more =
        what === 'a later turn' ? { session_id: answerOf(await say('One.', 'before')).session } : {};
      const first = await say('Any stock?', 'k', more);
      await (await store.connect())
        .db!.collection('idempotency_keys')
        .updateMany({}, { $unset: { answer: '' }, $set: { locked_until: new Date(0) } });
      const again = await say('Any stock?', 'k', more, replica);
      expect(answerOf(again)).toEqual(answerOf(first));
      expect(toolCalls).toBe(1);
    },
  );

  it('keeps what was said unreadable in the store', async () => {
    await say('Any stock?');
    const { db } = await store.connect();
    const rows = await Promise.all(
      ['idempotency_keys', 'test_sessions'].map((name) => db!.collection(name).find().toArray()),
    );
    expect(rows.every(({ length }) => length > 0)).toBe(true);
    expect(JSON.stringify(rows[0])).not.toContain('We have seven');
    expect(JSON.stringify(rows)).not.toContain('"event"');
  });
});
