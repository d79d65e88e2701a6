import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { callEvent } from '@voice/shared/contracts/call-events';
import { demoAgent } from '@voice/shared/contracts/demo-agent';
import { afterAll, beforeAll, describe, expect, it, onTestFailed } from 'vitest';
import { WebhookSink } from '../chaos/webhook-sink.js';
import { type ElevenLabsEmulator, startElevenLabsEmulator } from '../emulators/elevenlabs/server.js';
import { type CallDetail, isOver, Tenant } from '../system/tenant.js';
import { rememberedTurns } from './harness/decision-log.js';
import { quickAgent } from './harness/quick-agent.js';
import { decodeRecording } from './harness/recording.js';
import { SeparateSystem } from './harness/separate-system.js';
import { SeverableLink } from './harness/severable-link.js';

/** Long enough for several turns whose events no control plane takes. */
const DOWN_MS = 6000;
/** How late the last media of a killed worker's call may be on disk, and what measuring it costs, in ms. */
const TAIL_MS = 2000;

let system: SeparateSystem;
let link: SeverableLink;
let sink: WebhookSink;
/** A voice that costs nothing to make: what is said is not what this is about. */
let voice: ElevenLabsEmulator;
let tenant: Tenant;

beforeAll(async () => {
  sink = await WebhookSink.start();
  voice = await startElevenLabsEmulator({ voice: 'tone', speed: 5, apiKeys: ['xi-key'] });
  system = await SeparateSystem.start(
    {
      EGRESS_ALLOW: '127.0.0.0/8',
      ELEVENLABS_API_KEY: 'xi-key',
      ELEVENLABS_URL: `ws://127.0.0.1:${voice.port}`,
    },
    {
      linkTo: async (internalUrl) => {
        link = await SeverableLink.to(internalUrl);
        return link.url;
      },
    },
  );
  const tts = { provider: 'elevenlabs', model: 'eleven_flash_v2_5' };
  tenant = await Tenant.create(system, { ...demoAgent, voice_config: { ...demoAgent.voice_config, tts } });
  await tenant.request('POST', '/api/v1/webhooks', { url: sink.url, event_types: ['*'] });
});
afterAll(async () => {
  link?.close();
  await system?.stop();
  await voice?.close();
  sink?.close();
});

/** What the worker has spooled of a call and not got rid of. */
function spooled(callId: string) {
  const path = join(system.dataDir, 'workers', 'worker-under-test', 'events', `${callId}.events.ndjson`);
  const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n') : [];
  return lines.filter((line) => line !== '').map((line) => callEvent.parse(JSON.parse(line)));
}

async function spooledEnd(callId: string) {
  for (const deadline = performance.now() + 120_000; performance.now() < deadline; await sleep(50)) {
    for (const event of spooled(callId)) if (event.kind === 'ended') return event;
  }
  throw new Error(`the call has not ended:\n${system.tail()}`);
}

/** What was said in a call, by the turns that were accepted and those in the spool; the last word for a turn counts. */
async function saidIn(callId: string): Promise<string[]> {
  const turns = new Map((await tenant.detail(callId)).transcript.map(({ index, text }) => [index, text]));
  for (const event of spooled(callId))
    if (event.kind === 'turn') turns.set(event.turn.index, event.turn.text);
  return [...turns].sort(([a], [b]) => a - b).map(([, text]) => text);
}
const transcriptOf = async (callId: string) =>
  (await tenant.detail(callId)).transcript.map(({ text }) => text);

/** How often the call's events of each type were published, once all of them were. */
async function published(callId: string): Promise<Record<string, number>> {
  const types = () => sink.events.filter((event) => event.callId === callId).map(({ type }) => type);
  for (const deadline = performance.now() + 120_000; performance.now() < deadline; await sleep(100)) {
    if (types().includes('analysis.ready')) break;
  }
  // What is published twice comes right behind.
  await sleep(500);
  return Object.fromEntries(types().map((type) => [type, types().filter((other) => other === type).length]));
}

const startOf = ({ events }: CallDetail) =>
  Date.parse(events.find(({ type }) => type === 'media.started')?.at ?? '');
const countOf = ({ events }: CallDetail, type: string) =>
  events.filter((event) => event.type === type).length;

describe('a control plane that is killed in the middle of a call', () => {
  it('loses no event: the call goes on without it, and is complete once it is back', async () => {
    onTestFailed(() => console.error(system.tail()));
    const customer = await Tenant.create(system, quickAgent);
    const callId = await customer.dial('talks');
    await customer.until(
      callId,
      ({ status, transcript }) => status === 'IN_PROGRESS' && transcript.length >= 2,
      60_000,
    );
    system.controlPlane.signal('SIGKILL');
    await system.controlPlane.exited;
    await sleep(DOWN_MS);
    system.controlPlane = await system.startControlPlane();

    const call = await customer.untilStatus(callId, isOver, 180_000);
    expect(call.status).toBe('COMPLETED');
    const { mp3 } = await customer.recording(callId);
    expect(mp3.length).toBeGreaterThan(10_000);
    const types = call.events.map(({ type }) => type);
    for (const once of [
      'call.queued',
      'call.ringing',
      'call.started',
      'call.completed',
      'media.started',
      'media.ended',
    ]) {
      expect(
        types.filter((type) => type === once),
        once,
      ).toHaveLength(1);
    }
    // The worker's own log of the call holds what there was to report.
    const remembered = await rememberedTurns(system.dataDir, callId);
    expect(remembered.length).toBeGreaterThanOrEqual(6);
    expect((await customer.detail(callId)).transcript.map(({ text }) => text)).toEqual(
      remembered.map(({ text }) => text),
    );
  });
});

