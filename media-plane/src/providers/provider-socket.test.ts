import type { AddressInfo } from 'node:net';
import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { type ConnectionEnd, connectionError, ProviderSocket, webSocketUrl } from './provider-socket.js';

describe('a provider connection that is probed', () => {
  let server: WebSocketServer;
  let peer: WebSocket;
  let pings: number;
  let clock: ScriptedClock;
  let socket: ProviderSocket;
  let ends: ConnectionEnd[];
  let texts: string[];
  let onText: (text: string) => void;

  beforeEach(async () => {
    clock = new ScriptedClock();
    [ends, texts, pings] = [[], [], 0];
    onText = (text) => texts.push(text);
    server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
    await new Promise((resolve) => server.once('listening', resolve));
    const connected = new Promise<WebSocket>((resolve) => server.once('connection', resolve));
    const opened = new Promise<void>((onOpen) => {
      socket = new ProviderSocket({
        url: new URL(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`),
        events: { onOpen, onText: (text) => onText(text), onEnd: (end) => ends.push(end) },
      });
    });
    peer = await connected;
    peer.on('ping', () => {
      pings += 1;
    });
    await opened;
  });

  afterEach(() => {
    socket.terminate();
    for (const client of server.clients) client.terminate();
    server.close();
  });

  it('goes on when the peer answers the ping, or says anything', async () => {
    socket.probe(clock);
    socket.probe(clock);
    await expect.poll(() => clock.pending).toBe(0);
    expect(pings).toBe(1);
    peer.pause();
    peer.send('words');
    socket.probe(clock);
    await expect.poll(() => texts).toEqual(['words']);
    clock.advance(10_000);
    expect(ends).toEqual([]);
  });

  it('ends as torn two seconds after it has died unseen', () => {
    peer.pause();
    socket.probe(clock);
    clock.advance(1999);
    expect(ends).toEqual([]);
    clock.advance(1);
    expect(ends).toMatchObject([{ opened: true, closeCode: 1006 }]);
    expect(connectionError('realtime', 'openai', ends[0]!)).toMatchObject({
      code: 'realtime_disconnected',
      retryable: true,
    });
  });

  it('ends where what the peer says cannot be taken, and nothing else does', async () => {
    onText = () => {
      throw new RangeError('Maximum call stack size exceeded');
    };
    peer.send('{"a":{"a":');
    peer.send('more');
    await expect.poll(() => ends).toMatchObject([{ closeCode: 1006, cause: expect.any(RangeError) }]);
    expect(connectionError('realtime', 'gemini', ends[0]!)).toMatchObject({ code: 'realtime_disconnected' });
  });

  it('ends where the peer says more at once than any provider does', async () => {
    peer.send('x'.repeat(4 * 1024 * 1024));
    peer.send('x'.repeat(4 * 1024 * 1024 + 1));
    await expect.poll(() => ends).toMatchObject([{ opened: true, closeCode: 1006 }]);
    expect(texts.map(({ length }) => length)).toEqual([4 * 1024 * 1024]);
  });

  it('is not waited for when we have closed it', () => {
    socket.probe(clock);
    socket.close();
    expect(clock.pending).toBe(0);
    socket.probe(clock);
    expect(clock.pending).toBe(0);
  });
});

describe('a provider connection that no request can ask for', () => {
  it.each([
    ['a key', 'ws://127.0.0.1:1/', 'key\n2'],
    ['a key', 'ws://127.0.0.1:1/', 'key\u200b'],
    ['an address', 'ws://127.0.0.1:1/#top', 'key'],
  ])('for %s ends as a bad request, after it was created', async (_, url, key) => {
    const ends: ConnectionEnd[] = [];
    const events = { onOpen() {}, onText() {}, onEnd: (end: ConnectionEnd) => ends.push(end) };
    const socket = new ProviderSocket({ url: new URL(url), headers: { Authorization: key }, events });
    expect(ends).toEqual([]);
    expect([socket.open, socket.buffered]).toEqual([false, 0]);
    await expect.poll(() => ends).toMatchObject([{ opened: false }]);
    socket.close();
    expect(connectionError('tts', 'cartesia', ends[0]!)).toMatchObject({
      code: 'tts_bad_request',
      retryable: false,
    });
  });

  it('ends silently when we end it first', async () => {
    const ends: ConnectionEnd[] = [];
    const events = { onOpen() {}, onText() {}, onEnd: (end: ConnectionEnd) => ends.push(end) };
    new ProviderSocket({ url: new URL('ws://127.0.0.1:1/#top'), events }).close();
    await Promise.resolve();
    expect(ends).toEqual([]);
  });
});

describe('a provider connection that ended', () => {
  it.each([
    [{ opened: false, status: 401, reason: '' }, 'stt_unauthorized', false],
    [{ opened: false, status: 402, reason: '' }, 'stt_unauthorized', false],
    [{ opened: false, status: 400, reason: '' }, 'stt_bad_request', false],
    [{ opened: false, status: 404, reason: '' }, 'stt_bad_request', false],
    [{ opened: false, status: 429, reason: '' }, 'stt_rate_limited', true],
    [{ opened: false, status: 503, reason: '' }, 'stt_unavailable', true],
    [{ opened: false, closeCode: 1006, reason: '' }, 'stt_unavailable', true],
    [{ opened: true, closeCode: 1006, reason: '' }, 'stt_disconnected', true],
    [{ opened: true, closeCode: 1011, reason: 'NET-0001' }, 'stt_disconnected', true],
    [{ opened: true, closeCode: 1008, reason: 'policy' }, 'stt_bad_request', false],
  ])('by %o is the error %s', (end, code, retryable) => {
    expect(connectionError('stt', 'deepgram', end)).toMatchObject({ code, retryable, provider: 'deepgram' });
  });
});

describe('the address of a provider', () => {
  it('may be given as http or ws, with or without a path', () => {
    expect(webSocketUrl('https://api.example.com', '/v1/listen').href).toBe(
      'wss://api.example.com/v1/listen',
    );
    expect(webSocketUrl('ws://127.0.0.1:80/', '/v1/listen').href).toBe('ws://127.0.0.1/v1/listen');
    expect(webSocketUrl('http://proxy/deepgram', '/v1/listen').href).toBe('ws://proxy/deepgram/v1/listen');
  });
});
