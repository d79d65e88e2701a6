/** @replicas A stream at one replica of what another was sent. */

import { newId } from '@voice/shared/ids/ids';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { ended } from '../../calls/testing/events.js';
import { TestEventSource } from '../../testing/event-source.js';
import { eventually } from '../../testing/eventually.js';
import { LiveScene, type Owner, type TestListener } from './testing/live-scene.js';

let scene: LiveScene;
let owner: Owner;

beforeAll(async () => {
  scene = await LiveScene.start();
});
afterAll(() => scene?.close());
beforeEach(async () => {
  owner = await scene.owner();
});

const stereo = { type: 'format', encoding: 'l16', sample_rate: 8000, channels: 2 };
const listened = (callId: string) => eventually(() => scene.worker.live.listeners(callId) >= 1);

describe('GET /api/v1/calls/{id}/listen', () => {
  it('gets the format, then hears what the worker sends, and is closed with the call', async () => {
    const { worker, plane } = scene;
    const callId = await scene.liveCall(owner);
    const listener = await scene.listen(owner.key, callId, '?channels=stereo');
    await listened(callId);
    await eventually(() => listener.texts.length === 1);
    expect(listener.texts).toEqual([stereo]);
    worker.live.audio(callId, Buffer.alloc(1280, 7));
    await eventually(() => Buffer.concat(listener.audio).length === 1280);
    const late = await scene.listen(owner.key, callId, '?channels=stereo');
    await eventually(() => late.texts.length === 1);
    await worker.send(plane, worker.number(callId, [ended('caller_hangup', 100)]));
    expect(await listener.closing).toEqual({ code: 1000, reason: 'the call has ended' });
    expect((await late.closing).code).toBe(1000);
  });

  it('carries the headers of every answer, and counts against the rate limit', async () => {
    const callId = await scene.liveCall(owner);
    const authorization = `Bearer ${owner.key}`;
    const { socket, headers } = await scene.open(`${scene.plane.url}/api/v1/calls/${callId}/listen`, {
      authorization,
      'x-request-id': 'the-request-of-a-listener',
    });
    expect(headers()).toMatchObject({ 'x-request-id': 'the-request-of-a-listener' });
    expect(Number(headers()['x-ratelimit-remaining'])).toBeLessThan(Number(headers()['x-ratelimit-limit']));
    socket.close();
  });

  it('is for listening only', async () => {
    const { socket, closing } = await scene.listen(owner.key, await scene.liveCall(owner));
    socket.send('hello');
    expect(await closing).toMatchObject({ code: 1008 });
  });

  it('drops a listener that is slower than the call, with 1013, and goes on for the others', async () => {
    const { worker } = scene;
    const callId = await scene.liveCall(owner);
    const slow = await scene.listen(owner.key, callId);
    // On two replicas the other listener shares the slow one's at every second try.
    const quick = await Promise.all([scene.listen(owner.key, callId), scene.listen(owner.key, callId)]);
    await eventually(() => quick.every(({ texts }) => texts.length === 1) && slow.texts.length === 1);
    const chunk = Buffer.alloc(512_000, 1);
    const bytes = ({ audio }: TestListener) => audio.reduce((sum, { length }) => sum + length, 0);
    let sent = 0;
    const send = async (chunks: number) => {
      for (let n = 0; n < chunks; n++) {
        worker.live.audio(callId, chunk);
        sent += chunk.length;
        await eventually(() => quick.every((listener) => bytes(listener) === sent));
      }
    };
    // The operating system's own buffers hold 10 to 40 MB before anything waits at the replica, more with a load
    // balancer between: a listener that got all that was sent was not too slow yet, and is sent more.
    for (let chunks = 20; slow.socket.readyState === WebSocket.OPEN && chunks <= 320; chunks *= 2) {
      slow.socket.pause();
      await send(chunks);
      slow.socket.resume();
      await eventually(() => slow.socket.readyState === WebSocket.CLOSED || bytes(slow) === sent);
    }
    expect([1013, 1006]).toContain((await slow.closing).code);
    expect(bytes(slow)).toBeLessThan(sent);
    for (const { socket } of quick) socket.close();
  });

  it('is refused before it is opened: credentials, foreign calls, ended calls, unknown channels', async () => {
    const callId = await scene.liveCall(owner);
    const other = await scene.owner();
    await expect(scene.listen('sk_test_nobody', callId)).rejects.toThrow('401 invalid_api_key');
    await expect(scene.open(`${scene.plane.url}/api/v1/calls/${callId}/listen`)).rejects.toThrow('401');
    await expect(scene.listen(other.key, callId)).rejects.toThrow('404 call_not_found');
    await expect(scene.listen(owner.key, newId())).rejects.toThrow('404 call_not_found');
    await expect(scene.listen(owner.key, callId, '?channels=left')).rejects.toThrow('422 validation_error');
    await expect(scene.open(`${scene.plane.url}/nowhere`)).rejects.toThrow('404 not_found');
    await scene.worker.send(scene.plane, scene.worker.number(callId, [ended('caller_hangup', 100)]));
    await expect(scene.listen(owner.key, callId)).rejects.toThrow('409 call_not_active');
  });

  it('answers 426 to what is no WebSocket', async () => {
    const path = `/api/v1/calls/${await scene.liveCall(owner)}/listen`;
    const answer = await scene.plane.request('GET', path, { key: owner.key });
    expect([answer.status, answer.headers.get('upgrade')]).toEqual([426, 'websocket']);
    expect(answer.json).toMatchObject({ code: 'upgrade_required' });
  });
});

