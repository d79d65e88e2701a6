import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@voice/shared/clock/clock';
import { eventBatch } from '@voice/shared/contracts/call-events';
import { heartbeat } from '@voice/shared/contracts/worker';
import { newId } from '@voice/shared/ids/ids';
import { InterPlaneVerifier } from '@voice/shared/inter-plane/request-verifier';
import { silentLog } from '@voice/shared/log/log';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ControlPlaneClient } from './control-plane-client.js';
import { EventSender } from './event-sender.js';
import { EventSpool } from './event-spool.js';
import { HeartbeatLoop } from './heartbeat.js';
import { Uploads } from './uploads.js';

const secret = 'a secret of the two planes';

/** A control plane that checks every token and answers as the test scripts it. */
class ControlPlane {
  readonly received: { path: string; headers: IncomingMessage['headers']; body: Buffer }[] = [];
  answer: (path: string, body: Buffer) => { status: number; body?: unknown } = () => ({ status: 200 });
  readonly #verifier = new InterPlaneVerifier({ secret, clock: systemClock });
  readonly #server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const path = request.url ?? '';
      const method = request.method ?? '';
      const body = Buffer.concat(chunks);
      const { authorization } = request.headers;
      const valid = this.#verifier.accepts({ method, path, authorization }, body);
      if (valid) this.received.push({ path, headers: request.headers, body });
      const answer = valid ? this.answer(path, body) : { status: 401 };
      response.writeHead(answer.status).end(answer.body === undefined ? '' : JSON.stringify(answer.body));
    });
  });

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return this.url;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

/** Stands for the encoder. */
const copied = (durationMs: number) => async (rawPath: string, mp3Path: string) => {
  writeFileSync(mp3Path, `mp3 of ${readFileSync(rawPath, 'utf8')}`);
  return { durationMs, bytes: 1 };
};

