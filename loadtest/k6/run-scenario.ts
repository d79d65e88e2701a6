import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { renderSpeech, type Speech } from '../bench/speech.js';
import { type Cores, keepOn } from '../system/own-core.js';
import type { K6Record } from './k6-record.js';
import { runK6 } from './k6-run.js';
import { LoadSystem } from './load-system.js';
import { describeMachine } from './machine.js';
import type { LoadPlan } from './plan.js';
import { ProcessUsage } from './process-usage.js';
import type { LoadRun } from './report/load-report.js';

export interface ScenarioOptions {
  readonly name: string;
  readonly plan: LoadPlan;
  readonly callSeconds: number;
  readonly k6: string;
  readonly signal: AbortSignal;
  readonly notify: (line: string) => void;
  readonly speech?: Speech;
  /** The worker has one of them alone; default: all share all. */
  readonly cores?: Cores | undefined;
}

/** Contacts of one campaign: enough for some seconds of dialing. */
const CAMPAIGN_CONTACTS = 20;
/** Calls of tests, campaigns and the API beside those that are counted. */
const SPARE_PLACES = 50;

/** Starts system, emulators and k6, runs one plan, and ends all. */
export async function runScenario(options: ScenarioOptions): Promise<LoadRun> {
  const { name, plan, k6, signal, notify, cores } = options;
  const machine = describeMachine(cores);
  const dir = mkdtempSync(join(tmpdir(), 'load-'));
  let system: LoadSystem | undefined;
  let usage: ProcessUsage | undefined;
  // What it starts stays there, too.
  if (cores) keepOn(process.pid, cores.others);
  try {
    notify('rendering what the callers say');
    const speech = options.speech ?? (await renderSpeech());
    notify('starting the system and the emulated vendors');
    const capacity = (plan.peaks.media ?? 0) + (plan.peaks.sessions ?? 0) + SPARE_PLACES;
    const running = await LoadSystem.start({ speech, capacity });
    system = running;
    if (cores) for (const pid of running.pidsOf('worker')) keepOn(pid, [cores.worker]);
    signal.throwIfAborted();
    const settings = running.settings(speech, {
      callSeconds: options.callSeconds,
      campaignContacts: CAMPAIGN_CONTACTS,
      endSeconds: plan.endSeconds,
    });
    notify(`k6: ${name}, ${plan.seconds} s`);
    const startedAt = Date.now();
    const { record, crossed } = await runK6({
      program: k6,
      plan,
      settings,
      dir,
      signal,
      onStarted: (pid) => {
        usage = new ProcessUsage([...running.watched, { name: 'k6', pids: () => [pid] }]);
      },
      onProgress: (soFar) => notify(progressOf(soFar, (Date.now() - startedAt) / 1000, plan.seconds)),
    });
    return { name, plan, startedAt, machine, record, crossed, usage: usage?.points ?? new Map() };
  } finally {
    usage?.stop();
    await system?.stop();
    rmSync(dir, { recursive: true, force: true });
  }
}

const SHOWN: readonly (readonly [metric: string, key: string, text: string])[] = [
  ['rest_read_ms', 'p(95)', 'reads p95'],
  ['rest_write_ms', 'p(95)', 'writes p95'],
  ['webhook_delivery_ms', 'p(95)', 'webhooks p95'],
  ['session_added_ms', 'p(95)', 'sessions added p95'],
  ['media_added_ms', 'p(95)', 'media added p95'],
  ['media_barge_in_ms', 'p(95)', 'barge-in p95'],
];

/** Says how far it is, in one line. */
function progressOf(record: K6Record, passed: number, seconds: number): string {
  const figures = SHOWN.flatMap(([metric, key, text]) => {
    const value = record.get(metric)?.total[key];
    return value === undefined ? [] : [`${text} ${value.toFixed(0)} ms`];
  });
  const dropped = record.get('media_dropped_calls')?.total.count ?? 0;
  return [
    `${passed.toFixed(0)} of ${seconds} s`,
    ...figures,
    ...(dropped ? [`${dropped} dropped`] : []),
  ].join(', ');
}
