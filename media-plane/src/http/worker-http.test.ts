import { App, type us_listen_socket, us_listen_socket_close, us_socket_local_port } from 'uWebSockets.js';
import { gzipSync } from 'node:zlib';
import { systemClock } from '@voice/shared/clock/clock';
import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import type { CallUsage } from '@voice/shared/contracts/call-events';
import type { CallPlan } from '@voice/shared/contracts/call-plan';
import { reservation } from '@voice/shared/contracts/call-plan';
import { explainedCall, MOST_LOG_BYTES } from '@voice/shared/contracts/decisions';
import type { CallCommand } from '@voice/shared/contracts/worker';
import { newId } from '@voice/shared/ids/ids';
import { InterPlaneVerifier } from '@voice/shared/inter-plane/request-verifier';
import { interPlaneAuthorization } from '@voice/shared/inter-plane/token';
import { silentLog } from '@voice/shared/log/log';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { Call } from '../call/call.js';
import { noUsage } from '../call/no-usage.js';
import { CallRegistry } from '../call/registry.js';
import { ScriptedCall } from '../call/turn-taking/testing/scripted-call.js';
import { carrierStreams } from '../lines/carrier-line.js';
import type { MediaLine } from '../lines/port.js';
import { addStreams } from '../lines/stream-server.js';
import { NotedLine } from '../lines/testing/noted-line.js';
import { TwilioMediaStreamCodec } from '../lines/twilio/media-stream-codec.js';
import { UnstartedStreams } from '../lines/unstarted-streams.js';
import { testCallPlan } from '../testing/call-plan.js';
import { addControlRoutes } from './control-routes.js';
import { addExplainRoute } from './explain-route.js';

const secret = 'a secret of the two planes';

