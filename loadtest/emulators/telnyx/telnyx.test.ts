import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Clock, systemClock } from '@voice/shared/clock/clock';
import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { beforeEach, describe, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import type { EmulatedCall } from './emulated-call.js';
import type { Phone } from './phone.js';
import { FRAME_BYTES, PlayOut } from './play-out.js';
import { startTelnyxEmulator, type TelnyxEmulator } from './server.js';

const OURS = '+16465550100';
const SILENCE = new Uint8Array(FRAME_BYTES).fill(0xff);
const phone = (pickup: Phone['pickup']): Phone => ({
  pickup,
  ringMs: 10,
  answeredBy: 'human',
  talk: () => ({ step: () => ({ frame: SILENCE, beeped: false, hangsUp: false }), close: () => {} }),
});
const PHONES: Readonly<Record<string, Phone>> = {
  '+16465550180': phone('answers'),
  '+16465550181': phone('user_busy'),
  '+16465550182': phone('answers'),
};
const [ANSWERS, BUSY, HUMAN] = Object.keys(PHONES) as [string, string, string];

let telnyx: TelnyxEmulator;
let webhookUrl: string;
let received: {
  id: string;
  event_type: string;
  payload: { call_control_id: string; hangup_cause?: string };
}[];

async function startEmulator(clock: Clock): Promise<void> {
  telnyx = await startTelnyxEmulator({
    apiKey: 'key',
    connectionId: '42',
    phones: (number) => PHONES[number],
    clock,
  });
  telnyx.webhooks.url = webhookUrl;
}

// One for each test: what a test's calls still report must not be counted as another's.
beforeEach(async () => {
  const own: typeof received = [];
  received = own;
  const sink = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    own.push((JSON.parse(body) as { data: (typeof received)[number] }).data);
    response.writeHead(200).end();
  }).listen(0, '127.0.0.1');
  await once(sink, 'listening');
  webhookUrl = `http://127.0.0.1:${(sink.address() as AddressInfo).port}`;
  await startEmulator(systemClock);
  return async () => {
    await telnyx.close();
    sink.close();
  };
});

