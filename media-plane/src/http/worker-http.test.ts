import { App, type us_listen_socket, us_listen_socket_close, us_socket_local_port } from 'uWebSockets.js';
import { systemClock } from '@voice/shared/clock/clock';
import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import type { CallPlan } from '@voice/shared/contracts/call-plan';
import { reservation } from '@voice/shared/contracts/call-plan';
import type { CallCommand } from '@voice/shared/contracts/worker';
import { newId } from '@voice/shared/ids/ids';
import { interPlaneAuthorization } from '@voice/shared/inter-plane/token';
import { silentLog } from '@voice/shared/log/log';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import type { Call } from '../call/call.js';
import { CallRegistry } from '../call/registry.js';
import type { MediaStreamEvent, MediaStreamSink } from '../carriers/port.js';
import { TwilioMediaStreamCodec } from '../carriers/twilio/media-stream-codec.js';
import { testCallPlan } from '../testing/call-plan.js';
import { addControlRoutes } from './control-routes.js';
import { addMediaStreams } from './media-streams.js';

const secret = 'a secret of the two planes';

/** Stands where the call's conversation would be: notes what reaches it. */
class NotedCall {
  readonly media: MediaStreamEvent[] = [];
  readonly commands: CallCommand[] = [];
  closed = false;
  constructor(
    readonly id: string,
    readonly sink: MediaStreamSink,
  ) {}
  onMedia(event: MediaStreamEvent): void {
    this.media.push(event.type === 'audio' ? { ...event, frame: event.frame.slice() } : event);
  }
  onStreamClosed(): void {
    this.closed = true;
  }
  command(command: CallCommand): boolean {
    this.commands.push(command);
    return true;
  }
  end(): void {}
}

