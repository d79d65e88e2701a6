import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Voice } from './client.js';
import { ConnectionFailedError } from './errors.js';

/** Creates sessions and links, and never answers who wants to join one. */
const server = createServer((_request, response) => {
  const stream = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/stream?t=1`;
  const created = { session_id: 's-1', stream_url: stream, listen_url: stream, token: 't' };
  response.writeHead(201, { 'content-type': 'application/json' }).end(JSON.stringify(created));
});
const isJoined = () =>
  new Promise<void>((resolve) => {
    server.once('upgrade', () => resolve());
  });
server.on('upgrade', () => {});

beforeAll(async () => {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** Time for a busy machine to answer the request that comes before, in ms. */
const LIMIT_MS = 2000;
const connected = (timeoutMs?: number) =>
  new Voice({
    apiKey: 'sk_test_1',
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    timeoutMs,
  });

describe.concurrent('a WebSocket that nobody answers', () => {
  it('is given up after the client’s time-out: a test session', async () => {
    await expect(connected(LIMIT_MS).testSessions.talk('a-1')).rejects.toThrow(/handshake has timed out/);
  });

  it('is given up after the client’s time-out: the audio of a call', async () => {
    const listening = connected(LIMIT_MS).calls.listen('c-1');
    await expect(listening.next()).rejects.toThrow(/handshake has timed out/);
  });

  it('is given up after a time-out of its own', async () => {
    const listening = connected().calls.listen('c-1', { timeoutMs: LIMIT_MS });
    await expect(listening.next()).rejects.toBeInstanceOf(ConnectionFailedError);
  });
});

describe('a WebSocket that nobody answers', () => {
  it('is given up where the session is aborted', async () => {
    const abort = new AbortController();
    const session = connected().testSessions.talk('a-1', { signal: abort.signal });
    void isJoined().then(() => abort.abort());
    await expect(session).rejects.toBeInstanceOf(ConnectionFailedError);
  });
});
