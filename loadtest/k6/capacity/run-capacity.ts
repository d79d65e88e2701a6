import { renderSpeech, type Speech } from '../../bench/speech.js';
import type { Cores } from '../../system/own-core.js';
import { planLoad } from '../plan.js';
import type { UsagePoint } from '../process-usage.js';
import type { ReportDocument } from '../report/document.js';
import type { LoadRun } from '../report/load-report.js';
import { runScenario } from '../run-scenario.js';
import { capacityReport } from './capacity-report.js';
import type { DialCost, Level } from './sizing.js';

export interface CapacityOptions {
  readonly k6: string;
  readonly levels: readonly number[];
  /** Of one level; default: 60. */
  readonly seconds: number | undefined;
  readonly cores: Cores | undefined;
  readonly signal: AbortSignal;
  readonly notify: (line: string) => void;
}

/** `load` reaches it at scale 1. */
const STREAMS_AT_FULL = 20;

/** Measures level by level, then what a call costs control plane and store; describes it. */
export async function runCapacity(options: CapacityOptions): Promise<ReportDocument> {
  const { notify, seconds = 60 } = options;
  const levels: Level[] = [];
  const speech = await renderSpeech();
  let machine = '';
  for (const calls of [...options.levels].sort((a, b) => a - b)) {
    const plan = planLoad({
      scenario: 'soak',
      parts: ['media'],
      seconds,
      scale: (calls * 2) / STREAMS_AT_FULL,
    });
    const run = await runScenario({
      ...options,
      speech,
      name: `capacity, ${calls} calls`,
      plan,
      callSeconds: seconds,
    });
    machine ||= run.machine;
    levels.push(levelOf(calls, run));
    notify(`${calls} calls: added p95 ${levels.at(-1)!.added.p95.toFixed(0)} ms`);
  }
  const dial = await measureDials(options, speech, seconds);
  return capacityReport({ machine, seconds, levels, dial, at: Date.now() });
}

/** Campaigns whose contacts do not answer: calls without media. */
async function measureDials(options: CapacityOptions, speech: Speech, seconds: number): Promise<DialCost> {
  const plan = planLoad({ scenario: 'load', parts: ['campaigns'], seconds, scale: 1 });
  const run = await runScenario({ ...options, speech, name: 'capacity, dials', plan, callSeconds: seconds });
  const calls = run.record.get('campaign_contacts')?.total.count ?? 0;
  if (calls === 0) throw new Error('No campaign came to its end, so that the cost of a call is not known.');
  const cpuMs = (name: string) => cpuSeconds(run.usage.get(name) ?? []) * 1000;
  return { calls, controlPlaneMs: cpuMs('control plane') / calls, storeMs: cpuMs('store') / calls };
}

function cpuSeconds(points: readonly UsagePoint[]): number {
  return points.slice(1).reduce((sum, { at, cores }, n) => sum + (cores * (at - points[n]!.at)) / 1000, 0);
}

function levelOf(calls: number, { record, usage }: LoadRun): Level {
  const of = (metric: string, key: string) => record.get(metric)?.total[key] ?? 0;
  // The ramp up at the start and the calls' end are not the level.
  const inner = (points: readonly UsagePoint[]) => points.slice(Math.ceil(points.length * 0.2), -1);
  const mean = (values: readonly number[]) =>
    values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
  return {
    calls,
    added: {
      p50: of('media_added_ms', 'med'),
      p95: of('media_added_ms', 'p(95)'),
      p99: of('media_added_ms', 'p(99)'),
    },
    bargeInP95: of('media_barge_in_ms', 'p(95)'),
    k6LateP95: of('media_k6_late_ms', 'p(95)'),
    dropped: of('media_dropped_calls', 'count'),
    unanswered: of('media_unanswered', 'count'),
    cores: Object.fromEntries(
      [...usage].map(([name, points]) => [name, mean(inner(points).map(({ cores }) => cores))]),
    ),
    workerMemory: mean((usage.get('worker') ?? []).slice(-4, -1).map(({ memory }) => memory)),
  };
}
