import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { Voice } from './client.js';
import { ConnectionFailedError, NotFoundError, ServerError } from './errors.js';
import { type FollowOptions, listen } from './live.js';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/**
 * A service that answers each request to follow by the next of the scripts, the last one for ever, and a client of it
 * whose clock goes on by its pauses alone.
 */
async function following(...scripts: ((response: ServerResponse) => void)[]) {
  const lastEventIds: (string | undefined)[] = [];
  const pauses: number[] = [];
  const server = createServer((request, response) => {
    lastEventIds.push(request.headers['last-event-id'] as string | undefined);
    const script = scripts.length > 1 ? scripts.shift() : scripts[0];
    script?.(response);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const voice = new Voice(
    { apiKey: 'sk_test_1', baseUrl },
    {
      wait: async (ms, signal) => {
        signal?.throwIfAborted();
        pauses.push(ms);
      },
      random: () => 1,
      now: () => pauses.reduce((sum, ms) => sum + ms, 0),
    },
  );
  return { voice, lastEventIds, pauses };
}

/** Follows a call to its end; the types of what came, and what it ended with. */
async function followed(voice: Voice, options?: FollowOptions) {
  const types: string[] = [];
  try {
    for await (const { type } of voice.calls.follow('c-1', options)) types.push(type);
    return { types };
  } catch (error) {
    return { types, error };
  }
}

const refuses =
  (status: number, headers: Record<string, string> = {}) =>
  (response: ServerResponse) =>
    response.writeHead(status, headers).end('{"code":"draining"}');

const event = (data: object, id?: number) =>
  `${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`;
/** One event, and then the stream ends before the call. */
const breaks = (response: ServerResponse) =>
  response.end(event({ type: 'notice', code: 'a', message: '' }, 7));
const over = event({ type: 'status', status: 'COMPLETED', end_reason: 'caller_hangup' });

describe('following a call', () => {
  it('gives events until the call is over, however they are cut', async () => {
    const { voice } = await following((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const text = `: heartbeat\n\n${event({ type: 'state', state: 'thinking', at_ms: 1 })}${over}`;
      for (const byte of Buffer.from(text)) response.write(Buffer.of(byte));
    });
    expect((await followed(voice)).types).toEqual(['state', 'status']);
  });

  it('gives what is said with the line separators of Unicode in it, which JSON leaves as they are', async () => {
    const said = 'We open\u2028at nine,\u2029and close at five.';
    const { voice } = await following((response) =>
      response.end(event({ type: 'notice', code: 'a', message: said }, 7) + over),
    );
    const messages: unknown[] = [];
    for await (const next of voice.calls.follow('c-1'))
      if (next.type === 'notice') messages.push(next.message);
    expect(messages).toEqual([said]);
  });

  it('comes back after the last durable event when the connection breaks, or says nothing', async () => {
    let destroy = () => {};
    const { voice, lastEventIds } = await following(
      (response) => {
        response.writeHead(200);
        response.write(event({ type: 'notice', code: 'a', message: '' }, 7));
        destroy = () => response.destroy();
      },
      (response) => {
        response.writeHead(200);
        response.write(event({ type: 'notice', code: 'b', message: '' }, 8));
      },
      (response) => response.end(over),
    );
    const codes: string[] = [];
    for await (const happened of voice.calls.follow('c-1', { silenceMs: 1000 })) {
      codes.push(happened.type === 'notice' ? happened.code : happened.type);
      if (codes.at(-1) === 'a') destroy();
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
    expect((await followed(voice)).types).toEqual(['notice', 'status']);
    expect(lastEventIds).toEqual([undefined, '7']);
  });

  it('comes back with growing pauses while the service restarts', async () => {
    const away = [refuses(503), refuses(502), refuses(504), refuses(503), refuses(503)];
    const { voice, pauses } = await following(breaks, ...away, (response) => response.end(over));
    expect(await followed(voice)).toEqual({ types: ['notice', 'status'] });
    expect(pauses).toEqual([1000, 2000, 4000, 8000, 8000, 8000]);
  });

  it('waits for as long as the service asks for before it comes back', async () => {
    const full = refuses(429, { 'retry-after': '90' });
    const { voice, pauses } = await following(breaks, full, (response) => response.end(over));
    expect(await followed(voice)).toEqual({ types: ['notice', 'status'] });
    expect(pauses).toEqual([1000, 90_000]);
  });

  it('begins with a short pause again once something came', async () => {
    const { voice, pauses } = await following(breaks, refuses(503), breaks, (response) => response.end(over));
    await followed(voice);
    expect(pauses).toEqual([1000, 2000, 1000]);
  });

  it('ends with the last failure once its patience is at an end', async () => {
    const { voice, pauses } = await following(breaks, refuses(503));
    const { types, error } = await followed(voice, { patienceMs: 20_000 });
    expect(types).toEqual(['notice']);
    expect(error).toBeInstanceOf(ServerError);
    expect(pauses).toEqual([1000, 2000, 4000, 8000]);
  });

  it('takes an answer without any event for no way back', async () => {
    const { voice } = await following(breaks, (response) => response.end('<html>Maintenance</html>'));
    const { error } = await followed(voice, { patienceMs: 20_000 });
    expect(error).toBeInstanceOf(ConnectionFailedError);
  });

  it('gives a first connection up after the usual tries', async () => {
    const { voice, lastEventIds, pauses } = await following((response) => response.destroy());
    expect(await followed(voice)).toEqual({ types: [], error: expect.any(ConnectionFailedError) });
    expect([lastEventIds.length, pauses]).toEqual([3, [500, 1000]]);
  });

  it('ends with the refusal where the call is gone when it comes back', async () => {
    const { voice } = await following(breaks, refuses(404));
    expect(await followed(voice)).toEqual({ types: ['notice'], error: expect.any(NotFoundError) });
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