/** Stands where the call would be: notes what reaches it. */
class NotedCall extends NotedLine {
  readonly commands: CallCommand[] = [];
  constructor(
    readonly id: string,
    line: MediaLine,
  ) {
    super(line);
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
  let capacity: number;
  let calls: NotedCall[];
  let unknownProvider: boolean;
  let notes: string[];
  let used: Map<string, CallUsage>;

  beforeEach(async () => {
    calls = [];
    unknownProvider = false;
    notes = [];
    used = new Map();
    capacity = 1;
    registry = new CallRegistry({
      get capacity() {
        return capacity;
      },
      clock: new ScriptedClock(Date.now()),
      onExpired: () => {},
    });
    const app = App();
    addControlRoutes(app, {
      registry,
      workerId: 'w1',
      verifier: new InterPlaneVerifier({ secret, clock: systemClock }),
      mediaUrl: () => base.replace('http', 'ws'),
      keepNote: (callId, text) => {
        if (registry.holds(callId)) notes.push(text);
        return registry.holds(callId);
      },
      usageOf: (callId) => used.get(callId),
      prepare: () => {
        if (unknownProvider) throw new Error('a bug');
      },
      onError: () => {},
    });
    addExplainRoute(app, {
      verifier: new InterPlaneVerifier({ secret, clock: systemClock }),
      onError: () => {},
    });
    const admission = {
      claim: (callId: string, token: string) => registry.claim(callId, token),
      startCall: (plan: CallPlan, line: MediaLine) => {
        const call = new NotedCall(plan.call_id, line);
        calls.push(call);
        registry.add(call as unknown as Call);
      },
    };
    const lines = { admission, clock: systemClock, log: silentLog, unstarted: new UnstartedStreams() };
    const protocol = carrierStreams('/streams/twilio', () => new TwilioMediaStreamCodec(), lines);
    addStreams(app, protocol, silentLog);
    listening = await new Promise((resolve) => {
      app.listen('127.0.0.1', 0, (socket) => {
        if (socket) resolve(socket);
      });
    });
    base = `http://127.0.0.1:${us_socket_local_port(listening)}`;
  });
  afterEach(() => us_listen_socket_close(listening));

  async function send(method: string, path: string, value?: unknown, authorization?: string) {
    const isRaw = value === undefined || typeof value === 'string' || value instanceof Uint8Array;
    const body = isRaw ? value : JSON.stringify(value);
    const response = await fetch(base + path, {
      method,
      headers: {
        authorization:
          authorization ?? interPlaneAuthorization({ secret, method, path, body, now: Date.now() }),
        // The server closes idle connections after 10 s, which a busy machine lets pass between two requests.
        connection: 'close',
      },
      ...(body === undefined ? {} : { body }),
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

  it('gives 50 places to 1,000 dispatches at once, each to one call, and no place twice', async () => {
    capacity = 50;
    const plans = Array.from({ length: 1000 }, () => testCallPlan());
    const answers = await Promise.all(plans.map((plan) => send('POST', '/control/calls', plan)));
    const placed = plans.filter((_plan, n) => answers[n]!.status === 201).map(({ call_id }) => call_id);
    expect(placed).toHaveLength(50);
    expect(new Set(registry.callIds())).toEqual(new Set(placed));
    expect(new Set(answers.filter(({ status }) => status !== 201).map(({ body }) => body?.code))).toEqual(
      new Set(['workers_at_capacity']),
    );
    // A place that is given back is one more, and no more.
    expect((await send('DELETE', `/control/calls/${placed[0]}`)).status).toBeLessThan(300);
    const again = await Promise.all(
      plans.slice(0, 100).map(() => send('POST', '/control/calls', testCallPlan())),
    );
    expect(again.filter(({ status }) => status === 201)).toHaveLength(1);
  });

  it('explains a decision log, and refuses one that it cannot read or that is too long', async () => {
    const call = new ScriptedCall({ options: { firstMessage: 'Hello, how can I help?' } })
      .start()
      .untilQuiet();
    const log = [{ options: call.options }, ...call.log].map((line) => JSON.stringify(line)).join('\n');
    const explain = (text: string) => send('POST', '/control/decisions', gzipSync(text));
    const { status, body } = await explain(log);
    expect([status, explainedCall.parse(body)]).toMatchObject([
      200,
      { steps: call.log.length, different: 0, decisions: [{ rule: 'opening' }, { rule: 'answer_heard' }] },
    ]);
    const unreadable = { status: 422, body: { code: 'decision_log_unreadable' } };
    expect(await explain('nonsense')).toMatchObject(unreadable);
    expect(await explain(' '.repeat(MOST_LOG_BYTES + 1))).toMatchObject(unreadable);
    expect(await send('POST', '/control/decisions', 'not compressed')).toMatchObject(unreadable);
    expect((await send('POST', '/control/decisions', gzipSync(log), 'Bearer x')).status).toBe(401);
  });

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
    await expect
      .poll(() => calls[0]?.audio)
      .toEqual([{ positionMs: 0, frame: new Uint8Array(160).fill(0x7f) }]);

    calls[0]!.line.sendAudio(new Uint8Array(160).fill(1));
    calls[0]!.line.sendMark('m1');
    calls[0]!.line.clear();
    await expect.poll(() => received.map(({ event }) => event)).toEqual(['media', 'mark', 'clear']);
    socket.close();
    await expect.poll(() => calls[0]?.closed).toBe(true);
  });

  it('says which calls it holds, reserved ones too, to the control plane alone', async () => {
    const plan = testCallPlan();
    await reserve(plan);
    expect(await send('GET', '/control/calls')).toMatchObject({
      status: 200,
      body: { worker_id: 'w1', calls: [plan.call_id] },
    });
    expect((await send('GET', '/control/calls', undefined, 'Bearer nobody')).status).toBe(401);
  });

  it('closes the stream when the call ends', async () => {
    const plan = testCallPlan();
    const { reservation: reserved } = await reserve(plan);
    const { closed } = await openStream(plan, reserved.stream_token);
    await expect.poll(() => calls).toHaveLength(1);
    calls[0]!.line.close();
    expect(await closed).toBe(1000);
    expect(calls[0]!.line.sendAudio(new Uint8Array(160))).toBe(false);
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

  it('says what preparing a call used that is given back, as often as it is asked', async () => {
    const plan = testCallPlan();
    await reserve(plan);
    const usage = { ...noUsage(plan), tts: { provider: 'elevenlabs', model: '', characters: 24 } };
    used.set(plan.call_id, usage);
    for (let asked = 0; asked < 2; asked++) {
      const answer = await send('DELETE', `/control/calls/${plan.call_id}`);
      expect(answer).toEqual({ status: 200, body: { usage } });
    }
    expect(registry.reserved).toBe(0);
  });

  it('hands a command to its call once, however often it is sent', async () => {
    const plan = testCallPlan();
    const { reservation: reserved } = await reserve(plan);
    await openStream(plan, reserved.stream_token);
    await expect.poll(() => calls).toHaveLength(1);
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

  it("keeps an operator's note for a call whose stream is still to come, once", async () => {
    const plan = testCallPlan();
    await reserve(plan);
    const command = { command_id: newId(), command: { kind: 'whisper', text: 'Be brief.' } };
    const path = `/control/calls/${plan.call_id}/commands`;
    for (let i = 0; i < 2; i++) expect((await send('POST', path, command)).status).toBe(202);
    expect(notes).toEqual(['Be brief.']);
    const another = { ...command, command_id: newId() };
    expect((await send('POST', `/control/calls/${newId()}/commands`, another)).status).toBe(404);
  });

  it('does not know calls that it never had', async () => {
    const command = { command_id: newId(), command: { kind: 'hang_up' } };
    expect(await send('POST', `/control/calls/${newId()}/commands`, command)).toMatchObject({
      status: 404,
      body: { code: 'call_not_found' },
    });
  });

  it.each([
    ['none', undefined],
    ["another request's", { path: '/control/other' }],
    ["another body's", { body: JSON.stringify(testCallPlan({ call_id: newId() })) }],
    ['an expired one', { now: Date.now() - 120_000 }],
    ['one of another secret', { secret: 'x' }],
  ])('refuses a request whose token is %s', async (_, change) => {
    const plan = testCallPlan();
    const right = { secret, method: 'POST', path: '/control/calls', body: JSON.stringify(plan) };
    const authorization =
      change === undefined ? '' : interPlaneAuthorization({ ...right, now: Date.now(), ...change });
    expect(await send('POST', '/control/calls', plan, authorization)).toMatchObject({ status: 401 });
    expect(registry.reserved).toBe(0);
  });

  it('refuses a request that was taken before, also when its place is free again', async () => {
    const plan = testCallPlan();
    const right = { secret, method: 'POST', path: '/control/calls', body: JSON.stringify(plan) };
    const authorization = interPlaneAuthorization({ ...right, now: Date.now() });
    expect((await send('POST', '/control/calls', plan, authorization)).status).toBe(201);
    registry.release(plan.call_id);
    expect(await send('POST', '/control/calls', plan, authorization)).toMatchObject({
      status: 401,
      body: { code: 'invalid_inter_plane_token' },
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
