import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TurnMetrics } from '@voice/shared/contracts/call-events';
import { BuiltProgram } from '@voice/shared/process/built-program';
import { benchPlan } from './call-plan.js';
import { Caller, noSamples, type Samples } from './caller.js';
import { BenchControlPlane } from './control-plane.js';
import { FrameClock } from './frame-clock.js';
import { MediaClient } from './media-client.js';
import { mediasoupEnvironment } from './mediasoup.js';
import { OpusSpeech } from './opus-speech.js';
import type { Speech } from './speech.js';
import type { Subject } from './subject.js';
import { startVendors } from './vendors.js';
import { WebRtcCallerLine } from './webrtc-caller-line.js';

export interface CallsResult {
  readonly subject: Subject;
  readonly calls: number;
  readonly samples: Samples;
  /** The worker's own account of the measured time. */
  readonly metrics: readonly TurnMetrics[];
  /** CPU time of the worker for a second of one call, in ms; with mediasoup's worker. */
  readonly cpuPerCall: number;
  /** Of it in mediasoup's worker. */
  readonly mediasoupPerCall: number;
  /** Growth of the worker's resident memory per call, in bytes; of few calls, mostly what a first call warms up. */
  readonly memoryPerCall: number;
  /** By how much the bench itself was late at worst, in ms. */
  readonly benchLateness: number;
}

const WARM_UP_MS = 8000;
/** Calls begin one after the other, as they do in life. */
const BETWEEN_STARTS_MS = 60;
const SETTLE_MS = 5000;

/** Runs as many simultaneous calls through one fresh worker for so many seconds. */
export async function runCalls(
  subject: Subject,
  calls: number,
  seconds: number,
  speech: Speech,
): Promise<CallsResult> {
  const dataDir = mkdtempSync(join(tmpdir(), 'voice-bench-'));
  const controlPlane = new BenchControlPlane();
  const children: BuiltProgram[] = [];
  const clock = new FrameClock();
  try {
    const vendors = await startVendors(subject, speech, children);
    const opus = new OpusSpeech();
    const worker = await startWorker(controlPlane, dataDir, calls, children);
    const dial = async (number: number): Promise<Caller> => {
      const plan = benchPlan(subject, vendors);
      const workerUrl = `http://127.0.0.1:${worker.port}`;
      const { stream_url: url, stream_token: token } = await controlPlane.reserve(workerUrl, plan);
      const { call_id: callId } = plan;
      const caller = new Caller(speech, number);
      await caller.connect((listener) =>
        subject.line === 'webrtc'
          ? WebRtcCallerLine.open((offer) => controlPlane.offer(workerUrl, callId, offer), opus, listener)
          : MediaClient.open({ url, callId, token }, listener),
      );
      clock.add(caller);
      return caller;
    };
    const first = await dial(0);
    await sleep(WARM_UP_MS);
    first.close();
    await sleep(1000);
    const idle = worker.usage();

    const callers: Caller[] = [];
    for (let number = 0; number < calls; number++) {
      callers.push(await dial(number));
      await sleep(BETWEEN_STARTS_MS);
    }
    await sleep(SETTLE_MS);
    clock.worstLateness = 0;
    const samples = noSamples();
    const eventsBefore = controlPlane.events.length;
    const before = worker.usage();
    const mediasoupBefore = worker.usageOfChildren().cpuMs;
    for (const caller of callers) caller.samples = samples;
    await sleep(seconds * 1000);
    for (const caller of callers) caller.samples = undefined;
    const after = worker.usage();
    const mediasoupMs = worker.usageOfChildren().cpuMs - mediasoupBefore;
    const benchLateness = clock.worstLateness;
    for (const caller of callers) caller.close();
    await sleep(1500);
    return {
      subject,
      calls,
      samples,
      metrics: controlPlane.events
        .slice(eventsBefore)
        .flatMap((event) => (event.kind === 'turn_metrics' ? [event.metrics] : [])),
      cpuPerCall: (after.cpuMs - before.cpuMs) / seconds / calls,
      mediasoupPerCall: mediasoupMs / seconds / calls,
      memoryPerCall: (after.memory - idle.memory) / calls,
      benchLateness,
    };
  } finally {
    clock.stop();
    for (const child of children.reverse()) await child.stop();
    controlPlane.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** Starts a fresh worker with room for so many calls and one more. */
export async function startWorker(
  controlPlane: BenchControlPlane,
  dataDir: string,
  calls: number,
  children: BuiltProgram[],
): Promise<BuiltProgram> {
  const worker = await BuiltProgram.start('media-plane/dist/main.js', [], {
    ...mediasoupEnvironment(),
    MEDIA_PORT: '0',
    CONTROL_PLANE_URL: await controlPlane.start(),
    INTERNAL_SECRET: controlPlane.secret,
    WORKER_ID: 'bench',
    WORKER_CAPACITY: String(calls + 1),
    WORKER_DRAIN_SECONDS: '0',
    // What is beyond it is to be measured, too.
    WORKER_LAG_LIMIT_MS: '0',
    DATA_DIR: dataDir,
    LOG_LEVEL: 'warn',
  });
  children.push(worker);
  await controlPlane.workerReported();
  return worker;
}
