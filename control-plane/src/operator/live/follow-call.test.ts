/** @replicas A stream at one replica of what another was sent. */

import { liveEvent } from '@voice/shared/contracts/live-events';
import { newId } from '@voice/shared/ids/ids';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { planChange } from '../../calls/record/call-changes.js';
import { callModel } from '../../calls/record/model.js';
import { agentMessage, ended, mediaStarted, metricsOf } from '../../calls/testing/events.js';
import { replicas } from '../../testing/control-plane.js';
import { eventually } from '../../testing/eventually.js';
import { LiveScene, type Owner } from './testing/live-scene.js';

let scene: LiveScene;
let owner: Owner;

beforeAll(async () => {
  scene = await LiveScene.start();
});
afterAll(() => scene?.close());
beforeEach(async () => {
  owner = await scene.owner();
});

const interim = { type: 'transcript', role: 'caller', text: 'I want', final: false, at_ms: 1200 } as const;

describe('GET /api/v1/calls/{id}/live', () => {
  it('streams a call from its beginning to its end, in one order: status, turns, metrics, the end', async () => {
    const { worker, plane } = scene;
    const callId = await scene.placedCall(owner);
    const stream = await scene.follow(owner.key, callId);
    expect(stream.response.headers.get('content-type')).toContain('text/event-stream');
    await eventually(() => worker.live.followers(callId) >= 1);
    const events = worker.number(callId, [
      mediaStarted('CA1'),
      agentMessage(0, 'Hello.'),
      metricsOf(1, 640),
      { kind: 'notice', code: 'provider_replaced', message: 'Another voice speaks.' },
      ended('caller_hangup', 3000),
    ]);
    for (const event of events.slice(0, 2)) worker.live.pushDurable(event);
    worker.live.push(callId, interim);
    for (const event of events.slice(2)) worker.live.pushDurable(event);
    await worker.send(plane, events);
    worker.live.accepted(callId);
    worker.live.end(callId);
    await stream.ended;
    const moments = new Set(['status', 'transcript', 'state']);
    expect(
      stream.events.filter(({ event }) => !moments.has(event)).map(({ event, id }) => [event, id]),
    ).toEqual([
      ['turn', '2'],
      ['metrics', '3'],
      ['notice', '4'],
      ['ended', '5'],
    ]);
    expect(stream.of('transcript')).toEqual([interim]);
    expect(stream.of('status').map(({ status }) => status)).toEqual([
      'QUEUED',
      'RINGING',
      'IN_PROGRESS',
      'COMPLETED',
    ]);
    expect(stream.events.at(-1)?.data).toMatchObject({ status: 'COMPLETED', end_reason: 'caller_hangup' });
    for (const { data } of stream.events) expect(liveEvent.parse(data)).toEqual(data);
  });

  it('reaches the viewer by push, not by a look at the database', async () => {
    const callId = await scene.liveCall(owner);
    const stream = await scene.follow(owner.key, callId);
    // From then on it gets every moment, not only the last of each kind.
    await eventually(() => scene.worker.live.followers(callId) >= 1 && stream.of('status').length > 0);
    // The worker shows them and sends no event of them: the database never has them.
    const words = Array.from({ length: 20 }, (_, n) => `word ${n}`);
    for (const text of words) scene.worker.live.push(callId, { ...interim, text });
    await eventually(() => stream.of('transcript').length === words.length);
    expect(stream.of('transcript').map(({ text }) => text)).toEqual(words);
    await stream.close();
  });

  it('goes on after Last-Event-ID without missing or repeating an event, whichever replica has it', async () => {
    const { worker, plane } = scene;
    const callId = await scene.liveCall(owner);
    const events = worker.number(
      callId,
      [0, 1, 2, 3, 4].map((index) => agentMessage(index, `Turn ${index}.`)),
    );
    await worker.send(plane, events.slice(0, 2));
    for (const event of events.slice(2, 4)) worker.live.pushDurable(event);
    const first = await scene.follow(owner.key, callId);
    await eventually(() => first.of('turn').length === 4);
    const seen = first.events.filter(({ event }) => event === 'turn').map(({ id }) => id);
    expect(seen).toEqual(['2', '3', '4', '5']);
    await first.close();
    await worker.send(plane, events.slice(2, 4));
    worker.live.accepted(callId);
    const again = await scene.follow(owner.key, callId, { 'last-event-id': '4' });
    await eventually(() => again.of('turn').length === 1);
    worker.live.pushDurable(events[4]!);
    await eventually(() => again.of('turn').length === 2);
    expect(again.events.map(({ event, id }) => [event, id])).toEqual([
      ['status', undefined],
      ['turn', '5'],
      ['turn', '6'],
    ]);
    await again.close();
  });

  it('misses nothing when the connection to the worker breaks', async () => {
    const { worker, plane } = scene;
    const callId = await scene.liveCall(owner);
    const stream = await scene.follow(owner.key, callId);
    await eventually(() => worker.live.followers(callId) >= 1);
    const events = worker.number(
      callId,
      [0, 1, 2].map((index) => agentMessage(index, `Turn ${index}.`)),
    );
    worker.live.pushDurable(events[0]!);
    await eventually(() => stream.of('turn').length === 1);
    worker.live.drop(callId);
    // One is accepted while nobody is connected, one is not.
    await worker.send(plane, events.slice(0, 2));
    worker.live.accepted(callId);
    worker.live.pushDurable(events[2]!);
    await eventually(() => stream.of('turn').length === 3);
    expect(stream.events.filter(({ event }) => event === 'turn').map(({ id }) => id)).toEqual([
      '2',
      '3',
      '4',
    ]);
    expect(worker.live.connections.at(-1)).toBe(`/control/calls/${callId}/live?after_seq=2`);
    await stream.close();
  });

  it('asks the worker once for all viewers of a call, and no more when the last has left', async () => {
    const callId = await scene.liveCall(owner);
    const streams = await Promise.all(Array.from({ length: 8 }, () => scene.follow(owner.key, callId)));
    // One of each replica (the suite also runs on two).
    await eventually(() => scene.worker.live.followers(callId) >= replicas());
    scene.worker.live.push(callId, interim);
    await eventually(() => streams.every((stream) => stream.of('transcript').length === 1));
    expect(scene.worker.live.followers(callId)).toBe(replicas());
    await Promise.all(streams.map((stream) => stream.close()));
    await eventually(() => scene.worker.live.followers(callId) === 0);
  });

  it('sends a late client what is being said at the moment', async () => {
    const callId = await scene.liveCall(owner);
    const first = await scene.follow(owner.key, callId);
    await eventually(() => scene.worker.live.followers(callId) >= 1);
    scene.worker.live.push(callId, { type: 'state', state: 'listening', at_ms: 5 });
    scene.worker.live.push(callId, interim);
    await eventually(() => first.of('transcript').length === 1);
    const streams = await Promise.all([1, 2].map(() => scene.follow(owner.key, callId)));
    await eventually(() => streams.some((stream) => stream.of('transcript').length === 1));
    await Promise.all([first, ...streams].map((stream) => stream.close()));
  });

  it('replays a call that is over, and ends', async () => {
    const { worker, plane } = scene;
    const callId = await scene.liveCall(owner);
    await worker.send(plane, worker.number(callId, [agentMessage(0, 'Bye.'), ended('agent_hangup', 900)]));
    const stream = await scene.follow(owner.key, callId);
    await stream.ended;
    expect(stream.events.map(({ event }) => event)).toEqual([
      'status',
      'status',
      'status',
      'turn',
      'ended',
      'status',
    ]);
    const resumed = await scene.follow(owner.key, callId, { 'last-event-id': '3' });
    await resumed.ended;
    expect(resumed.events.at(-1)?.data).toMatchObject({ status: 'COMPLETED' });
    expect(resumed.of('turn')).toEqual([]);
  });

  it('follows the status of a call that no worker has', async () => {
    const callId = await scene.queuedCall(owner);
    const stream = await scene.follow(owner.key, callId);
    await eventually(() => stream.of('status').length === 1);
    await scene.plane.request('POST', `/api/v1/calls/${callId}/hangup`, { key: owner.key, body: {} });
    await stream.ended;
    expect(stream.of('status').map(({ status }) => status)).toEqual(['QUEUED', 'FAILED']);
  });

  it('streams the end at once, while call.completed is held for what is still missing', async () => {
    const callId = await scene.queuedCall(owner);
    const stream = await scene.follow(owner.key, callId);
    await eventually(() => stream.of('status').length === 1);
    const calls = callModel(scene.plane.testStore());
    const now = Date.now();
    const call = (await calls.findById(callId).lean())!;
    const end = { to: 'ended', at: now, cause: 'worker', endReason: 'caller_hangup', durationMs: 0 } as const;
    const { $set, $push } = planChange({ ...call, status: 'IN_PROGRESS' }, end, now)!;
    // No step runs, so the event is held for as long as it may be.
    await calls.updateOne({ _id: callId }, { $set: { ...$set, post_call_due_at: null }, $push });
    await stream.ended;
    expect(stream.of('status').at(-1)).toMatchObject({ status: 'COMPLETED' });
    expect((await calls.findById(callId).lean())!.publish_due_at).not.toBeNull();
  });

  it('is of the tenant and the mode of the call alone', async () => {
    const callId = await scene.queuedCall(owner);
    const status = async (key: string, id = callId) => (await scene.follow(key, id)).response.status;
    const other = await scene.owner();
    expect(await status(other.key)).toBe(404);
    const tenant = `tenant ${newId()}`;
    const sandbox = await scene.owner(tenant);
    const live = await scene.plane.newKey({ tenant, sandbox: false });
    expect(await status(live.key, await scene.queuedCall(sandbox))).toBe(404);
    expect(await status(owner.key, newId())).toBe(404);
    expect(await status('sk_test_nobody')).toBe(401);
    const malformed = await scene.follow(owner.key, callId, { 'last-event-id': 'x' });
    expect(malformed.response.status).toBe(422);
  });

  it('takes fifty viewers of a call at a replica, and says when to come again', async () => {
    const callId = await scene.liveCall(owner);
    const streams = await Promise.all(Array.from({ length: 101 }, () => scene.follow(owner.key, callId)));
    const refused = streams.filter(({ response }) => response.status !== 200);
    expect(refused.length).toBeGreaterThanOrEqual(1);
    for (const { response } of refused) {
      expect([response.status, response.headers.get('retry-after')]).toEqual([429, '10']);
    }
    await Promise.all(streams.map((stream) => stream.close()));
  });
});
