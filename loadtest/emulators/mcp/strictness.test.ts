import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type McpEmulator, startMcpEmulator } from './server.js';

let stateful: McpEmulator;
let stateless: McpEmulator;
beforeAll(async () => {
  stateful = await startMcpEmulator();
  stateless = await startMcpEmulator({ revision: '2026-07-28' });
});
afterAll(async () => {
  await stateful.close();
  await stateless.close();
});

type Headers = Record<string, string | undefined>;

async function post(to: McpEmulator, body: unknown, headers: Headers = {}) {
  const all: Headers = {
    authorization: `Bearer ${to.token}`,
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
    ...headers,
  };
  const given = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const answer = await fetch(to.serverUrl, {
    method: 'POST',
    headers: given,
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const text = await answer.text();
  const json = text.startsWith('{') ? (JSON.parse(text) as { error?: { code: number } }) : {};
  return { status: answer.status, code: json.error?.code, session: answer.headers.get('mcp-session-id') };
}

const rpc = (method: string, id: number, params?: object) => ({ jsonrpc: '2.0', id, method, params });
const initialize = rpc('initialize', 0, {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'test', version: '1' },
});

async function session(initialized = true): Promise<Headers> {
  const { session: id } = await post(stateful, initialize);
  const named = { 'mcp-session-id': id ?? undefined, 'mcp-protocol-version': '2025-11-25' };
  if (initialized) await post(stateful, { jsonrpc: '2.0', method: 'notifications/initialized' }, named);
  return named;
}

describe('the emulated server refuses', () => {
  it.each<[string, unknown, Headers, number]>([
    ['no token', initialize, { authorization: undefined }, 401],
    ['a wrong token', initialize, { authorization: 'Bearer other' }, 401],
    ['a client that reads JSON only', initialize, { accept: 'application/json' }, 406],
    ['what is not JSON by its type', initialize, { 'content-type': 'text/plain' }, 415],
    ['a page of another origin', initialize, { origin: 'https://evil.example' }, 403],
    ['what is not JSON', '{', {}, 400],
    ['a batch', [initialize], {}, 400],
    ['a request without a session', rpc('tools/list', 1), {}, 400],
    ['a session that it does not know', rpc('tools/list', 1), { 'mcp-session-id': 'x' }, 404],
  ])('%s', async (_, body, headers, status) => {
    expect((await post(stateful, body, headers)).status).toBe(status);
  });

  it('a handshake without a client, and one within a session', async () => {
    expect(await post(stateful, rpc('initialize', 1, { protocolVersion: '2025-11-25' }))).toMatchObject({
      code: -32602,
    });
    expect((await post(stateful, initialize, await session())).status).toBe(400);
  });

  it('everything but ping before the handshake is over', async () => {
    const named = await session(false);
    expect((await post(stateful, rpc('ping', 1), named)).status).toBe(200);
    expect((await post(stateful, rpc('tools/list', 2), named)).status).toBe(400);
  });

  it('another revision than was agreed on, and an id that was used', async () => {
    const named = await session();
    const other = { ...named, 'mcp-protocol-version': '2025-06-18' };
    expect((await post(stateful, rpc('tools/list', 1), other)).status).toBe(400);
    expect((await post(stateful, rpc('tools/list', 2), named)).status).toBe(200);
    expect((await post(stateful, rpc('tools/list', 2), named)).status).toBe(400);
  });

  it('a session that was ended', async () => {
    const named = await session();
    const headers = { authorization: `Bearer ${stateful.token}`, ...named } as Record<string, string>;
    expect((await fetch(stateful.serverUrl, { method: 'DELETE', headers })).status).toBe(204);
    expect((await post(stateful, rpc('tools/list', 3), named)).status).toBe(404);
  });

  it('unknown methods, tools and cursors', async () => {
    const named = await session();
    expect(await post(stateful, rpc('tools/delete', 1), named)).toMatchObject({ code: -32601 });
    expect(await post(stateful, rpc('tools/call', 2, { name: 'x' }), named)).toMatchObject({ code: -32602 });
    expect(await post(stateful, rpc('tools/list', 3, { cursor: 'x' }), named)).toMatchObject({
      code: -32602,
    });
  });
});

describe('the emulated server without sessions refuses', () => {
  const meta = (version = '2026-07-28') => ({
    _meta: {
      'io.modelcontextprotocol/protocolVersion': version,
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  });
  const said = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' };

  it('requests that do not say who asks, or say it otherwise in their headers', async () => {
    expect((await post(stateless, rpc('tools/list', 1, meta()), said)).status).toBe(200);
    expect(await post(stateless, rpc('tools/list', 1), said)).toMatchObject({ status: 400, code: -32602 });
    expect(await post(stateless, rpc('tools/list', 1, meta()))).toMatchObject({ status: 400, code: -32020 });
    expect(
      await post(stateless, rpc('tools/call', 1, { ...meta(), name: 'catalogue' }), {
        ...said,
        'mcp-method': 'tools/call',
        'mcp-name': 'look_up_order',
      }),
    ).toMatchObject({ status: 400, code: -32020 });
  });

  it('older revisions and sessions', async () => {
    expect(await post(stateless, rpc('tools/list', 1, meta('2025-11-25')), said)).toMatchObject({
      code: -32022,
    });
    expect((await post(stateless, initialize)).status).toBe(400);
    const named = { ...said, 'mcp-session-id': 'x' };
    expect((await post(stateless, rpc('tools/list', 1, meta()), named)).status).toBe(400);
  });
});