describe('a worker that is killed with a spool that nobody has taken', () => {
  let endedCall: string;
  let liveCall: string;
  let end: Awaited<ReturnType<typeof spooledEnd>>;
  let killedAt: number;
  let said: { readonly ended: string[]; readonly live: string[] };

  beforeAll(async () => {
    liveCall = await tenant.dial('talks');
    await tenant.untilStatus(liveCall, ({ status }) => status === 'IN_PROGRESS', 90_000, undefined, 50);
    endedCall = await tenant.dial('hangs_up');
    // The cut comes with the first turn of the short call that was accepted, whatever the long one is at: waiting for
    // both, the short one was over on a busy machine, and nothing of it was left in the spool.
    await tenant.until(endedCall, ({ transcript }) => transcript.length > 0, 90_000, undefined, 50);
    link.sever();
    end = await spooledEnd(endedCall);
    system.worker.signal('SIGKILL');
    killedAt = Date.now();
    await system.worker.exited;
    said = { ended: await saidIn(endedCall), live: await saidIn(liveCall) };
    expect((await transcriptOf(endedCall)).length).toBeLessThan(said.ended.length);
  });

  it('has its live call FAILED as worker_lost within 15 s', async () => {
    onTestFailed(() => console.error(system.tail()));
    const call = await tenant.untilStatus(liveCall, isOver, 120_000);
    expect(call).toMatchObject({ status: 'FAILED', end_reason: 'worker_lost' });
    const failed = call.events.find(({ type }) => type === 'call.failed')!;
    expect(Date.parse(failed.at) - killedAt).toBeLessThanOrEqual(15_000);
    // Also of the other one nothing better is known so far.
    const other = await tenant.untilStatus(endedCall, isOver, 120_000);
    expect(other).toMatchObject({ status: 'FAILED', end_reason: 'worker_lost' });
    expect(sink.events.filter(({ callId }) => callId === liveCall || callId === endedCall)).toEqual(
      expect.not.arrayContaining([
        expect.objectContaining({ type: expect.stringMatching(/failed|completed/) }),
      ]),
    );
  });

  it('delivers the rest once it is back: the call that had ended is COMPLETED, with its true length', async () => {
    onTestFailed(() => console.error(system.tail()));
    link.mend();
    await system.startWorker();
    const call = await tenant.untilStatus(endedCall, ({ status }) => status === 'COMPLETED', 90_000);
    expect(call).toMatchObject({
      end_reason: 'caller_hangup',
      duration_ms: end.duration_ms,
      error_code: null,
    });
    expect([countOf(call, 'call.failed'), countOf(call, 'call.corrected')]).toEqual([1, 1]);
    const { mp3 } = await tenant.recording(endedCall);
    const { durationMs } = await decodeRecording(mp3);
    expect(Math.abs(durationMs - end.duration_ms)).toBeLessThan(TAIL_MS);
  });

  it('is the cause of no second transcript, recording or analysis', async () => {
    onTestFailed(() => console.error(system.tail()));
    expect(await published(endedCall)).toEqual({
      'call.started': 1,
      'call.hangup': 1,
      'call.completed': 1,
      'transcript.ready': 1,
      'recording.ready': 1,
      'analysis.ready': 1,
    });
    expect(said.ended.length).toBeGreaterThanOrEqual(3);
    expect(await transcriptOf(endedCall)).toEqual(said.ended);
  });

  it('leaves its live call with the length of the media that is known, and with all that was spooled', async () => {
    onTestFailed(() => console.error(system.tail()));
    expect(await published(liveCall)).toMatchObject({
      'call.failed': 1,
      'transcript.ready': 1,
      'recording.ready': 1,
      'analysis.ready': 1,
    });
    const call = await tenant.detail(liveCall);
    expect(call).toMatchObject({ status: 'FAILED', end_reason: 'worker_lost' });
    const livedMs = killedAt - startOf(call);
    expect(call.duration_ms).toBeGreaterThan(livedMs - TAIL_MS);
    expect(call.duration_ms).toBeLessThan(livedMs + TAIL_MS);
    const { durationMs } = await decodeRecording((await tenant.recording(liveCall)).mp3);
    expect(Math.abs(durationMs - livedMs)).toBeLessThan(TAIL_MS);
    expect(await transcriptOf(liveCall)).toEqual(said.live);
    expect(spooled(liveCall)).toEqual([]);
  });
});
