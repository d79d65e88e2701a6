import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TurnMetrics } from '@voice/shared/contracts/call-events';
import { benchPlan, type Vendors } from './call-plan.js';
import { Caller, noSamples, type Samples } from './caller.js';
import { Child } from './child.js';
import { BenchControlPlane } from './control-plane.js';
import { DELAYS } from './fixed-delays.js';
import { FrameClock } from './frame-clock.js';
import { type Speech, servePhrasebook } from './speech.js';

export interface CallsResult {
  readonly calls: number;
  readonly samples: Samples;
  /** The worker's own account of the measured time. */
  readonly metrics: readonly TurnMetrics[];
  /** CPU time of the worker for a second of one call, in ms. */
  readonly cpuPerCall: number;
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
export async function runCalls(calls: number, seconds: number, speech: Speech): Promise<CallsResult> {
  const dataDir = mkdtempSync(join(tmpdir(), 'voice-bench-'));
  const controlPlane = new BenchControlPlane();
  const children: Child[] = [];
  const clock = new FrameClock();
  try {
    const vendors = await startVendors(speech, children);
    const worker = await startWorker(controlPlane, dataDir, calls, children);
    const dial = async (number: number): Promise<Caller> => {
      const plan = benchPlan(vendors);
      const place = await controlPlane.reserve(`http://127.0.0.1:${worker.port}`, plan);
      const caller = new Caller(speech, number);
      await caller.connect({ url: place.stream_url, callId: plan.call_id, token: place.stream_token });
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
    for (const caller of callers) caller.samples = samples;
    await sleep(seconds * 1000);
    for (const caller of callers) caller.samples = undefined;
    const after = worker.usage();
    const benchLateness = clock.worstLateness;
    for (const caller of callers) caller.close();
    await sleep(1500);
    return {
      calls,
      samples,
      metrics: controlPlane.events
        .slice(eventsBefore)
        .flatMap((event) => (event.kind === 'turn_metrics' ? [event.metrics] : [])),
      cpuPerCall: (after.cpuMs - before.cpuMs) / seconds / calls,
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

async function startVendors(speech: Speech, children: Child[]): Promise<Vendors> {
  const phrasebook = await servePhrasebook(speech);
  const start = async (name: string, ...args: string[]): Promise<Child> => {
    const child = await Child.start(`loadtest/dist/emulators/${name}/main.js`, ['--port', '0', ...args]);
    children.push(child);
    return child;
  };
  const ms = (value: number) => String(value);
  const deepgram = await start(
    'deepgram',
    ...['--phrasebook', phrasebook.url],
    ...['--interim-delay-ms', ms(DELAYS.sttFinal), '--final-delay-ms', ms(DELAYS.sttFinal)],
  );
  phrasebook.close();
  const openai = await start(
    'openai',
    ...['--first-token-delay-ms', ms(DELAYS.llmFirstToken), '--token-delay-ms', ms(DELAYS.llmToken)],
  );
  const elevenlabs = await start(
    'elevenlabs',
    ...['--voice', 'tone', '--first-audio-delay-ms', ms(DELAYS.ttsFirstAudio)],
  );
  return {
    deepgram: `ws://127.0.0.1:${deepgram.port}`,
    openai: `http://127.0.0.1:${openai.port}/v1`,
    elevenlabs: `ws://127.0.0.1:${elevenlabs.port}`,
  };
}

async function startWorker(
  controlPlane: BenchControlPlane,
  dataDir: string,
  calls: number,
  children: Child[],
): Promise<Child> {
  const worker = await Child.start('media-plane/dist/main.js', [], {
    MEDIA_PORT: '0',
    CONTROL_PLANE_URL: await controlPlane.start(),
    INTERNAL_SECRET: controlPlane.secret,
    WORKER_ID: 'bench',
    WORKER_CAPACITY: String(calls + 1),
    WORKER_DRAIN_SECONDS: '0',
    DATA_DIR: dataDir,
    LOG_LEVEL: 'warn',
  });
  children.push(worker);
  await controlPlane.workerReported();
  return worker;
}
