import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AdjustedClock } from '@voice/shared/clock/adjusted-clock';
import { type Clock, systemClock } from '@voice/shared/clock/clock';
import { timed } from '@voice/shared/clock/testing/given-time';
import { eventBatch } from '@voice/shared/contracts/call-events';
import { heartbeat, WORKER_LOST_AFTER_MS } from '@voice/shared/contracts/worker';
import { newId } from '@voice/shared/ids/ids';
import { silentLog } from '@voice/shared/log/log';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DiskClient } from '../disk/disk-client.js';
import { ControlPlaneClient } from './control-plane-client.js';
import { EventSender } from './event-sender.js';
import { EventSpool } from './event-spool.js';
import { HeartbeatLoop } from './heartbeat.js';
import { ScriptedControlPlane, secret } from './testing/scripted-control-plane.js';

const disk = new DiskClient();

describe('the control link', () => {
  let controlPlane: ScriptedControlPlane;
  let client: ControlPlaneClient;
  let dir: string;
  beforeEach(async () => {
    controlPlane = new ScriptedControlPlane();
    client = new ControlPlaneClient({ baseUrls: [await controlPlane.listen()], secret, clock: systemClock });
    dir = mkdtempSync(join(tmpdir(), 'link-'));
  });
  afterEach(() => {
    controlPlane.close();
    rmSync(dir, { recursive: true });
  });

  function openSpool(to = client): { spool: EventSpool; sender: EventSender } {
    const sender: EventSender = new EventSender({
      client: to,
      spool: () => spool,
      workerId: 'w1',
      clock: systemClock,
      log: silentLog,
    });
    const spool = new EventSpool({
      dir,
      clock: systemClock,
      disk,
      log: silentLog,
      onEvent: () => sender.notify(),
    });
    return { spool, sender };
  }

  const acceptAll = (_: string, body: Buffer) => {
    const { events } = eventBatch.parse(JSON.parse(body.toString()));
    const accepted = events.map(({ call_id, seq }) => ({ call_id, seq }));
    return { status: 200, body: { accepted, rejected: [] } };
  };

  it('sends the events of several calls in one signed request', async () => {
    controlPlane.answer = acceptAll;
    const { spool, sender } = openSpool();
    spool.append(newId(), { kind: 'notice', code: 'a', message: '' });
    spool.append(newId(), { kind: 'notice', code: 'b', message: '' });
    await expect.poll(() => spool.pendingCount).toBe(0);
    expect(controlPlane.received.map(({ path }) => path)).toEqual(['/internal/events']);
    sender.stop();
  });

  it('keeps events until they are accepted, however often the control plane fails', async () => {
    let failures = 2;
    controlPlane.answer = (path, body) => (failures-- > 0 ? { status: 503 } : acceptAll(path, body));
    const { spool, sender } = openSpool();
    const call = newId();
    spool.append(call, { kind: 'notice', code: 'a', message: '' });
    await expect.poll(() => spool.pendingCount).toBe(0);
    expect(controlPlane.received).toHaveLength(3);
    sender.stop();
  });

  it('drops what is refused for good, and only that', async () => {
    const call = newId();
    controlPlane.answer = () => ({
      status: 200,
      body: { accepted: [], rejected: [{ call_id: call, seq: 1, code: 'call_not_found' }] },
    });
    const { spool, sender } = openSpool();
    spool.append(call, { kind: 'notice', code: 'a', message: '' });
    await expect.poll(() => spool.pendingCount).toBe(0);
    sender.stop();
  });

  it('reports at the interval that the control plane asks for, and learns which calls are over', async () => {
    const ended = newId();
    const heard: string[] = [];
    controlPlane.answer = () => ({ status: 200, body: { interval_ms: 20, ended_calls: [ended] } });
    const loop = new HeartbeatLoop({
      client,
      clock: systemClock,
      log: silentLog,
      report: () => ({
        worker_id: 'w1',
        control_url: 'http://127.0.0.1:1',
        media_url: 'ws://127.0.0.1:1',
        capacity: 3,
        live: 1,
        reserved: 1,
        draining: false,
        calls: [ended],
      }),
      onReply: (reply) => heard.push(...reply.ended_calls),
    });
    loop.start();
    await expect.poll(() => controlPlane.received.length).toBeGreaterThan(2);
    loop.stop();
    expect(heartbeat.parse(JSON.parse(controlPlane.received[0]!.body.toString())).capacity).toBe(3);
    expect(heard[0]).toBe(ended);
    expect(loop.reachable).toBe(true);
  });

  it('takes the control plane’s time where the machine’s clock is 30 s wrong', async () => {
    const wrong: Clock = { ...systemClock, now: () => Date.now() - 30_000 };
    const clock = new AdjustedClock(wrong);
    controlPlane.answer = () => ({
      status: 200,
      body: { interval_ms: 20, ended_calls: [], now: Date.now() },
    });
    const loop = new HeartbeatLoop({
      // Its first requests are signed by the wrong clock, and taken all the same.
      client: new ControlPlaneClient({ baseUrls: [controlPlane.url], secret, clock }),
      clock,
      adjustable: clock,
      log: silentLog,
      report: () => ({
        worker_id: 'w1',
        control_url: 'http://127.0.0.1:1',
        media_url: 'ws://127.0.0.1:1',
        capacity: 3,
        live: 0,
        reserved: 0,
        draining: false,
        calls: [],
      }),
      onReply: () => {},
    });
    await loop.beat();
    loop.stop();
    expect(Math.abs(clock.now() - Date.now())).toBeLessThan(5000);
  });

  it('knows when the control plane is away', async () => {
    controlPlane.close();
    const loop = new HeartbeatLoop({
      client,
      clock: systemClock,
      log: silentLog,
      report: () => {
        throw new Error('never sent');
      },
      onReply: () => {},
    });
    await loop.beat();
    loop.stop();
    expect(loop.reachable).toBe(false);
  });

  describe('with several replicas of the control plane', () => {
    /** Accepts connections and answers nothing, as a stopped process does. */
    let stalled: Server;
    let held: IncomingMessage[];
    let both: ControlPlaneClient;
    beforeEach(async () => {
      held = [];
      stalled = createServer((request) => held.push(request));
      await new Promise<void>((resolve) => stalled.listen(0, '127.0.0.1', resolve));
      const { port } = stalled.address() as AddressInfo;
      const other = new ScriptedControlPlane();
      controlPlane.close();
      controlPlane = other;
      both = new ControlPlaneClient({
        baseUrls: [`http://127.0.0.1:${port}`, await other.listen()],
        secret,
        clock: systemClock,
      });
    });
    afterEach(() => {
      stalled.closeAllConnections();
      stalled.close();
    });

    const loopOf = (client: ControlPlaneClient) =>
      new HeartbeatLoop({
        client,
        clock: systemClock,
        log: silentLog,
        report: () => ({
          worker_id: 'w1',
          control_url: 'http://127.0.0.1:1',
          media_url: 'ws://127.0.0.1:1',
          capacity: 3,
          live: 0,
          reserved: 0,
          draining: false,
          calls: [],
        }),
        onReply: () => {},
      });

    it('sends the same heartbeat to the next one when the first does not answer, and stays there', async () => {
      controlPlane.answer = () => ({ status: 200, body: { interval_ms: 60_000, ended_calls: [] } });
      const loop = loopOf(both);
      const { tookMs } = await timed(() => loop.beat());
      // Long before the worker's silence would have it judged.
      expect(tookMs).toBeLessThan(WORKER_LOST_AFTER_MS);
      expect([held.length, controlPlane.received.length]).toEqual([1, 1]);
      expect(loop.reachable).toBe(true);
      await loop.beat();
      expect([held.length, controlPlane.received.length]).toEqual([1, 2]);
      loop.stop();
    });

    it('takes events back from one that is stalled as soon as a heartbeat has found that out', async () => {
      controlPlane.answer = (path, body) =>
        path === '/internal/events'
          ? acceptAll(path, body)
          : { status: 200, body: { interval_ms: 60_000, ended_calls: [] } };
      const { spool, sender } = openSpool(both);
      spool.append(newId(), { kind: 'notice', code: 'a', message: '' });
      await expect.poll(() => held).toHaveLength(1);
      const loop = loopOf(both);
      await loop.beat();
      // By itself the stalled request would end after 10 s.
      const { tookMs } = await timed(async () => {
        await expect.poll(() => spool.pendingCount).toBe(0);
      });
      expect(tookMs).toBeLessThan(9000);
      loop.stop();
      sender.stop();
    });

    it('keeps the events that a replica holds when a tool of an integration takes too long there', async () => {
      const { spool, sender } = openSpool(both);
      spool.append(newId(), { kind: 'notice', code: 'a', message: '' });
      await expect.poll(() => held).toHaveLength(1);
      const slow = { method: 'POST', contentType: 'application/json', body: '{}', timeoutMs: 50 } as const;
      const tool = both.send({ ...slow, path: '/internal/tools/integration', keepsReplica: true });
      await expect(tool).rejects.toMatchObject({ code: 'control_plane_unreachable' });
      await expect(both.send({ ...slow, path: '/internal/handoff', keepsReplica: true })).rejects.toThrow();
      const paths = ['/internal/events', '/internal/tools/integration', '/internal/handoff'];
      expect(held.map(({ url }) => url)).toEqual(paths);
      expect([held[0]!.socket.destroyed, controlPlane.received]).toEqual([false, []]);
      sender.stop();
      spool.forget(spool.pendingCalls()[0]!, 1);
    });

    it('asks another one when the first is draining', async () => {
      const draining = new ScriptedControlPlane();
      draining.answer = () => ({ status: 503 });
      controlPlane.answer = () => ({ status: 200, body: { interval_ms: 60_000, ended_calls: [] } });
      const urls = [await draining.listen(), controlPlane.url];
      const loop = loopOf(new ControlPlaneClient({ baseUrls: urls, secret, clock: systemClock }));
      await loop.beat();
      expect(loop.reachable).toBe(true);
      loop.stop();
      draining.close();
    });
  });
});
