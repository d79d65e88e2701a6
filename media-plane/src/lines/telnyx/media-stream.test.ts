import { App, type us_listen_socket, us_listen_socket_close, us_socket_local_port } from 'uWebSockets.js';
import { systemClock } from '@voice/shared/clock/clock';
import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { newId } from '@voice/shared/ids/ids';
import { silentLog } from '@voice/shared/log/log';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MediaStream } from '../../../../loadtest/emulators/telnyx/media.js';
import { CallRegistry } from '../../call/registry.js';
import { testCallPlan } from '../../testing/call-plan.js';
import type { Admission } from '../admission.js';
import { carrierStreams } from '../carrier-line.js';
import { addStreams } from '../stream-server.js';
import { NotedLine } from '../testing/noted-line.js';
import { UnstartedStreams } from '../unstarted-streams.js';
import { TelnyxMediaStreamCodec } from './media-stream-codec.js';

const frame = (byte: number) => Buffer.alloc(160, byte);

describe("Telnyx's media stream at the worker", () => {
  let listening: us_listen_socket;
  let registry: CallRegistry;
  let url: string;
  let call: NotedLine | undefined;
  let stream: MediaStream | undefined;

  beforeEach(async () => {
    call = undefined;
    registry = new CallRegistry({ capacity: 1, clock: new ScriptedClock(Date.now()), onExpired: () => {} });
    const app = App();
    const admission: Admission = {
      claim: (callId, token) => registry.claim(callId, token),
      startCall: (_plan, line) => {
        call = new NotedLine(line);
      },
    };
    const lines = { admission, clock: systemClock, log: silentLog, unstarted: new UnstartedStreams() };
    const protocol = carrierStreams('/streams/telnyx', () => new TelnyxMediaStreamCodec(), lines);
    addStreams(app, protocol, silentLog);
    listening = await new Promise((resolve) => {
      app.listen('127.0.0.1', 0, (socket) => resolve(socket as us_listen_socket));
    });
    url = `ws://127.0.0.1:${us_socket_local_port(listening)}/streams/telnyx`;
  });
  afterEach(() => {
    stream?.stop();
    us_listen_socket_close(listening);
  });

  function open(token?: string, bidirectional = true): MediaStream {
    const plan = testCallPlan({ call_id: newId() });
    const given = registry.reserve(plan);
    const state = { call_id: plan.call_id, token: token ?? given };
    stream = new MediaStream({
      url,
      bidirectional,
      callControlId: 'v3:1',
      from: '+13125550100',
      to: '+13125550101',
      clientState: Buffer.from(JSON.stringify(state)).toString('base64'),
    });
    return stream;
  }

  it('starts its call by the token in the client state, and is heard in order', async () => {
    const telnyx = open();
    await expect.poll(() => call).toBeDefined();
    for (const chunk of [1, 3, 2, 2, 4, 6]) telnyx.say(chunk, frame(chunk));
    telnyx.stop();
    await expect.poll(() => call?.closed).toBe(true);
    expect(call?.audio.map(({ frame: heard, concealed }) => (concealed ? 'lost' : heard[0]))).toEqual([
      ...[1, 2, 3, 4],
      'lost',
      6,
    ]);
    expect(call?.events).toEqual(['closed']);
  });

  it('plays what it is sent, gives marks back and clears', async () => {
    const telnyx = open();
    await expect.poll(() => call).toBeDefined();
    call!.line.sendAudio(frame(7));
    call!.line.sendMark('m1');
    call!.line.clear();
    await expect.poll(() => telnyx.clears).toBe(1);
    expect(telnyx.played).toEqual([frame(7)]);
    expect(telnyx.errors).toEqual([]);
    await expect.poll(() => call?.events).toEqual(['mark m1']);
  });

  it('with a wrong token is closed', async () => {
    const telnyx = open('a wrong token');
    await telnyx.closed;
    expect(call).toBeUndefined();
  });
});
