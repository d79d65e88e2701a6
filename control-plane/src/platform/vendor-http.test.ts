import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAddressPolicy } from '@voice/shared/egress/address-policy';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { VendorHttp } from './vendor-http.js';

let server: Server;
let url: string;
let answer = '';
let status = 400;

beforeAll(async () => {
  server = createServer((_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(answer);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});
beforeEach(() => {
  status = 400;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

it.each([
  ['a reason', '{"error":{"message":"The name is taken."}}', ': The name is taken.'],
  ['none where it lies too deep', `${'{"error":'.repeat(60_000)}"no"${'}'.repeat(60_000)}`, '.'],
])('says of a refusal %s', async (_what, body, reason) => {
  answer = body;
  const sent = new VendorHttp(createAddressPolicy(['127.0.0.0/8'])).send({ method: 'GET', url }, false);
  await expect(sent).rejects.toMatchObject({
    name: 'VendorFailure',
    message: `The vendor answered with status 400${reason}`,
  });
});

it.each([
  [400, '{"error":"invalid_grant","error_description":"Token expired."}', 'refused', 'invalid_grant'],
  [400, '{"status":"BAD_REFRESH_TOKEN","message":"missing"}', 'refused', 'BAD_REFRESH_TOKEN'],
  [400, '[{"error":"unsupported_token_type"}]', 'refused', 'unsupported_token_type'],
  [401, '{"error":{"code":401}}', 'unauthorized', null],
  [408, '', 'unavailable', null],
])('classifies a failure by %i and %s', async (answered, body, kind, code) => {
  status = answered;
  answer = body;
  const sent = new VendorHttp(createAddressPolicy(['127.0.0.0/8'])).send({ method: 'GET', url }, false);
  await expect(sent).rejects.toMatchObject({ kind, code, status: answered });
});
