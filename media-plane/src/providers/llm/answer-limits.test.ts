import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAddressPolicy } from '@voice/shared/egress/address-policy';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAnthropicLanguageModel } from './anthropic/anthropic.js';
import { createOpenAiLanguageModel } from './openai/openai.js';
import { answerOf, requestTo } from './testing/vendor-cases.js';

const egress = createAddressPolicy(['127.0.0.0/8']);
/** Of an event that does not end, and of a line that does not. */
const LINE = `data: ${'x'.repeat(16_000)}\n`;
const PIECE = 'x'.repeat(16_000);

let server: Server;
let url: string;
let status = 200;

beforeAll(async () => {
  server = createServer((request, response) => {
    const piece = request.url?.includes('chat') ? LINE : PIECE;
    response.on('error', () => {});
    response.writeHead(status, { 'content-type': 'text/event-stream' });
    const more = () => {
      while (!response.destroyed && response.write(piece));
    };
    response.on('drain', more);
    more();
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

describe.each([
  ['openai', () => createOpenAiLanguageModel({ egress }), '/v1'],
  ['anthropic', () => createAnthropicLanguageModel({ egress }), ''],
] as const)("the answer of a tenant's server without an end (%s)", (provider, create, path) => {
  it.each([
    [400, 'bad_request'],
    [200, 'protocol_violation'],
  ])('with status %d is given up', async (given, code) => {
    status = given;
    const model = create();
    const asked = requestTo({ provider, baseUrl: url + path });
    await expect(answerOf(model, asked)).rejects.toMatchObject({ code: expect.stringContaining(code) });
    await model.close();
  });
});
