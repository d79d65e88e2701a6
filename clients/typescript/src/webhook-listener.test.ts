import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { forward, targetOf } from './cli/forward.js';
import { Voice } from './client.js';
import { AuthenticationError, VoiceError } from './errors.js';
import type { ListenerMessage, WebhookListenOptions } from './webhook-listener.js';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

type Script = ((socket: WebSocket) => void) | { readonly refusal: number };

/** A service that answers each connection by the next of the scripts. */
async function service(...scripts: Script[]) {
  const requests: IncomingMessage[] = [];
  const results: unknown[] = [];
  const codes: number[] = [];
  const server = createServer();
  const sockets = new WebSocketServer({ noServer: true });
  server.on('upgrade', (request, socket, head) => {
    requests.push(request);
    const script = scripts.shift()!;
    if (typeof script !== 'function') {
      const body = JSON.stringify({ detail: 'No.', code: 'no', request_id: 'r-1' });
      socket.end(
        `HTTP/1.1 ${script.refusal} No\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
      );
      return;
    }
    sockets.handleUpgrade(request, socket, head, (open) => {
      open.on('message', (data) => results.push(JSON.parse(String(data))));
      open.on('close', (code) => codes.push(code));
      script(open);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  closers.push(() => {
    for (const open of sockets.clients) open.terminate();
    server.closeAllConnections();
    server.close();
  });
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const voice = new Voice({ apiKey: 'sk_test_1', baseUrl });
  const listen = (options: WebhookListenOptions = {}) =>
    voice.webhooks.listen({ reconnectMs: 1, ...options });
  return { listen, requests, results, codes, baseUrl };
}

const ready = (listener_id: string, secret = 'whsec_1') =>
  JSON.stringify({ type: 'ready', listener_id, secret, event_types: ['*'], sandbox: true });
const delivery = (id: string) =>
  JSON.stringify({
    type: 'delivery',
    id,
    event_id: `event ${id}`,
    event_type: 'call.started',
    headers: { 'X-Service-Event': 'call.started' },
    body: '{"ü":1}',
  });

/** Answers what comes until there are so many deliveries. */
async function take(messages: AsyncIterable<ListenerMessage>, count: number): Promise<string[]> {
  const taken: string[] = [];
  for await (const message of messages) {
    if (message.type === 'ready') taken.push(message.secret);
    else {
      taken.push(message.eventId);
      message.answer(taken.length % 2 === 0 ? 200 : new Error('nothing listens'));
      if (--count === 0) break;
    }
  }
  return taken;
}

describe('listening to webhooks', () => {
  it('gives the secret, then deliveries, whose answers go back', async () => {
    const { listen, requests, results, codes } = await service((socket) => {
      for (const message of [ready('l-1'), delivery('1'), delivery('2')]) socket.send(message);
    });
    expect(await take(listen({ eventTypes: ['call.started', 'call.failed'] }), 2)).toEqual([
      'whsec_1',
      'event 1',
      'event 2',
    ]);
    const [{ url, headers }] = requests as [IncomingMessage];
    expect(url).toBe('/api/v1/webhooks/listen?event_types=call.started%2Ccall.failed');
    expect(headers.authorization).toBe('Bearer sk_test_1');
    await expect.poll(() => codes).toEqual([1000]);
    expect(results).toEqual([
      { type: 'result', id: '1', status: 200 },
      { type: 'result', id: '2', error: 'nothing listens' },
    ]);
  });

  it('comes back as the same listener where the connection breaks, and as another when that is over', async () => {
    const { listen, requests } = await service(
      (socket) => socket.send(ready('l-1'), () => socket.close(1001)),
      { refusal: 503 },
      (socket) => {
        socket.send(ready('l-1'));
        socket.send(delivery('1'), () => socket.terminate());
      },
      { refusal: 404 },
      (socket) => {
        socket.send(ready('l-2', 'whsec_2'));
        socket.send(delivery('2'));
      },
    );
    expect(await take(listen(), 2)).toEqual(['whsec_1', 'event 1', 'whsec_2', 'event 2']);
    const listeners = requests.map(({ url }) => new URL(url!, 'http://x').searchParams.get('listener_id'));
    expect(listeners).toEqual([null, 'l-1', 'l-1', 'l-1', null]);
  });

  it.each([1008, 1013])('ends with an error when it is closed with %i', async (code) => {
    const { listen } = await service((socket) => socket.send(ready('l-1'), () => socket.close(code, 'so')));
    await expect(take(listen(), 1)).rejects.toThrow(new VoiceError(`Listening was ended with ${code}: so.`));
  });

  it('comes back where something that is no JSON comes', async () => {
    const { listen, requests } = await service(
      (socket) => {
        socket.send(ready('l-1'));
        socket.send('<html>');
      },
      (socket) => {
        socket.send(ready('l-1'));
        socket.send(delivery('d-1'));
      },
    );
    const types: string[] = [];
    for await (const { type } of listen()) {
      types.push(type);
      if (type === 'delivery') break;
    }
    expect(types).toEqual(['ready', 'delivery']);
    expect(requests).toHaveLength(2);
  });

  it('throws what the API refuses, and what cannot be reached', async () => {
    const { listen } = await service({ refusal: 401 });
    await expect(take(listen(), 1)).rejects.toBeInstanceOf(AuthenticationError);
    const nowhere = new Voice({ apiKey: 'sk_test_1', baseUrl: 'http://127.0.0.1:1' });
    await expect(take(nowhere.webhooks.listen(), 1)).rejects.toThrow('cannot be reached');
  });

  it('ends when it is aborted', async () => {
    const stop = new AbortController();
    const { listen, codes } = await service((socket) => socket.send(ready('l-1')));
    for await (const _ of listen({ signal: stop.signal })) stop.abort();
    await expect.poll(() => codes).toEqual([1000]);
  });
});

describe('forwarding a delivery', () => {
  it('sends the headers and the body as they came, and follows no redirect', async () => {
    const received: [IncomingMessage['headers'], string][] = [];
    const server = createServer(async (request, response) => {
      received.push([request.headers, Buffer.concat(await request.toArray()).toString()]);
      response.writeHead(302, { location: '/' }).end();
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    closers.push(() => server.close());
    const { port } = server.address() as AddressInfo;
    const headers = {
      'Content-Length': '8',
      'User-Agent': 'webhooks/1.0',
      'X-Service-Event': 'call.started',
    };
    expect(await forward(targetOf(`127.0.0.1:${port}/hooks`), { headers, body: '{"ü":1}' })).toBe(302);
    const { host: _, connection: __, ...same } = received[0]![0];
    const sent = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
    expect([same, received[0]![1]]).toEqual([Object.fromEntries(sent), '{"ü":1}']);
  });

  it('says that nothing listens, that no answer came, and what is no address', async () => {
    const delivered = { headers: {}, body: '' };
    await expect(forward(targetOf('http://127.0.0.1:1/'), delivered)).rejects.toThrow(
      'nothing listens at 127.0.0.1:1',
    );
    const mute = createServer(() => {});
    await new Promise<void>((resolve) => {
      mute.listen(0, '127.0.0.1', resolve);
    });
    closers.push(
      () => mute.closeAllConnections(),
      () => mute.close(),
    );
    const { port } = mute.address() as AddressInfo;
    await expect(forward(targetOf(`localhost:${port}`), delivered, 20)).rejects.toThrow(
      'no answer within 0.02 s',
    );
    expect(() => targetOf('http://')).toThrow(VoiceError);
  });
});
