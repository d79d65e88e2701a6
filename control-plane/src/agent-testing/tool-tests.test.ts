import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import type { AgentTool } from '@voice/shared/contracts/agent';
import { createAddressPolicy } from '@voice/shared/egress/address-policy';
import { newId, newTenantId } from '@voice/shared/ids/ids';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AgentDirectory } from '../calls/plan/agent-directory.js';
import { toolTestRequest } from './schemas.js';
import { ToolTests } from './tool-tests.js';

interface Seen {
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

let server: Server;
let base = '';
let seen: Seen | undefined;
beforeAll(async () => {
  server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    seen = { url: request.url, headers: request.headers, body };
    if (request.url === '/long') response.end('x'.repeat(20_000));
    else if (request.url === '/fails') response.writeHead(503).end('down');
    else response.setHeader('content-type', 'application/json').end('{"count":7}');
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server?.close());

const parameters = { type: 'object', properties: { item: { type: 'string' } }, required: ['item'] };
const STORED = (url = `${base}/stock`) => ({
  type: 'http',
  name: 'stock',
  description: '',
  url,
  method: 'POST',
  parameters,
  headers: {},
  timeout_ms: 1000,
  side_effects: true,
  secret: 'signing key',
  secret_headers: { Authorization: 'Bearer hush' },
});

/** Tries a tool of an agent that has `stored`. */
function run(changes: object = {}, options: { stored?: object; allow?: string[]; args?: object } = {}) {
  const { stored = STORED(), allow = ['127.0.0.0/8'], args = { item: 'tea' } } = options;
  seen = undefined;
  const agents: AgentDirectory = {
    snapshot: async () => ({ snapshot: { tools: [stored as AgentTool] } }) as never,
  };
  const tests = new ToolTests({ agents, policy: createAddressPolicy(allow), clock: new ScriptedClock() });
  const { secret: _secret, secret_headers: _headers, ...shown } = STORED();
  const request = toolTestRequest.parse({ tool: { ...shown, ...changes }, arguments: args });
  return tests.run(newTenantId(), newId(), request);
}

describe('a test of an HTTP tool', () => {
  it('sends what a call would send, and shows what came back', async () => {
    expect(await run()).toEqual({
      status: 200,
      duration_ms: 0,
      content_type: 'application/json',
      body: '{"count":7}',
      body_bytes: 11,
      truncated: false,
      error: null,
    });
    expect(seen).toMatchObject({ url: '/stock', body: '{"item":"tea"}' });
  });

  it('sends the secrets that the agent keeps for the tool of this name', async () => {
    await run();
    expect(seen?.headers).toMatchObject({ authorization: 'Bearer hush' });
    expect(seen?.headers['x-service-signature']).toMatch(/^t=\d+,v1=[0-9a-f]{64}$/);
    await run({ secret_headers: { Authorization: 'Bearer new' } });
    expect(seen?.headers).toMatchObject({ authorization: 'Bearer new' });
    await run({ secret_headers: { Authorization: null, 'X-Key': 'k' } });
    expect(seen?.headers).toMatchObject({ authorization: 'Bearer hush', 'x-key': 'k' });
  });

  it.each([
    ['another tool', { name: 'prices' }, {}],
    ['another origin', {}, { stored: { ...STORED('https://shop.example.com/stock'), secret: undefined } }],
    ['a tool that has none any more', { secret_headers: {} }, {}],
  ])('sends no secret headers for %s', async (_, changes, options) => {
    expect(await run(changes, options)).toMatchObject({ status: 200 });
    expect(seen?.headers).not.toHaveProperty('authorization');
  });

  it('shows an answer of any status, and of a long one the beginning', async () => {
    expect(await run({ url: `${base}/fails` })).toMatchObject({ status: 503, body: 'down', error: null });
    const long = await run({ url: `${base}/long` });
    expect(long).toMatchObject({ body_bytes: 20_000, truncated: true });
    expect(long.body).toHaveLength(16 * 1024);
  });

  it('says why no answer came', async () => {
    const { port } = server.address() as AddressInfo;
    const refused = await run({ url: `http://localhost:${port}/` }, { allow: [] });
    expect(refused).toMatchObject({ status: null, error: { code: 'egress_address_refused' } });
    expect(seen).toBeUndefined();
    expect(await run({ url: 'http://127.0.0.1:1/' })).toMatchObject({ error: { code: 'egress_failed' } });
  });

  it('is refused for what no call could use: an address, a schema, arguments that do not fit', async () => {
    const locs = (attempt: Promise<unknown>) =>
      attempt.then(
        () => [],
        (error: { detail: { loc: unknown[] }[] }) => error.detail.map(({ loc }) => loc.join('.')),
      );
    expect(await locs(run({}, { allow: [] }))).toEqual(['body.tool.url']);
    expect(await locs(run({ parameters: { type: 'string' } }))).toContain('body.tool.parameters.type');
    expect(await locs(run({}, { args: { item: 7 } }))).toEqual(['body.arguments']);
    expect(seen).toBeUndefined();
  });
});