describe('the control link', () => {
  let controlPlane: ControlPlane;
  let client: ControlPlaneClient;
  let dir: string;
  beforeEach(async () => {
    controlPlane = new ControlPlane();
    client = new ControlPlaneClient({ baseUrls: [await controlPlane.listen()], secret, clock: systemClock });
    dir = mkdtempSync(join(tmpdir(), 'link-'));
  });
  afterEach(() => {
    controlPlane.close();
    rmSync(dir, { recursive: true });
  });

  function openSpool(): { spool: EventSpool; sender: EventSender } {
    const sender: EventSender = new EventSender({
      client,
      spool: () => spool,
      workerId: 'w1',
      clock: systemClock,
      log: silentLog,
    });
    const spool = new EventSpool({ dir, clock: systemClock, log: silentLog, onEvent: () => sender.notify() });
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
    await vi.waitFor(() => expect(spool.pendingCount).toBe(0));
    expect(controlPlane.received.map(({ path }) => path)).toEqual(['/internal/events']);
    sender.stop();
  });

  it('keeps events until they are accepted, however often the control plane fails', async () => {
    let failures = 2;
    controlPlane.answer = (path, body) => (failures-- > 0 ? { status: 503 } : acceptAll(path, body));
    const { spool, sender } = openSpool();
    const call = newId();
    spool.append(call, { kind: 'notice', code: 'a', message: '' });
    await vi.waitFor(() => expect(spool.pendingCount).toBe(0), { timeout: 5000 });
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
    await vi.waitFor(() => expect(spool.pendingCount).toBe(0));
    sender.stop();
  });

  it('uploads a recording with its length, and a decision log, and removes both', async () => {
    let failures = 1;
    controlPlane.answer = () => ({ status: failures-- > 0 ? 500 : 204 });
    const uploads = new Uploads({
      dir,
      client,
      clock: systemClock,
      log: silentLog,
      encodeRecording: copied(1234.4),
    });
    const call = newId();
    writeFileSync(uploads.recordingPath(call), 'raw');
    writeFileSync(uploads.decisionLogPath(call), '{}\n');
    uploads.recordingEnded(call, Promise.resolve());
    uploads.decisionLogReady(call);
    await vi.waitFor(() => expect(readdirSync(join(dir, 'ready'))).toEqual([]), { timeout: 5000 });
    const recording = controlPlane.received.filter(({ path }) => path.endsWith('/recording')).at(-1);
    expect(recording?.path).toBe(`/internal/calls/${call}/recording`);
    expect(recording?.headers['x-duration-ms']).toBe('1234');
    expect(recording?.headers['content-type']).toBe('audio/mpeg');
    expect(recording?.body.toString()).toBe('mp3 of raw');
    expect(readdirSync(join(dir, 'recordings', 'waiting'))).toEqual([]);
    expect(controlPlane.received.some(({ path }) => path === `/internal/calls/${call}/decision-log`)).toBe(
      true,
    );
    uploads.stop();
  });

  it('bears a decision log that was never made, as on a full disk', () => {
    const uploads = new Uploads({
      dir,
      client,
      clock: systemClock,
      log: silentLog,
      encodeRecording: copied(0),
    });
    expect(() => uploads.decisionLogReady(newId())).not.toThrow();
    uploads.stop();
  });

  it('uploads what a killed predecessor had recorded so far', async () => {
    controlPlane.answer = () => ({ status: 204 });
    const options = {
      dir,
      client,
      clock: systemClock,
      log: silentLog,
      encodeRecording: copied(4),
    };
    const call = newId();
    writeFileSync(new Uploads(options).recordingPath(call), 'half');
    // Killed while it encoded another.
    const other = newId();
    writeFileSync(join(dir, 'recordings', 'waiting', `${other}.recording`), 'whole');
    writeFileSync(join(dir, 'recordings', 'waiting', `${other}.mp3.part`), 'a part');
    const successor = new Uploads(options);
    successor.start();
    await vi.waitFor(() => expect(controlPlane.received).toHaveLength(2));
    expect(controlPlane.received[0]?.headers['x-duration-ms']).toBe('4');
    const bodies = controlPlane.received.map(({ body }) => body.toString());
    expect(bodies.sort()).toEqual(['mp3 of half', 'mp3 of whole']);
    successor.stop();
  });

  it.each([
    ['whose secret or clock differs', { status: 401, body: { code: 'invalid_signature' } }],
    ['that has no such route at this address', { status: 404, body: { code: 'not_found' } }],
  ])('keeps an upload for a control plane %s, which the operator can mend', async (_which, refusal) => {
    let refusals = 1;
    controlPlane.answer = () => (refusals-- > 0 ? refusal : { status: 204 });
    const options = { dir, client, clock: systemClock, log: silentLog, encodeRecording: copied(4) };
    const uploads = new Uploads(options);
    const call = newId();
    writeFileSync(uploads.decisionLogPath(call), '{}\n');
    uploads.decisionLogReady(call);
    await vi.waitFor(() => expect(controlPlane.received).toHaveLength(2), { timeout: 5000 });
    await vi.waitFor(() => expect(readdirSync(join(dir, 'ready'))).toEqual([]), { timeout: 5000 });
    uploads.stop();
  });

  it('gives up an upload that the control plane refuses for good', async () => {
    controlPlane.answer = () => ({ status: 404 });
    const uploads = new Uploads({
      dir,
      client,
      clock: systemClock,
      log: silentLog,
      encodeRecording: copied(0),
    });
    const call = newId();
    writeFileSync(uploads.recordingPath(call), 'raw');
    uploads.recordingEnded(call, Promise.resolve());
    await vi.waitFor(() => expect(controlPlane.received).toHaveLength(1));
    await vi.waitFor(() => expect(readdirSync(join(dir, 'ready'))).toEqual([]));
    uploads.stop();
  });

  it('reports at the interval that the control plane asks for, and hears which calls are over', async () => {
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
    await vi.waitFor(() => expect(controlPlane.received.length).toBeGreaterThan(2));
    loop.stop();
    expect(heartbeat.parse(JSON.parse(controlPlane.received[0]!.body.toString())).capacity).toBe(3);
    expect(heard[0]).toBe(ended);
    expect(loop.reachable).toBe(true);
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
      const other = new ControlPlane();
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
      await loop.beat();
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
      const sender: EventSender = new EventSender({
        client: both,
        spool: () => spool,
        workerId: 'w1',
        clock: systemClock,
        log: silentLog,
      });
      const spool = new EventSpool({
        dir,
        clock: systemClock,
        log: silentLog,
        onEvent: () => sender.notify(),
      });
      spool.append(newId(), { kind: 'notice', code: 'a', message: '' });
      await vi.waitFor(() => expect(held).toHaveLength(1));
      const loop = loopOf(both);
      await loop.beat();
      await vi.waitFor(() => expect(spool.pendingCount).toBe(0), { timeout: 3000 });
      loop.stop();
      sender.stop();
    });

    it('asks another one when the first is draining', async () => {
      const draining = new ControlPlane();
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
