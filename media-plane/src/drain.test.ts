import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@voice/shared/clock/clock';
import type { CallEvent } from '@voice/shared/contracts/call-events';
import { type CallPlan, reservation } from '@voice/shared/contracts/call-plan';
import { interPlaneAuthorization } from '@voice/shared/inter-plane/token';
import { silentLog } from '@voice/shared/log/log';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { readConfig } from './config.js';
import { ScriptedControlPlane, secret } from './control-link/testing/scripted-control-plane.js';
import { testCallPlan } from './testing/call-plan.js';
import { startWorker, type Worker } from './worker.js';

const CALLS = 8;
const FRAME = Buffer.alloc(160, 0xff).toString('base64');

let controlPlane: ScriptedControlPlane;
let dataDir: string;
let worker: Worker;
let streams: WebSocket[];
/** Uploads that the control plane refuses at their first try, by call. */
let refused: Set<string>;

beforeEach(async () => {
  [streams, refused] = [[], new Set()];
  controlPlane = new ScriptedControlPlane();
  controlPlane.answer = (path, body) => {
    if (path === '/internal/events') {
      const { events } = JSON.parse(body.toString()) as { events: CallEvent[] };
      const accepted = events.map(({ call_id, seq }) => ({ call_id, seq }));
      return { status: 200, body: { accepted, rejected: [] } };
    }
    if (path.endsWith('/heartbeat')) return { status: 200, body: { interval_ms: 1000, ended_calls: [] } };
    const [, callId = ''] = /calls\/([^/]+)\/recording/.exec(path) ?? [];
    return { status: refused.delete(callId) ? 500 : 204 };
  };
  dataDir = mkdtempSync(join(tmpdir(), 'drain-'));
  const config = readConfig({
    INTERNAL_SECRET: secret,
    CONTROL_PLANE_URL: await controlPlane.listen(),
    MEDIA_PORT: '0',
    WORKER_ID: 'draining',
    // The machine may be busy with other tests.
    WORKER_LAG_LIMIT_MS: '0',
    DATA_DIR: dataDir,
  });
  worker = await startWorker(config, { clock: systemClock, log: silentLog, strayErrors: { count: 0 } });
});

afterEach(() => {
  for (const stream of streams) stream.terminate();
  controlPlane.close();
  rmSync(dataDir, { recursive: true, force: true });
});

/** Begins a recorded call on a carrier's line, with two seconds of the caller's audio. */
async function recordedCall(): Promise<CallPlan> {
  const plan = testCallPlan({}, { first_message: '', recording: { enabled: true, announce: false } });
  const body = JSON.stringify(plan);
  const path = '/control/calls';
  const authorization = interPlaneAuthorization({ secret, method: 'POST', path, body, now: Date.now() });
  const response = await fetch(`http://127.0.0.1:${worker.port}${path}`, {
    method: 'POST',
    headers: { authorization },
    body,
  });
  const { stream_token: token } = reservation.parse(await response.json());
  const stream = new WebSocket(`ws://127.0.0.1:${worker.port}/streams/twilio`);
  streams.push(stream);
  await new Promise((resolve) => stream.once('open', resolve));
  const streamSid = `MZ${plan.call_id}`;
  const send = (message: object) => stream.send(JSON.stringify(message));
  send({ event: 'connected', protocol: 'Call', version: '1.0.0' });
  send({
    event: 'start',
    sequenceNumber: '1',
    streamSid,
    start: {
      streamSid,
      callSid: `CA${plan.call_id}`,
      tracks: ['inbound'],
      mediaFormat: { encoding: 'audio/x-mulaw', sampleRate: 8000, channels: 1 },
      customParameters: { call_id: plan.call_id, token },
    },
  });
  for (let frame = 0; frame < 100; frame++) {
    const media = {
      track: 'inbound',
      chunk: String(frame + 1),
      timestamp: String(frame * 20),
      payload: FRAME,
    };
    send({ event: 'media', sequenceNumber: String(frame + 2), streamSid, media });
  }
  return plan;
}

const events = () =>
  controlPlane.received
    .filter(({ path }) => path === '/internal/events')
    .flatMap(({ body }) => (JSON.parse(body.toString()) as { events: CallEvent[] }).events);
const uploaded = (what: 'recording' | 'decision-log') =>
  controlPlane.received.flatMap(({ path }) => {
    const [, callId] = new RegExp(`calls/([^/]+)/${what}`).exec(path) ?? [];
    return callId ?? [];
  });

it('drains with every call ended, every recording uploaded and every event accepted', async () => {
  const plans = await Promise.all(Array.from({ length: CALLS }, recordedCall));
  const ids = plans.map(({ call_id }) => call_id).sort();
  await expect.poll(() => events().filter(({ kind }) => kind === 'media_started')).toHaveLength(CALLS);
  refused.add(ids[0]!).add(ids[3]!);
  const drained = worker.drain();
  worker.endCalls();
  await drained;
  expect([...new Set(uploaded('recording'))].sort()).toEqual(ids);
  expect(uploaded('recording')).toHaveLength(CALLS + 2);
  expect(uploaded('decision-log').sort()).toEqual(ids);
  const ended = events().filter(({ kind }) => kind === 'ended');
  expect(ended.map(({ call_id }) => call_id).sort()).toEqual(ids);
});
