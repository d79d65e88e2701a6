import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TurnMetrics } from '@voice/shared/contracts/call-events';
import { BuiltProgram } from '@voice/shared/process/built-program';
import { keepOn } from '../system/own-core.js';
import { benchPlan } from './call-plan.js';
import { Caller, noSamples, type Samples } from './caller.js';
import { BenchControlPlane } from './control-plane.js';
import { FrameClock } from './frame-clock.js';
import { IDLE_MS, idleCpu } from './idle.js';
import { jitterOf } from './jitter.js';
import { MediaClient } from './media-client.js';
import { mediasoupEnvironment } from './mediasoup.js';
import { OpusSpeech } from './opus-speech.js';
import { slopeOf } from './slope.js';
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
  /** By how much the agent's audio came sooner or later than what was before it lasts, in ms. */
  readonly jitter: readonly number[];
  /** CPU time of the worker for a second before it has had a call, in ms. */
  readonly idleCpu: number;
  /** The same after the calls. */
  readonly idleCpuAfter: number;
  /** CPU time of the worker for a second of one call, in ms; with mediasoup's worker. */
  readonly cpuPerCall: number;
  /** The same in the second half of the measured time: of a process that has run for longer. */
  readonly cpuPerCallLater: number;
  /** Of it in mediasoup's worker. */
  readonly mediasoupPerCall: number;
  /** Growth of the worker's resident memory per call, in bytes; of few calls, mostly what a first call warms up. */
  readonly memoryPerCall: number;
  /** By how much the worker's resident memory grew with all calls running, in bytes a minute. */
  readonly memorySlope: number;
  /** The same in the second half of the measured time. */
  readonly memorySlopeLater: number;
  /** By how much the bench itself was late at worst, in ms. */
  readonly benchLateness: number;
}

export interface CallsOptions {
  /** Called when the measured time begins, and when it ends. */
  readonly onEdge?: (worker: BuiltProgram) => Promise<void>;
  /** The processor that the worker has alone; absent: it shares all. */
  readonly workerCore?: number | undefined;
}

/** A worker that has just started is not yet idle. */
const IDLE_AFTER_MS = 3000;
/** Recordings are encoded, and events delivered. */
const AFTER_CALLS_MS = 5000;
const MEMORY_EVERY_MS = 1000;
const WARM_UP_MS = 8000;
/** Calls begin one after the other, as they do in life. */
const BETWEEN_STARTS_MS = 60;
const SETTLE_MS = 5000;

/** Starting the vendors and the worker, and ending all again, in ms: more on a busy machine. */
const AROUND_MS = 5000;

/** Returns how long a run of so many calls takes with all around the measured time, in ms. */
export function expectedMs(calls: number, seconds: number): number {
  const before = IDLE_AFTER_MS + IDLE_MS + WARM_UP_MS + calls * BETWEEN_STARTS_MS + SETTLE_MS;
  return AROUND_MS + before + seconds * 1000 + AFTER_CALLS_MS + IDLE_MS;
}

/**
 * Runs as many simultaneous calls through one fresh worker for so many seconds.
 */
export async function runCalls(
  subject: Subject,
  calls: number,
  seconds: number,
  speech: Speech,
  { onEdge = async () => {}, workerCore }: CallsOptions = {},
): Promise<CallsResult> {
  const dataDir = mkdtempSync(join(tmpdir(), 'voice-bench-'));
  const controlPlane = new BenchControlPlane();
  const children: BuiltProgram[] = [];
  const clock = new FrameClock();
  try {
    const vendors = await startVendors(subject, speech, children);
    const opus = new OpusSpeech();
    const worker = await startWorker(controlPlane, dataDir, calls, children);
    if (workerCore !== undefined) keepOn(worker.pid, [workerCore]);
    await sleep(IDLE_AFTER_MS);
    const idleBefore = await idleCpu(worker);
    const jitter: number[] = [];
    let isMeasuring = false;
    const dial = async (number: number): Promise<Caller> => {
      const plan = benchPlan(subject, vendors);
      const workerUrl = `http://127.0.0.1:${worker.port}`;
      const { stream_url: url, stream_token: token } = await controlPlane.reserve(workerUrl, plan);
      const { call_id: callId } = plan;
      let last = { at: 0, lastsMs: 0 };
      const caller = new Caller(speech, number, (at, lastsMs) => {
        const distance = jitterOf(at - last.at, last.lastsMs);
        last = { at, lastsMs };
        if (isMeasuring && distance !== undefined) jitter.push(distance);
      });
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
    await onEdge(worker);
    clock.worstLateness = 0;
    const samples = noSamples();
    const eventsBefore = controlPlane.events.length;
    const before = worker.usage();
    const mediasoupBefore = worker.usageOfChildren().cpuMs;
    for (const caller of callers) caller.samples = samples;
    isMeasuring = true;
    const memory: (readonly [ms: number, bytes: number])[] = [];
    const cpu: (readonly [ms: number, cpuMs: number])[] = [];
    for (const end = performance.now() + seconds * 1000; performance.now() < end; ) {
      const { memory: bytes, cpuMs } = worker.usage();
      memory.push([performance.now(), bytes]);
      cpu.push([performance.now(), cpuMs]);
      await sleep(Math.min(MEMORY_EVERY_MS, Math.max(0, end - performance.now())));
    }
    isMeasuring = false;
    for (const caller of callers) caller.samples = undefined;
    const after = worker.usage();
    const [halfAt, halfCpuMs] = cpu[Math.floor(cpu.length / 2)]!;
    const laterSeconds = (performance.now() - halfAt) / 1000;
    const mediasoupMs = worker.usageOfChildren().cpuMs - mediasoupBefore;
    const benchLateness = clock.worstLateness;
    await onEdge(worker);
    for (const caller of callers) caller.close();
    await sleep(AFTER_CALLS_MS);
    const idleAfter = await idleCpu(worker);
    return {
      subject,
      calls,
      samples,
      metrics: controlPlane.events
        .slice(eventsBefore)
        .flatMap((event) => (event.kind === 'turn_metrics' ? [event.metrics] : [])),
      jitter,
      idleCpu: idleBefore,
      idleCpuAfter: idleAfter,
      cpuPerCall: (after.cpuMs - before.cpuMs) / seconds / calls,
      cpuPerCallLater: (after.cpuMs - halfCpuMs) / laterSeconds / calls,
      mediasoupPerCall: mediasoupMs / seconds / calls,
      memoryPerCall: (after.memory - idle.memory) / calls,
      memorySlope: slopeOf(memory) * 60_000,
      memorySlopeLater: slopeOf(memory.slice(Math.floor(memory.length / 2))) * 60_000,
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
