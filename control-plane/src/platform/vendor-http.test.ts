import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAddressPolicy } from '@voice/shared/egress/address-policy';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { VendorHttp } from './vendor-http.js';

let server: Server;
let url: string;
let answer = '';

beforeAll(async () => {
  server = createServer((_request, response) => {
    response.writeHead(400, { 'content-type': 'application/json' }).end(answer);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
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
