import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../system/process.js';
import { type K6Record, readK6Record } from './k6-record.js';
import type { LoadPlan } from './plan.js';
import type { Settings } from './settings-contract.js';

/** Of what k6 records, in seconds. */
const PERIOD_SECONDS = 2;
/** k6 exits with it where a threshold was crossed. */
const CROSSED = 99;

export interface K6Result {
  readonly record: K6Record;
  /** Thresholds that were not kept, as k6 names them, and metrics that have one and were never recorded. */
  readonly crossed: readonly string[];
}

export interface K6RunOptions {
  readonly program: string;
  readonly plan: LoadPlan;
  readonly settings: Settings;
  /** For its files. */
  readonly dir: string;
  readonly signal: AbortSignal;
  /** Called every now and then with what was recorded so far. */
  readonly onProgress: (record: K6Record) => void;
  readonly onStarted: (pid: number) => void;
}

const PROGRESS_EVERY_MS = 10_000;

/** Runs k6 to its end and reads what it has recorded. Throws its last words where it fails. */
export async function runK6(options: K6RunOptions): Promise<K6Result> {
  const { program, plan, settings, dir, signal, onProgress, onStarted } = options;
  const file = (name: string) => join(dir, name);
  writeFileSync(file('plan.json'), JSON.stringify(plan.k6Options));
  // It holds an API key.
  writeFileSync(file('settings.json'), JSON.stringify(settings), { mode: 0o600 });
  const output = `web-dashboard=port=-1&period=${PERIOD_SECONDS}s&record=${file('record.ndjson')}`;
  const child = spawn(
    program,
    [
      'run',
      '--quiet',
      '--no-usage-report',
      '--address=',
      `--out=${output}`,
      `--log-output=file=${file('k6.log')}`,
      `--summary-export=${file('summary.json')}`,
      join(ROOT, 'loadtest/k6/scripts/main.ts'),
    ],
    {
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        LOAD_PLAN: file('plan.json'),
        LOAD_SETTINGS: file('settings.json'),
      },
      stdio: ['ignore', 'ignore', 'pipe'],
      signal,
      killSignal: 'SIGINT',
    },
  );
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors = `${errors}${chunk.toString('utf8')}`.slice(-4000);
  });
  if (child.pid !== undefined) onStarted(child.pid);
  const readRecord = () =>
    readK6Record(existsSync(file('record.ndjson')) ? readFileSync(file('record.ndjson'), 'utf8') : '');
  const timer = setInterval(() => onProgress(readRecord()), PROGRESS_EVERY_MS);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  }).finally(() => clearInterval(timer));
  if (code !== 0 && code !== CROSSED) {
    const log = existsSync(file('k6.log')) ? readFileSync(file('k6.log'), 'utf8').slice(-2000) : '';
    throw new Error(`k6 ended with exit code ${code}.\n${log}${errors}`);
  }
  const record = readRecord();
  const crossed = crossedIn(readFileSync(file('summary.json'), 'utf8'));
  return { record, crossed: [...crossed, ...unmeasuredIn(record, plan, settings.callSeconds)] };
}

/** Reads the thresholds that were not kept from k6's summary, in which true means crossed. */
export function crossedIn(summary: string): string[] {
  const { metrics } = JSON.parse(summary) as {
    metrics: Record<string, { thresholds?: Record<string, boolean> }>;
  };
  return Object.entries(metrics).flatMap(([name, { thresholds = {} }]) =>
    Object.entries(thresholds).flatMap(([condition, isCrossed]) =>
      isCrossed ? [`${name}: ${condition}`] : [],
    ),
  );
}

/**
 * Names the metrics that have a threshold and no samples: k6 takes such a threshold for kept, so that a system that
 * does nothing would keep all. A counter without samples is 0. Pure.
 */
export function unmeasuredIn(record: K6Record, plan: LoadPlan, callSeconds: number): string[] {
  const thresholds = plan.k6Options.thresholds as Readonly<Record<string, readonly string[]>>;
  return Object.entries(thresholds)
    .filter(([, conditions]) => !conditions.every((condition) => condition.startsWith('count')))
    .filter(([metric]) => !record.has(metric) && !isTooShortFor(metric, plan, callSeconds))
    .map(([metric]) => `${metric}: no samples`);
}

/** A caller interrupts every third answer, from the first, second or third on: by then the third has surely come. */
const THIRD_ANSWER_SECONDS = 60;
/** One of three callers interrupts the first answer, which has come by then. */
const FIRST_ANSWER_SECONDS = 15;
/** Among so many calls one is surely of those. */
const ENOUGH_CALLS = 40;

/** Returns whether it may be that nobody has interrupted the agent, by how many calls there were and how long. */
function isTooShortFor(metric: string, { peaks, seconds }: LoadPlan, callSeconds: number): boolean {
  if (!metric.endsWith('_barge_in_ms')) return false;
  const lines = (metric.startsWith('media') ? peaks.media : peaks.sessions) ?? 0;
  if (Math.min(seconds, callSeconds) >= THIRD_ANSWER_SECONDS) return false;
  return callSeconds < FIRST_ANSWER_SECONDS || (lines * seconds) / callSeconds < ENOUGH_CALLS;
}
