import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createAddressPolicy } from './address-policy.js';
import { guardedFetch } from './guarded-fetch.js';

const sockets = new Set<Socket>();
let server: Server;
let url: string;
/** The first line of the next answer. */
let statusLine = '';

beforeAll(async () => {
  server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('data', () => socket.end(`${statusLine}\r\nContent-Length: 2\r\n\r\nok`, 'latin1'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});
afterAll(() => {
  for (const socket of sockets) socket.destroy();
  server.close();
});

const asked = (line: string) => {
  statusLine = line;
  return guardedFetch(createAddressPolicy(['127.0.0.0/8']))(url);
};

it('returns the answer of a server', async () => {
  const answer = await asked('HTTP/1.1 200 Fine');
  expect([answer.status, answer.statusText, await answer.text()]).toEqual([200, 'Fine', 'ok']);
});

it.each([
  'HTTP/1.1 999 Odd',
  'HTTP/1.1 600 Odd',
  'HTTP/1.1 099 Low',
  'HTTP/1.1 200 \x01',
  'HTTP/1.1 101 Go\r\nConnection: Upgrade\r\nUpgrade: x',
])('rejects an answer that Fetch does not know, and goes on: %j', async (line) => {
  await expect(asked(line)).rejects.toMatchObject({ code: 'HPE_INVALID_ANSWER' });
});