describe('POST /api/v1/calls/{id}/live-link', () => {
  interface Link {
    readonly live_url: string;
    readonly listen_url: string;
    readonly expires_at: string;
  }
  const linkTo = async (callId: string, { key } = owner) =>
    (await scene.plane.request('POST', `/api/v1/calls/${callId}/live-link`, { key })).json as Link;

  it('gives a browser links to the events and the audio, without a key', async () => {
    const callId = await scene.liveCall(owner);
    const { live_url, listen_url, expires_at } = await linkTo(callId);
    expect(Date.parse(expires_at) - Date.now()).toBeLessThanOrEqual(5 * 60_000);
    const stream = await TestEventSource.open(live_url);
    expect(stream.response.headers.get('access-control-allow-origin')).toBe('*');
    await eventually(() => stream.of('status').length > 0);
    const listener = await scene.open(`${listen_url}&channels=stereo`);
    await eventually(() => listener.texts.length === 1);
    expect(listener.texts).toEqual([stereo]);
    await stream.close();
    listener.socket.close();
  });

  it('is good for its call alone, and nothing else', async () => {
    const [callId, otherCall] = [await scene.liveCall(owner), await scene.liveCall(owner)];
    const { live_url } = await linkTo(callId);
    const token = new URL(live_url).searchParams.get('t')!;
    const ask = async (path: string) => {
      const answer = await scene.plane.request('GET', path);
      return [answer.status, (answer.json as { code: string }).code];
    };
    expect(await ask(`/api/v1/calls/${otherCall}/live?t=${token}`)).toEqual([401, 'live_link_invalid']);
    expect(await ask(`/api/v1/calls/${callId}/live?t=${token.slice(0, -2)}AA`)).toEqual([
      401,
      'live_link_invalid',
    ]);
    expect(await ask(`/api/v1/calls/${callId}/live?t=`)).toEqual([401, 'live_link_invalid']);
    expect(await ask(`/api/v1/calls/${callId}/detail?t=${token}`)).toEqual([401, 'missing_credentials']);
  });

  it('opens nothing once the key is deleted that asked for it', async () => {
    const callId = await scene.liveCall(owner);
    const { live_url } = await linkTo(callId);
    const { keys } = (await scene.plane.request('GET', '/api/v1/keys', { key: owner.key })).json as {
      keys: { id: string }[];
    };
    const deleted = await scene.plane.request('DELETE', `/api/v1/keys/${keys[0]!.id}`, { key: owner.key });
    expect(deleted.status).toBe(204);
    const answer = await fetch(live_url);
    expect([answer.status, await answer.json()]).toMatchObject([401, { code: 'live_link_invalid' }]);
  });

  it('is for who may see the call', async () => {
    const other = await scene.owner();
    const path = `/api/v1/calls/${await scene.liveCall(owner)}/live-link`;
    expect((await scene.plane.request('POST', path, { key: other.key })).status).toBe(404);
  });
});

describe('a replica that stops', () => {
  it('ends its streams at once and asks clients to come again', async () => {
    const own = await LiveScene.start();
    const someone = await own.owner();
    const callId = await own.liveCall(someone);
    const stream = await own.follow(someone.key, callId);
    const listener = await own.listen(someone.key, callId);
    await eventually(() => listener.texts.length === 1 && stream.of('status').length > 0);
    const stopping = own.close();
    await stream.ended;
    expect((await listener.closing).code).toBe(1001);
    await stopping;
  });
});
