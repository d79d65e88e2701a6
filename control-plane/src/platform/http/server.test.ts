import { Agent, request, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { expect, it } from 'vitest';
import { createHttpServer, DRAIN_LIMIT_MS, drain, listen, UPLOAD_LIMIT_MS } from './server.js';

/** A server whose answers the test gives, and a client that keeps its connection. */
async function slowServer() {
  const waiting: ServerResponse[] = [];
  const server = createHttpServer((_request, response) => {
    waiting.push(response);
  });
  const port = await listen(server, { host: '127.0.0.1', port: 0 });
  const agent = new Agent({ keepAlive: true });
  const ask = () =>
    new Promise<string>((resolve, reject) => {
      request({ port, host: '127.0.0.1', agent }, (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => {
          text += chunk.toString();
        });
        response.on('end', () => resolve(text));
        response.on('error', reject);
      })
        .on('error', reject)
        .end();
    });
  const arrived = async (count: number) => {
    while (waiting.length < count) await new Promise((resolve) => setImmediate(resolve));
  };
  return { server, waiting, ask, arrived };
}

it('given a live request, a drain refuses new ones, lets it finish, and ends although its client keeps the connection', async () => {
  const clock = new ScriptedClock();
  const { server, waiting, ask, arrived } = await slowServer();
  const live = ask();
  await arrived(1);
  const drained = drain(server, clock);
  clock.advance(1000);
  await expect(ask()).rejects.toThrow('ECONNREFUSED');
  waiting[0]?.end('finished');
  expect(await live).toBe('finished');
  clock.advance(100);
  await drained;
  expect(clock.pending).toBe(0);
});

it('given a connection that was opened ahead of a request, a drain does not wait for it', async () => {
  const clock = new ScriptedClock();
  const { server } = await slowServer();
  const ahead = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const closed = new Promise((resolve) => ahead.once('close', resolve));
  await new Promise((resolve) => server.once('connection', resolve));
  const drained = drain(server, clock);
  clock.advance(100);
  await drained;
  await closed;
  expect(clock.pending).toBe(0);
});

it('given a request that never ends, a drain cuts it at its limit', async () => {
  const clock = new ScriptedClock();
  const { server, ask, arrived } = await slowServer();
  const live = ask();
  const cut = expect(live).rejects.toThrow();
  await arrived(1);
  const drained = drain(server, clock);
  clock.advance(DRAIN_LIMIT_MS);
  await cut;
  await drained;
});

it.each([
  ['no HTTP', 'hello\r\n\r\n', 'HTTP/1.1 400 Bad Request'],
  [
    'headers without end',
    `GET / HTTP/1.1\r\nx: ${'a'.repeat(20_000)}\r\n\r\n`,
    'HTTP/1.1 431 Request Header Fields Too Large',
  ],
])('given %s, answers in the shape of every error', async (_, sent, status) => {
  const server = createHttpServer(() => {
    throw new Error('no request was readable');
  });
  const port = await listen(server, { host: '127.0.0.1', port: 0 });
  const answer = await new Promise<string>((resolve, reject) => {
    let text = '';
    connect(port, '127.0.0.1')
      .on('data', (chunk: Buffer) => {
        text += chunk.toString();
      })
      .on('close', () => resolve(text))
      .on('error', reject)
      .write(sent);
  });
  server.close();
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  expect(head.split('\r\n')[0]).toBe(status);
  const error = JSON.parse(body) as { request_id: string };
  expect(error).toEqual({
    detail: expect.any(String),
    code: 'malformed_request',
    request_id: expect.any(String),
  });
  expect(head).toContain(`X-Request-Id: ${error.request_id}`);
});

it('gives requests two minutes to come in, and those of workers the time of the longest recording at 1 Mbit/s', () => {
  const answers = () => {};
  expect(createHttpServer(answers).requestTimeout).toBe(120_000);
  const { requestTimeout } = createHttpServer(answers, undefined, UPLOAD_LIMIT_MS);
  const bytesOf4Hours = (4 * 3600 * 32_000) / 8;
  expect(requestTimeout).toBeGreaterThan(60_000 + bytesOf4Hours / 125);
});