async function post(path: string, body: object, key = 'key'): Promise<[status: number, code?: string]> {
  const response = await fetch(`${telnyx.url}/v2${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const json = (await response.json()) as { errors?: { code: string }[] };
  return json.errors ? [response.status, json.errors[0]!.code] : [response.status];
}
const command = ({ id }: EmulatedCall, action: string, body: object = {}) =>
  post(`/calls/${encodeURIComponent(id)}/actions/${action}`, body);

async function dial(to: string, more: object = {}): Promise<EmulatedCall> {
  expect(await post('/calls', { connection_id: '42', to, from: OURS, ...more })).toEqual([200]);
  return telnyx.calls.all.at(-1)!;
}
const until = async (call: EmulatedCall, state: EmulatedCall['state']) =>
  expect.poll(() => call.state).toBe(state);
const eventsOf = (call: EmulatedCall) =>
  received.filter(({ payload }) => payload.call_control_id === call.id).map(({ event_type: type }) => type);

describe('a call that is dialed', () => {
  it('rings, is answered and ended, with an event for each', async () => {
    const call = await dial(ANSWERS);
    await until(call, 'answered');
    expect(await command(call, 'hangup')).toEqual([200]);
    await expect.poll(() => eventsOf(call)).toEqual(['call.initiated', 'call.answered', 'call.hangup']);
  });

  it.each([
    [BUSY, 'user_busy'],
    ['+16465550199', 'unallocated_number'],
  ])('to %s ends with %s', async (to, cause) => {
    const call = await dial(to);
    await expect
      .poll(() => received.at(-1))
      .toMatchObject({ event_type: 'call.hangup', payload: { hangup_cause: cause } });
    expect(call.state).toBe('ended');
  });

  it.each([
    ['without a right key', { to: ANSWERS, from: OURS }, 'wrong', 401],
    ['of another connection', { connection_id: '7', to: ANSWERS, from: OURS }, 'key', 422],
    ['to what is no number', { connection_id: '42', to: '555', from: OURS }, 'key', 422],
    [
      'with a field that it does not know',
      { connection_id: '42', to: ANSWERS, from: OURS, x: 1 },
      'key',
      422,
    ],
    [
      'with a state that is not base64',
      { connection_id: '42', to: ANSWERS, from: OURS, client_state: '{' },
      'key',
      422,
    ],
    [
      'with a ringing of a second',
      { connection_id: '42', to: ANSWERS, from: OURS, timeout_secs: 1 },
      'key',
      422,
    ],
    [
      'with a stream in a codec that is none',
      {
        connection_id: '42',
        to: ANSWERS,
        from: OURS,
        stream_url: 'ws://x',
        stream_bidirectional_mode: 'rtp',
        stream_bidirectional_codec: 'pcmu',
      },
      'key',
      422,
    ],
    [
      'with a stream at a rate that its codec does not have',
      {
        connection_id: '42',
        to: ANSWERS,
        from: OURS,
        stream_url: 'ws://x',
        stream_bidirectional_mode: 'rtp',
        stream_bidirectional_codec: 'PCMA',
        stream_bidirectional_sampling_rate: 16_000,
      },
      'key',
      422,
    ],
    [
      'with a stream that is none',
      { connection_id: '42', to: ANSWERS, from: OURS, stream_url: 'http://x' },
      'key',
      422,
    ],
  ])('%s is refused', async (_, body, key, status) => {
    const before = telnyx.calls.all.length;
    expect((await post('/calls', body, key))[0]).toBe(status);
    expect(telnyx.calls.all).toHaveLength(before);
  });

  it('twice with one command_id is one call', async () => {
    const first = await dial(ANSWERS, { command_id: 'one' });
    expect(await dial(ANSWERS, { command_id: 'one' })).toBe(first);
  });
});

describe('commands', () => {
  it('come in an order: nothing but an answer or the end for a call that rings', async () => {
    const call = await telnyx.calls.callIn(ANSWERS, OURS);
    const words = { payload: 'Hello.', voice: 'female', language: 'en-US' };
    expect(await command(call, 'speak', words)).toEqual([422, '90034']);
    expect(await command(call, 'transfer', { to: HUMAN })).toEqual([422, '90034']);
    expect(await command(call, 'answer')).toEqual([200]);
    expect(await command(call, 'answer')).toEqual([422, '10015']);
    expect(await command(call, 'speak', words)).toEqual([200]);
    await expect.poll(() => call.heard).toEqual(['Hello.']);
    expect(await command(call, 'hangup')).toEqual([200]);
    expect(await command(call, 'hangup')).toEqual([422, '90018']);
  });

  it('of an outgoing call do not include its answer, and none that does not exist', async () => {
    const call = await dial(ANSWERS);
    expect(await command(call, 'answer')).toEqual([422, '10015']);
    await until(call, 'answered');
    expect(await command(call, 'sing')).toEqual([404, '10005']);
    expect(await command(call, 'speak', { payload: '' })).toEqual([422, '10015']);
  });

  it('with a command_id that was seen are carried out once', async () => {
    const call = await dial(ANSWERS);
    await until(call, 'answered');
    const words = { payload: 'Once.', voice: 'female', language: 'en-US', command_id: 'words' };
    for (let i = 0; i < 2; i++) expect(await command(call, 'speak', words)).toEqual([200]);
    await expect.poll(() => call.heard).toEqual(['Once.']);
  });
});

describe('two calls', () => {
  it('that are bridged end together; what was being spoken is cut off', async () => {
    const [call, other] = [await dial(ANSWERS), await dial(HUMAN)];
    await until(call, 'answered');
    await until(other, 'answered');
    const words = { payload: 'A long briefing. '.repeat(20), voice: 'female', language: 'en-US' };
    await command(other, 'speak', words);
    expect(await command(other, 'bridge', { call_control_id: call.id })).toEqual([200]);
    await until(call, 'ended');
    await until(other, 'ended');
    expect(other.heard).toEqual([]);
    expect(eventsOf(call)).toContain('call.bridged');
    expect(eventsOf(other)).toContain('call.bridged');
  });

  it('are not bridged before both are answered', async () => {
    const call = await dial(ANSWERS);
    await until(call, 'answered');
    const ringing = await telnyx.calls.callIn(ANSWERS, OURS);
    expect(await command(call, 'bridge', { call_control_id: ringing.id })).toEqual([422, '90034']);
  });

  it('come of a transfer; one that nobody takes leaves the first as it is', async () => {
    const call = await dial(ANSWERS);
    await until(call, 'answered');
    const state = Buffer.from('whose').toString('base64');
    expect(await command(call, 'transfer', { to: BUSY, target_leg_client_state: state })).toEqual([200]);
    const leg = telnyx.calls.all.at(-1)!;
    expect(leg).toMatchObject({ transferOf: call, clientState: state });
    await until(leg, 'ended');
    expect(call.state).toBe('answered');
    const tooLong = { to: HUMAN, time_limit_secs: 14_401 };
    expect(await command(call, 'transfer', tooLong)).toEqual([422, '10015']);
    await command(call, 'transfer', { to: HUMAN, time_limit_secs: 14_400 });
    await expect.poll(() => call.bridgedWith?.to).toBe(HUMAN);
  });
});

describe('webhooks in disorder', () => {
  it('all arrive, each twice, and not in their order', async () => {
    // An event waits for its successor by this clock, in which no machine is too slow to bring it in time.
    const clock = new ScriptedClock();
    await telnyx.close();
    await startEmulator(clock);
    const after = <T>(ms: number, look: () => T): T => {
      clock.advance(ms);
      return look();
    };
    telnyx.webhooks.disordered = true;
    const call = await dial(ANSWERS);
    await expect.poll(() => after(1, () => call.state)).toBe('answered');
    await command(call, 'hangup');
    await expect.poll(() => after(100, () => eventsOf(call))).toHaveLength(6);
    const types = eventsOf(call);
    for (const type of ['call.initiated', 'call.answered', 'call.hangup']) {
      expect(types.filter((each) => each === type)).toHaveLength(2);
    }
    expect(new Set(received.map(({ id }) => id)).size).toBe(3);
    expect(types.indexOf('call.answered')).toBeLessThan(types.indexOf('call.initiated'));
  });
});

describe('a media stream', () => {
  it('is reported when it begins and ends, and when it cannot begin', async () => {
    const worker = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    await once(worker, 'listening');
    const open = `ws://127.0.0.1:${(worker.address() as AddressInfo).port}`;
    const terms = { stream_bidirectional_mode: 'rtp', stream_bidirectional_codec: 'PCMU' };
    const call = await dial(ANSWERS, { stream_url: open, ...terms });
    await expect.poll(() => eventsOf(call)).toContain('streaming.started');
    await command(call, 'hangup');
    await expect.poll(() => eventsOf(call)).toContain('streaming.stopped');
    worker.close();
    const lost = await dial(ANSWERS, { stream_url: 'ws://127.0.0.1:9', ...terms });
    await expect.poll(() => eventsOf(lost)).toContain('streaming.failed');
  });
});

describe('what the caller is yet to hear', () => {
  const audio = (frames: number) => Buffer.alloc(frames * FRAME_BYTES, 7);

  it('gives a mark back when all before it was played, and not sooner', () => {
    const out = new PlayOut();
    out.audio(audio(2));
    out.mark('two');
    out.audio(audio(1));
    out.mark('three');
    expect(out.play().marks).toEqual([]);
    expect(out.play()).toEqual({ frame: new Uint8Array(FRAME_BYTES).fill(7), marks: ['two'] });
    expect(out.play().marks).toEqual(['three']);
    expect(out.play().frame).toEqual(SILENCE);
  });

  it('is dropped when it is cleared, and its marks come back at once', () => {
    const out = new PlayOut();
    out.audio(audio(5));
    out.mark('unheard');
    expect(out.clear()).toEqual(['unheard']);
    expect(out.play()).toEqual({ frame: SILENCE, marks: [] });
  });
});
