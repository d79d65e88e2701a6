import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { BuiltProgram } from '@voice/shared/process/built-program';
import { benchPlan } from './call-plan.js';
import { startWorker } from './call-scenario.js';
import { Caller } from './caller.js';
import { BenchControlPlane } from './control-plane.js';
import { FrameClock } from './frame-clock.js';
import { jitterOf } from './jitter.js';
import { MediaClient } from './media-client.js';
import { type Percentiles, percentiles } from './report.js';
import type { Speech } from './speech.js';
import { MULAW_CASCADE } from './subject.js';
import { startVendors } from './vendors.js';

const WARM_UP_MS = 8000;
/** With and without take turns of so long, so that both meet the same moods of the machine. */
const TURN_MS = 7500;
/** A listener's connections come and go outside of what is measured. */
const SETTLE_MS = 500;

export interface ListenersResult {
  readonly listeners: number;
  /** By how much the agent's frames were apart from 20 ms, in ms. */
  readonly without: Percentiles;
  readonly with: Percentiles;
  /** Worker CPU for a second of the call, in ms. */
  readonly cpuWithout: number;
  readonly cpuWith: number;
}

interface Half {
  readonly jitter: number[];
  cpuMs: number;
  ms: number;
}

/** Runs one call whose agent frames are timed as they arrive, with so many listeners and without, by turns. */
export async function runListeners(
  listeners: number,
  seconds: number,
  speech: Speech,
): Promise<ListenersResult> {
  const dataDir = mkdtempSync(join(tmpdir(), 'voice-bench-'));
  const controlPlane = new BenchControlPlane();
  const children: BuiltProgram[] = [];
  const clock = new FrameClock();
  const halves = { with: emptyHalf(), without: emptyHalf() };
  let half: Half | undefined;
  let last = { at: 0, lastsMs: 0 };
  try {
    const vendors = await startVendors(MULAW_CASCADE, speech, children);
    const worker = await startWorker(controlPlane, dataDir, 1, children);
    const plan = benchPlan(MULAW_CASCADE, vendors);
    const place = await controlPlane.reserve(`http://127.0.0.1:${worker.port}`, plan);
    const caller = new Caller(speech, 1, (at, lastsMs) => {
      const jitter = jitterOf(at - last.at, last.lastsMs);
      last = { at, lastsMs };
      if (jitter !== undefined) half?.jitter.push(jitter);
    });
    const start = { url: place.stream_url, callId: plan.call_id, token: place.stream_token };
    await caller.connect((listener) => MediaClient.open(start, listener));
    clock.add(caller);
    await sleep(WARM_UP_MS);
    const turns = Math.max(1, Math.round((seconds * 1000) / TURN_MS / 2));
    for (let turn = 0; turn < turns * 2; turn++) {
      const withListeners = turn % 2 === 1;
      const child = withListeners
        ? await listen(worker, plan.call_id, listeners, controlPlane.secret)
        : undefined;
      if (child) children.push(child);
      await sleep(SETTLE_MS);
      half = withListeners ? halves.with : halves.without;
      const before = worker.usage();
      await sleep(TURN_MS);
      half.cpuMs += worker.usage().cpuMs - before.cpuMs;
      half.ms += TURN_MS;
      half = undefined;
      if (child) {
        children.pop();
        await child.stop();
      }
    }
    caller.close();
    await sleep(500);
  } finally {
    clock.stop();
    for (const child of children.reverse()) await child.stop();
    controlPlane.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
  return {
    listeners,
    without: percentiles(halves.without.jitter),
    with: percentiles(halves.with.jitter),
    cpuWithout: (halves.without.cpuMs / halves.without.ms) * 1000,
    cpuWith: (halves.with.cpuMs / halves.with.ms) * 1000,
  };
}

function listen(worker: BuiltProgram, callId: string, count: number, secret: string): Promise<BuiltProgram> {
  const args = [`ws://127.0.0.1:${worker.port}`, `/control/calls/${callId}/listen`, String(count)];
  return BuiltProgram.start('loadtest/dist/bench/listening.js', args, { BENCH_SECRET: secret });
}

const emptyHalf = (): Half => ({ jitter: [], cpuMs: 0, ms: 0 });
const shown = (value: number | null) => (value === null ? '-' : value.toFixed(3));

export function listenersTable(result: ListenersResult): string {
  const ratio = (of: 'p50' | 'p95' | 'p99') => {
    const [a, b] = [result.without[of], result.with[of]];
    return a === null || b === null || a === 0 ? '-' : (b / a).toFixed(2);
  };
  const row = (name: string, of: 'p50' | 'p95' | 'p99') =>
    `${name.padEnd(22)}${shown(result.without[of]).padStart(12)}${shown(result.with[of]).padStart(12)}${ratio(of).padStart(8)}\n`;
  return `Jitter of the agent's frames (distance from 20 ms, in ms), by turns in the same run.

${''.padEnd(22)}${'alone'.padStart(12)}${`${result.listeners} listen`.padStart(12)}${'ratio'.padStart(8)}
${row('jitter p50', 'p50')}${row('jitter p95', 'p95')}${row('jitter p99', 'p99')}${'frames'.padEnd(22)}${String(result.without.count).padStart(12)}${String(result.with.count).padStart(12)}
${'worker CPU ms/s'.padEnd(22)}${shown(result.cpuWithout).padStart(12)}${shown(result.cpuWith).padStart(12)}
`;
}
