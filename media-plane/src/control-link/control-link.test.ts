import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@voice/shared/clock/clock';
import { eventBatch } from '@voice/shared/contracts/call-events';
import { heartbeat } from '@voice/shared/contracts/worker';
import { newId } from '@voice/shared/ids/ids';
import { verifyInterPlaneAuthorization } from '@voice/shared/inter-plane/token';
import { silentLog } from '@voice/shared/log/log';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ControlPlaneClient } from './control-plane-client.js';
import { EventSender } from './event-sender.js';
import { EventSpool } from './event-spool.js';
import { HeartbeatLoop } from './heartbeat.js';
import { Uploads } from './uploads.js';

const secret = 'a secret of the two planes';

/** A control plane that checks every token and answers as it is told. */
class ControlPlane {
  readonly received: { path: string; headers: IncomingMessage['headers']; body: Buffer }[] = [];
  answer: (path: string, body: Buffer) => { status: number; body?: unknown } = () => ({ status: 200 });
  readonly #server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const path = request.url ?? '';
      const method = request.method ?? '';
      const valid = verifyInterPlaneAuthorization(request.headers.authorization, {
        secret,
        method,
        path,
        now: Date.now(),
      });
      const body = Buffer.concat(chunks);
      if (valid) this.received.push({ path, headers: request.headers, body });
      const answer = valid ? this.answer(path, body) : { status: 401 };
      response.writeHead(answer.status).end(answer.body === undefined ? '' : JSON.stringify(answer.body));
    });
  });

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

describe('the control link', () => {
  let controlPlane: ControlPlane;
  let client: ControlPlaneClient;
  let dir: string;
  beforeEach(async () => {
    controlPlane = new ControlPlane();
    client = new ControlPlaneClient({ baseUrl: await controlPlane.listen(), secret, clock: systemClock });
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
      recordingDurationMs: () => 7,
    });
    const call = newId();
    writeFileSync(uploads.recordingPath(call), 'mp3');
    writeFileSync(uploads.decisionLogPath(call), '{}\n');
    uploads.recordingReady(call, 1234.4);
    uploads.decisionLogReady(call);
    await vi.waitFor(() => expect(readdirSync(join(dir, 'ready'))).toEqual([]), { timeout: 5000 });
    const recording = controlPlane.received.filter(({ path }) => path.endsWith('/recording')).at(-1);
    expect(recording?.path).toBe(`/internal/calls/${call}/recording`);
    expect(recording?.headers['x-duration-ms']).toBe('1234');
    expect(recording?.headers['content-type']).toBe('audio/mpeg');
    expect(recording?.body.toString()).toBe('mp3');
    expect(controlPlane.received.some(({ path }) => path === `/internal/calls/${call}/decision-log`)).toBe(
      true,
    );
    uploads.stop();
  });

  it('uploads what a killed predecessor had recorded so far', async () => {
    controlPlane.answer = () => ({ status: 204 });
    const options = {
      dir,
      client,
      clock: systemClock,
      log: silentLog,
      recordingDurationMs: (bytes: number) => bytes,
    };
    const call = newId();
    writeFileSync(new Uploads(options).recordingPath(call), 'half');
    const successor = new Uploads(options);
    successor.start();
    await vi.waitFor(() => expect(controlPlane.received).toHaveLength(1));
    expect(controlPlane.received[0]?.headers['x-duration-ms']).toBe('4');
    successor.stop();
  });

  it('gives up an upload that the control plane refuses for good', async () => {
    controlPlane.answer = () => ({ status: 404 });
    const uploads = new Uploads({
      dir,
      client,
      clock: systemClock,
      log: silentLog,
      recordingDurationMs: () => 0,
    });
    const call = newId();
    writeFileSync(uploads.recordingPath(call), 'mp3');
    uploads.recordingReady(call, 1);
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
});
