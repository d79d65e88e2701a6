import { App, type us_listen_socket, us_listen_socket_close, us_socket_local_port } from 'uWebSockets.js';
import { PCMU_8K } from '@voice/shared/audio/format';
import { systemClock } from '@voice/shared/clock/clock';
import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import type { CallEvent } from '@voice/shared/contracts/call-events';
import { newId } from '@voice/shared/ids/ids';
import { InterPlaneVerifier } from '@voice/shared/inter-plane/request-verifier';
import { interPlaneAuthorization } from '@voice/shared/inter-plane/token';
import { silentLog } from '@voice/shared/log/log';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { LiveTaps } from '../call/live/live-taps.js';
import { addLiveRoutes } from './live-routes.js';

const secret = 'a secret of the two planes';
let app: ReturnType<typeof App>;
let listening: us_listen_socket;
let taps: LiveTaps;
let time: ScriptedClock;
let held: Set<string>;
let pending: CallEvent[];
let base: string;

beforeEach(async () => {
  held = new Set();
  pending = [];
  time = new ScriptedClock();
  taps = new LiveTaps({ clock: time, holds: (callId) => held.has(callId) });
  app = App();
  addLiveRoutes(app, {
    tap: (callId) => taps.find(callId),
    pending: () => pending,
    verifier: new InterPlaneVerifier({ secret, clock: systemClock }),
    log: silentLog,
  });
  listening = await new Promise((resolve) => app.listen(0, (socket) => resolve(socket as us_listen_socket)));
  base = `ws://127.0.0.1:${us_socket_local_port(listening)}`;
});
afterEach(() => {
  taps.closeAll();
  us_listen_socket_close(listening);
  app.close();
});

function heldCall(): string {
  const callId = newId();
  held.add(callId);
  return callId;
}

async function connect(path: string, signedFor = path) {
  const authorization = interPlaneAuthorization({ secret, method: 'GET', path: signedFor, now: Date.now() });
  const socket = new WebSocket(base + path, { headers: { authorization } });
  const texts: unknown[] = [];
  const audio: Buffer[] = [];
  socket.on('message', (data: Buffer, isBinary) => {
    if (isBinary) audio.push(data);
    else texts.push(JSON.parse(data.toString('utf8')));
  });
  const closing = new Promise<number>((resolve) => socket.on('close', resolve));
  await new Promise<void>((resolve, reject) => {
    socket.on('unexpected-response', (_request, { statusCode }) => reject(new Error(String(statusCode))));
    socket.on('error', reject);
    socket.on('open', () => resolve());
  });
  return { socket, texts, audio, closing };
}

const turn = (seq: number): CallEvent => ({
  call_id: newId(),
  seq,
  at: 0,
  kind: 'notice',
  code: 'a_notice',
  message: `number ${seq}`,
});
const live = (seq: number) => ({ type: 'notice', code: 'a_notice', message: `number ${seq}`, seq });

describe('GET /control/calls/:id/live', () => {
  it('is for who signs for this very call and query', async () => {
    const path = `/control/calls/${heldCall()}/live`;
    await expect(connect(path, '/control/calls')).rejects.toThrow('401');
    await expect(connect(`${path}?after_seq=1`, path)).rejects.toThrow('401');
    await expect(connect(`/control/calls/${newId()}/live`)).rejects.toThrow('404');
    await expect(connect(`${path}?after_seq=x`)).rejects.toThrow('422');
  });

  it('begins with what is not accepted yet, after the number that it names, and goes on live', async () => {
    const callId = heldCall();
    pending = [turn(3), turn(4), turn(5)];
    const { texts, closing } = await connect(`/control/calls/${callId}/live?after_seq=3`);
    await expect.poll(() => texts).toEqual([live(4), live(5)]);
    const tap = taps.open(callId);
    tap.start(PCMU_8K);
    tap.publish({ type: 'state', state: 'thinking', at_ms: 5 });
    await expect.poll(() => texts[2]).toEqual({ type: 'state', state: 'thinking', at_ms: 5 });
    taps.close(callId);
    expect(await closing).toBe(1000);
  });

  it('lets those go who waited for a reserved call that never began', async () => {
    const callId = heldCall();
    const { closing } = await connect(`/control/calls/${callId}/live`);
    held.delete(callId);
    time.advance(1000);
    expect(await closing).toBe(1000);
  });

  it('takes nothing from its readers', async () => {
    const { socket, closing } = await connect(`/control/calls/${heldCall()}/live`);
    socket.send('hello');
    expect(await closing).toBe(1008);
  });

  it('drops a reader that does not read, and goes on for the others', async () => {
    const callId = heldCall();
    const slow = await connect(`/control/calls/${callId}/live`);
    const quick = await connect(`/control/calls/${callId}/live`);
    slow.socket.pause();
    const tap = taps.open(callId);
    await expect.poll(() => tap.followers).toBe(2);
    const text = 'x'.repeat(64_000);
    let sent = 0;
    // The sockets' own buffers hold megabytes before anything waits here.
    while (tap.followers === 2 && sent < 1000) {
      tap.publish({ type: 'notice', code: 'long', message: text, seq: ++sent });
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(tap.followers).toBe(1);
    await expect.poll(() => quick.texts).toHaveLength(sent);
    slow.socket.terminate();
  });
});

describe('GET /control/calls/:id/listen', () => {
  it('sends the format, then the audio of both sides', async () => {
    const callId = heldCall();
    const { texts, audio, closing } = await connect(`/control/calls/${callId}/listen?channels=stereo`);
    const tap = taps.open(callId);
    await expect.poll(() => tap.listeners).toBe(1);
    tap.start(PCMU_8K);
    for (let at = 0; at < 200; at += 20) tap.callerAudio(new Uint8Array(160).fill(0x80), at);
    await expect.poll(() => Buffer.concat(audio)).toHaveLength(3 * 40 * 8 * 4);
    expect(texts).toEqual([{ type: 'format', encoding: 'l16', sample_rate: 8000, channels: 2 }]);
    expect(Math.abs(audio[0]!.readInt16LE(0))).toBeGreaterThan(30_000);
    expect(audio[0]!.readInt16LE(2)).toBe(0);
    taps.close(callId);
    expect(await closing).toBe(1000);
  });

  it('refuses channels that there are not, and whatever is sent', async () => {
    const path = `/control/calls/${heldCall()}/listen`;
    await expect(connect(`${path}?channels=left`)).rejects.toThrow('422');
    const { socket, closing } = await connect(path);
    socket.send(Buffer.alloc(160));
    expect(await closing).toBe(1008);
  });

  it('drops a listener that does not read, while the call goes on', async () => {
    const callId = heldCall();
    const slow = await connect(`/control/calls/${callId}/listen`);
    const tap = taps.open(callId);
    tap.start(PCMU_8K);
    await expect.poll(() => tap.listeners).toBe(1);
    slow.socket.pause();
    const frame = new Uint8Array(160);
    let at = 0;
    for (; tap.isListenedTo && at < 20 * 100_000; at += 20) {
      tap.callerAudio(frame, at);
      if (at % 2000 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    expect(tap.isListenedTo).toBe(false);
    slow.socket.terminate();
  });
});