describe("the worker's server", () => {
  let base: string;
  let listening: us_listen_socket;
  let registry: CallRegistry;
  let calls: NotedCall[];
  let unknownProvider: boolean;

  beforeEach(async () => {
    calls = [];
    unknownProvider = false;
    registry = new CallRegistry({ capacity: 1, clock: new ScriptedClock(Date.now()), onExpired: () => {} });
    const app = App();
    addControlRoutes(app, {
      registry,
      workerId: 'w1',
      secret,
      clock: systemClock,
      mediaUrl: () => base.replace('http', 'ws'),
      checkPlan: () => {
        if (unknownProvider) throw new Error('a bug');
      },
      onError: () => {},
    });
    addMediaStreams(app, {
      path: '/streams/twilio',
      createCodec: () => new TwilioMediaStreamCodec(),
      clock: systemClock,
      log: silentLog,
      claim: (callId, token) => registry.claim(callId, token),
      startCall: (plan, _, sink) => {
        const call = new NotedCall(plan.call_id, sink);
        calls.push(call);
        registry.add(call as unknown as Call);
        return call as unknown as Call;
      },
    });
    listening = await new Promise((resolve) => {
      app.listen('127.0.0.1', 0, (socket) => {
        if (socket) resolve(socket);
      });
    });
    base = `http://127.0.0.1:${us_socket_local_port(listening)}`;
  });
  afterEach(() => us_listen_socket_close(listening));

  async function send(method: string, path: string, body?: unknown, authorization?: string) {
    const response = await fetch(base + path, {
      method,
      headers: {
        authorization: authorization ?? interPlaneAuthorization({ secret, method, path, now: Date.now() }),
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      body: text === '' ? undefined : (JSON.parse(text) as { code?: string; status?: string }),
    };
  }

  async function openStream(plan: CallPlan, token: string) {
    const socket = new WebSocket(`${base.replace('http', 'ws')}/streams/twilio`);
    const received: Record<string, unknown>[] = [];
    const closed = new Promise<number>((resolve) => socket.on('close', resolve));
    socket.on('message', (data) => received.push(JSON.parse(String(data)) as Record<string, unknown>));
    await new Promise((resolve) => socket.once('open', resolve));
    socket.send('{"event":"connected","protocol":"Call","version":"1.0.0"}');
    socket.send(
      JSON.stringify({
        event: 'start',
        sequenceNumber: '1',
        streamSid: 'MZ1',
        start: {
          streamSid: 'MZ1',
          callSid: 'CA1',
          tracks: ['inbound'],
          mediaFormat: { encoding: 'audio/x-mulaw', sampleRate: 8000, channels: 1 },
          customParameters: { call_id: plan.call_id, token },
        },
      }),
    );
    return { socket, received, closed };
  }

  async function reserve(plan: CallPlan) {
    const answer = await send('POST', '/control/calls', plan);
    return { ...answer, reservation: reservation.parse(answer.body) };
  }

  it('reserves a place and connects the media stream that carries the token', async () => {
    const plan = testCallPlan();
    const { status, reservation: reserved } = await reserve(plan);
    expect(status).toBe(201);
    expect(reserved).toMatchObject({
      call_id: plan.call_id,
      worker_id: 'w1',
      stream_url: `${base.replace('http', 'ws')}/streams/twilio`,
    });

    const { socket, received } = await openStream(plan, reserved.stream_token);
    const payload = Buffer.alloc(160, 0x7f).toString('base64');
    socket.send(JSON.stringify({ event: 'media', media: { track: 'inbound', timestamp: '0', payload } }));
    await vi.waitFor(() =>
      expect(calls[0]?.media).toEqual([
        { type: 'audio', timestampMs: 0, frame: new Uint8Array(160).fill(0x7f) },
      ]),
    );

    calls[0]!.sink.sendAudio(new Uint8Array(160).fill(1));
    calls[0]!.sink.sendMark('m1');
    calls[0]!.sink.clear();
    await vi.waitFor(() => expect(received.map(({ event }) => event)).toEqual(['media', 'mark', 'clear']));
    socket.close();
    await vi.waitFor(() => expect(calls[0]?.closed).toBe(true));
  });

  it('closes the stream when the call ends', async () => {
    const plan = testCallPlan();
    const { reservation: reserved } = await reserve(plan);
    const { closed } = await openStream(plan, reserved.stream_token);
    await vi.waitFor(() => expect(calls).toHaveLength(1));
    calls[0]!.sink.close();
    expect(await closed).toBe(1000);
    expect(calls[0]!.sink.sendAudio(new Uint8Array(160))).toBe(false);
  });

  it('refuses a stream without the right token, and one that does not speak the protocol', async () => {
    const plan = testCallPlan();
    await reserve(plan);
    expect(await (await openStream(plan, 'guess')).closed).toBe(1008);
    const socket = new WebSocket(`${base.replace('http', 'ws')}/streams/twilio`);
    await new Promise((resolve) => socket.once('open', resolve));
    socket.send('hello');
    expect(await new Promise((resolve) => socket.on('close', resolve))).toBe(1008);
    expect(calls).toHaveLength(0);
    expect(registry.reserved).toBe(1);
  });

  it('says 503 when it has no place left', async () => {
    await reserve(testCallPlan());
    expect(await send('POST', '/control/calls', testCallPlan())).toMatchObject({
      status: 503,
      body: { code: 'workers_at_capacity' },
    });
  });

  it('takes a reservation back', async () => {
    const plan = testCallPlan();
    await reserve(plan);
    expect((await send('DELETE', `/control/calls/${plan.call_id}`)).status).toBe(204);
    expect((await send('DELETE', `/control/calls/${plan.call_id}`)).status).toBe(404);
    expect(registry.reserved).toBe(0);
  });

  it('hands a command to its call once, however often it is sent', async () => {
    const plan = testCallPlan();
    const { reservation: reserved } = await reserve(plan);
    await openStream(plan, reserved.stream_token);
    await vi.waitFor(() => expect(calls).toHaveLength(1));
    const command = { command_id: newId(), command: { kind: 'whisper', text: 'Offer a discount.' } };
    const path = `/control/calls/${plan.call_id}/commands`;
    for (let i = 0; i < 2; i++)
      expect(await send('POST', path, command)).toEqual({ status: 202, body: { status: 'accepted' } });
    expect(calls[0]!.commands).toHaveLength(1);
    registry.remove(plan.call_id);
    expect(await send('POST', path, command)).toEqual({ status: 202, body: { status: 'already_ended' } });
  });

  it('gives a reserved place back when the call is hung up before its stream', async () => {
    const plan = testCallPlan();
    await reserve(plan);
    const command = { command_id: newId(), command: { kind: 'hang_up' } };
    expect((await send('POST', `/control/calls/${plan.call_id}/commands`, command)).status).toBe(202);
    expect(registry.reserved).toBe(0);
  });

  it('does not know calls that it never had', async () => {
    const command = { command_id: newId(), command: { kind: 'hang_up' } };
    expect(await send('POST', `/control/calls/${newId()}/commands`, command)).toMatchObject({
      status: 404,
      body: { code: 'call_not_found' },
    });
  });

  it.each([
    ['none', ''],
    [
      "another request's",
      interPlaneAuthorization({ secret, method: 'POST', path: '/control/other', now: Date.now() }),
    ],
    [
      'an expired one',
      interPlaneAuthorization({ secret, method: 'POST', path: '/control/calls', now: Date.now() - 120_000 }),
    ],
    [
      'one of another secret',
      interPlaneAuthorization({ secret: 'x', method: 'POST', path: '/control/calls', now: Date.now() }),
    ],
  ])('refuses a request whose token is %s', async (_, authorization) => {
    expect(await send('POST', '/control/calls', testCallPlan(), authorization)).toMatchObject({
      status: 401,
    });
    expect(registry.reserved).toBe(0);
  });

  it('names what is wrong with a plan, and hides what is wrong with itself', async () => {
    expect(await send('POST', '/control/calls', '{')).toMatchObject({
      status: 400,
      body: { code: 'malformed_json' },
    });
    expect(await send('POST', '/control/calls', { ...testCallPlan(), to_number: '5' })).toMatchObject({
      status: 422,
      body: { detail: expect.stringMatching(/to_number/) },
    });
    unknownProvider = true;
    expect(await send('POST', '/control/calls', testCallPlan())).toMatchObject({
      status: 500,
      body: { code: 'internal_error' },
    });
  });
});
