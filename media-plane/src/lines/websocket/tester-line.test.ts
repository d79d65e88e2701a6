import { App, type us_listen_socket, us_listen_socket_close, us_socket_local_port } from 'uWebSockets.js';
import { systemClock } from '@voice/shared/clock/clock';
import { newId } from '@voice/shared/ids/ids';
import { signStreamTicket } from '@voice/shared/inter-plane/stream-ticket';
import { silentLog } from '@voice/shared/log/log';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { testCallPlan } from '../../testing/call-plan.js';
import { addStreams } from '../stream-server.js';
import { NotedLine } from '../testing/noted-line.js';
import { testerStreams } from './tester-streams.js';

const secret = 'a secret of the two planes';

describe("a tester's WebSocket", () => {
  let base: string;
  let app: ReturnType<typeof App>;
  let listening: us_listen_socket;
  let call: NotedLine | undefined;
  let places: Map<string, string>;

  beforeEach(async () => {
    call = undefined;
    places = new Map();
    app = App();
    const protocol = testerStreams({
      clock: systemClock,
      log: silentLog,
      secret,
      admission: {
        claim: (callId, token) =>
          places.get(callId) === token && places.delete(callId)
            ? testCallPlan({ call_id: callId })
            : undefined,
        startCall: (_plan, line) => {
          call = new NotedLine(line);
        },
      },
    });
    addStreams(app, protocol, silentLog);
    listening = await new Promise((resolve) =>
      app.listen(0, (socket) => resolve(socket as us_listen_socket)),
    );
    base = `ws://127.0.0.1:${us_socket_local_port(listening)}/streams/websocket`;
  });
  afterEach(() => {
    us_listen_socket_close(listening);
    app.close();
  });

  function ticket(changes: { token?: string; expiresAt?: number; secret?: string } = {}) {
    const callId = newId();
    places.set(callId, 'one-time');
    const { token = 'one-time', expiresAt = Date.now() + 5000 } = changes;
    return signStreamTicket(changes.secret ?? secret, { callId, streamToken: token, expiresAt });
  }

  interface Tester {
    readonly socket: WebSocket;
    readonly texts: Record<string, unknown>[];
    readonly audio: Buffer[];
    readonly closing: Promise<number>;
  }
  function connect(query: string): Promise<Tester> {
    const socket = new WebSocket(`${base}?${query}`);
    const texts: Record<string, unknown>[] = [];
    const audio: Buffer[] = [];
    socket.on('message', (data: Buffer, isBinary) => {
      if (isBinary) audio.push(data);
      else texts.push(JSON.parse(data.toString('utf8')) as Record<string, unknown>);
    });
    const closing = new Promise<number>((resolve) => socket.on('close', resolve));
    return new Promise((resolve, reject) => {
      socket.on('unexpected-response', (_request, response) =>
        reject(new Error(String(response.statusCode))),
      );
      socket.on('error', reject);
      socket.on('open', () => resolve({ socket, texts, audio, closing }));
    });
  }
  const frames = () => call?.audio ?? [];

  it('is opened by its signed ticket, once', async () => {
    const t = ticket();
    const { texts } = await connect(`t=${t}`);
    await expect
      .poll(() => texts[0])
      .toMatchObject({ type: 'started', encoding: 'mulaw', sample_rate: 8000 });
    const again = await connect(`t=${t}`);
    expect(await again.closing).toBe(1008);
  });

  it.each([
    ['without one', () => ''],
    ['with one that another secret signed', () => `t=${ticket({ secret: 'some other secret here' })}`],
    ['with one that has expired', () => `t=${ticket({ expiresAt: Date.now() - 1 })}`],
    ['with one that was changed', () => `t=${ticket().replace(/^./, (c) => (c === 'W' ? 'X' : 'W'))}`],
  ])('is refused %s', async (_, query) => {
    await expect(connect(query())).rejects.toThrow('401');
  });

  it('is refused with a format that there is not', async () => {
    await expect(connect(`t=${ticket()}&encoding=opus`)).rejects.toThrow('422');
    await expect(connect(`t=${ticket()}&encoding=mulaw&sample_rate=16000`)).rejects.toThrow('422');
  });

  it('carries audio of any length to the call as phone frames of 20 ms', async () => {
    const { socket } = await connect(`t=${ticket()}`);
    socket.send(Buffer.alloc(250, 0x21));
    socket.send(Buffer.alloc(70, 0x22));
    await expect.poll(() => frames()).toHaveLength(2);
    expect(frames().map(({ frame }) => frame.length)).toEqual([160, 160]);
    expect(frames()[1]!.positionMs - frames()[0]!.positionMs).toBeCloseTo(20);
    expect([...frames()[1]!.frame.slice(88, 92)]).toEqual([0x21, 0x21, 0x22, 0x22]);
  });

  it('takes and gives PCM at the rate of its query', async () => {
    const { socket, audio } = await connect(`t=${ticket()}&encoding=pcm16&sample_rate=16000`);
    for (let i = 0; i < 5; i++) socket.send(Buffer.alloc(640));
    await expect.poll(() => frames().length).toBeGreaterThanOrEqual(4);
    expect(call?.line.format).toEqual({ encoding: 'l16', sampleRate: 16_000 });
    for (let i = 0; i < 10; i++) expect(call?.line.sendAudio(new Uint8Array(640))).toBe(true);
    await expect.poll(() => Buffer.concat(audio).length).toBe(10 * 640);
  });

  it('carries marks, clears and keys, and ends the call when it says so', async () => {
    const { socket, texts, closing } = await connect(`t=${ticket()}`);
    call?.line.sendMark('turn-1');
    call?.line.clear();
    await expect.poll(() => texts.slice(1)).toEqual([{ type: 'mark', name: 'turn-1' }, { type: 'clear' }]);
    socket.send(JSON.stringify({ type: 'mark', name: 'turn-1' }));
    socket.send(JSON.stringify({ type: 'dtmf', digit: '5' }));
    await expect.poll(() => call?.events).toEqual(['mark turn-1', 'dtmf 5']);
    call?.line.close();
    expect(await closing).toBe(1000);
  });

  it('carries 48 kHz as a line of 24 kHz', async () => {
    const { socket, audio } = await connect(`t=${ticket()}&encoding=pcm16&sample_rate=48000`);
    await expect.poll(() => call).toBeDefined();
    expect(call?.line.format).toEqual({ encoding: 'l16', sampleRate: 24_000 });
    for (let i = 0; i < 5; i++) socket.send(Buffer.alloc(1920));
    await expect.poll(() => frames().length).toBeGreaterThanOrEqual(4);
    expect(frames()[0]!.frame).toHaveLength(960);
    for (let i = 0; i < 10; i++) call?.line.sendAudio(new Uint8Array(960));
    await expect.poll(() => Buffer.concat(audio).length).toBeGreaterThan(9 * 1920 - 600);
  });

  it('ends its call when it says stop, and is sent the last event', async () => {
    const { socket, texts, closing } = await connect(`t=${ticket()}`);
    await expect.poll(() => call).toBeDefined();
    const { line } = call!;
    // As a call does: its last event, then the line's end.
    call!.onClosed = () => {
      line.sendEvent?.({ type: 'ended', end_reason: 'caller_hangup', duration_ms: 20, seq: 3 });
      line.close();
    };
    socket.send(JSON.stringify({ type: 'stop' }));
    expect(await closing).toBe(1000);
    expect(texts.at(-1)).toMatchObject({ type: 'ended', end_reason: 'caller_hangup' });
  });

  it('goes on over another connection when its own broke, and misses no message', async () => {
    const first = await connect(`t=${ticket()}`);
    await expect.poll(() => first.texts).toHaveLength(1);
    const token = String(first.texts[0]!.resume_token);
    first.socket.terminate();
    await expect.poll(() => call?.events).toEqual(['interrupted']);
    expect(call?.line.sendAudio(new Uint8Array(160))).toBe(false);
    call?.line.sendMark('turn-1');
    const second = await connect(`resume=${token}`);
    await expect.poll(() => second.texts.slice(1)).toEqual([{ type: 'mark', name: 'turn-1' }]);
    expect(call?.events).toEqual(['interrupted', 'restored']);
    expect(call?.line.sendAudio(new Uint8Array(160))).toBe(true);
    await expect.poll(() => Buffer.concat(second.audio)).toHaveLength(160);
    await expect(connect('resume=guess')).rejects.toThrow('401');
  });

  it.each([
    ['a text that is not JSON', 'hello'],
    ['an unknown message', '{"type":"dance"}'],
    ['half a second too much audio', Buffer.alloc(12_000)],
  ])('is closed for %s', async (_, sent) => {
    const { socket, closing } = await connect(`t=${ticket()}`);
    socket.send(sent);
    expect(await closing).toBe(1008);
  });
});
