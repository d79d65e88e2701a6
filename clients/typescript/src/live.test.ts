import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { Voice } from './client.js';
import { ConnectionFailedError, NotFoundError } from './errors.js';
import { listen } from './live.js';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** A service that answers each request to follow by the next of the scripts. */
async function following(...scripts: ((response: ServerResponse) => void)[]) {
  const lastEventIds: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    lastEventIds.push(request.headers['last-event-id'] as string | undefined);
    scripts.shift()?.(response);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { voice: new Voice({ apiKey: 'sk_test_1', baseUrl }), lastEventIds };
}

const event = (data: object, id?: number) =>
  `${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`;
const over = event({ type: 'status', status: 'COMPLETED', end_reason: 'caller_hangup' });

describe('following a call', () => {
  it('gives events until the call is over, however they are cut', async () => {
    const { voice } = await following((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const text = `: heartbeat\n\n${event({ type: 'state', state: 'thinking', at_ms: 1 })}${over}`;
      for (const byte of Buffer.from(text)) response.write(Buffer.of(byte));
    });
    const types: string[] = [];
    for await (const { type } of voice.calls.follow('c-1')) types.push(type);
    expect(types).toEqual(['state', 'status']);
  });

  it('comes back after the last durable event when the connection breaks, or says nothing', async () => {
    let breaks = () => {};
    const { voice, lastEventIds } = await following(
      (response) => {
        response.writeHead(200);
        response.write(event({ type: 'notice', code: 'a', message: '' }, 7));
        breaks = () => response.destroy();
      },
      (response) => {
        response.writeHead(200);
        response.write(event({ type: 'notice', code: 'b', message: '' }, 8));
      },
      (response) => response.end(over),
    );
    const codes: string[] = [];
    for await (const happened of voice.calls.follow('c-1', { silenceMs: 1000, reconnectMs: 1 })) {
      codes.push(happened.type === 'notice' ? happened.code : happened.type);
      if (codes.at(-1) === 'a') breaks();
    }
    expect(codes).toEqual(['a', 'b', 'status']);
    expect(lastEventIds).toEqual([undefined, '7', '8']);
  });

  it('asks once more for what came as no JSON', async () => {
    const { voice, lastEventIds } = await following(
      (response) => {
        response.writeHead(200);
        response.end(`${event({ type: 'notice', code: 'a', message: '' }, 7)}id: 8\ndata: <html>\n\n`);
      },
      (response) => response.end(over),
    );
    const types: string[] = [];
    for await (const { type } of voice.calls.follow('c-1', { reconnectMs: 1 })) types.push(type);
    expect(types).toEqual(['notice', 'status']);
    expect(lastEventIds).toEqual([undefined, '7']);
  });

  it('ends with the refusal where the call is not there', async () => {
    const { voice } = await following((response) => response.writeHead(404).end('{"code":"call_not_found"}'));
    await expect(voice.calls.follow('c-1').next()).rejects.toBeInstanceOf(NotFoundError);
  });
});

describe('listening to a call', () => {
  async function serving(talk: (socket: import('ws').WebSocket) => void): Promise<string> {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    server.on('connection', talk);
    closers.push(() => server.close());
    await new Promise((resolve) => {
      server.once('listening', resolve);
    });
    return `ws://127.0.0.1:${(server.address() as AddressInfo).port}/listen?t=1`;
  }
  const format = '{"type":"format","encoding":"l16","sample_rate":8000,"channels":2}';

  it('gives the audio with its form, until the call is over', async () => {
    const url = await serving((socket) => {
      socket.send(format);
      socket.send(Buffer.of(1, 2, 3, 4));
      socket.close(1000);
    });
    const heard = [];
    for await (const audio of listen(url, { channels: 'stereo' })) heard.push(audio);
    expect(heard).toEqual([{ pcm: Buffer.of(1, 2, 3, 4), sampleRate: 8000, channels: 2 }]);
  });

  it('fails where something that is no JSON comes in place of the form', async () => {
    const url = await serving((socket) => socket.send('<html>'));
    await expect(listen(url).next()).rejects.toThrow(/no JSON/);
  });

  it('fails when the connection ends before the call', async () => {
    const url = await serving((socket) => socket.close(1013));
    await expect(listen(url).next()).rejects.toBeInstanceOf(ConnectionFailedError);
  });
});
