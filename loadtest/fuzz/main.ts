import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { runProgram } from '@voice/shared/process/run-program';
import type { FuzzReport } from './fuzz-thread.js';
import { type FuzzOptions, readOptions, USAGE } from './options.js';

/** A thread that says nothing for so long hangs: its inputs take microseconds. */
const HANGS_AFTER_MS = 60_000;
/** What a target may hold more at its end than when it was warm, in bytes. */
const MOST_GROWTH = 40e6;
/** Inputs after which a target is warm. */
const WARM_AFTER = 10_000;
const PROGRESS_EVERY_MS = 10_000;

const notify = (line: string) =>
  void process.stdout.write(`${new Date().toISOString().slice(11, 19)} fuzz: ${line}\n`);

interface Outcome {
  readonly inputs: number;
  /** What is wrong; undefined where nothing is. */
  readonly finding: string | undefined;
}

/** Runs one target in a thread of its own, which is ended where it hangs or the time is over. */
function runTarget(target: string, { seed, inputs }: FuzzOptions, endAt: number): Promise<Outcome> {
  const dir = mkdtempSync(join(tmpdir(), 'fuzz-'));
  const thread = new Worker(new URL('./fuzz-thread.js', import.meta.url), {
    workerData: { target, seed, inputs, dir },
    resourceLimits: { maxOldGenerationSizeMb: 1024 },
  });
  let last = 0;
  let lastAt = Date.now();
  let shownAt = Date.now();
  let warm: number | undefined;
  let peak = 0;
  return new Promise((resolve) => {
    const end = (finding?: string) => {
      clearInterval(watch);
      void thread.terminate().then(() => {
        rmSync(dir, { recursive: true, force: true });
        resolve({ inputs: last, finding });
      });
    };
    const again = () => `--targets ${target} --seed ${seed} --inputs ${last + 1}`;
    const watch = setInterval(() => {
      if (Date.now() - lastAt > HANGS_AFTER_MS) end(`hangs after input ${last}; again: ${again()}`);
      else if (Date.now() > endAt) end();
    }, 500);
    thread.on('message', (report: FuzzReport) => {
      last = report.input;
      lastAt = Date.now();
      if (report.kind === 'failed') {
        end(`input ${report.input}: ${report.message}\n  again: ${again()}`);
        return;
      }
      if (last >= WARM_AFTER) warm ??= report.heap;
      peak = Math.max(peak, report.heap);
      if (lastAt - shownAt > PROGRESS_EVERY_MS) {
        shownAt = lastAt;
        notify(`${target}: ${last} of ${inputs}, heap ${(report.heap / 1e6).toFixed(0)} MB`);
      }
      if (report.kind !== 'done') return;
      const growth = report.heap - (warm ?? report.heap);
      end(growth > MOST_GROWTH ? `memory grew by ${(growth / 1e6).toFixed(0)} MB` : undefined);
    });
    thread.on('error', (error) => end(`ended after input ${last}: ${String(error)}; again: ${again()}`));
  });
}

async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2));
  if (options === 'help') {
    process.stdout.write(USAGE);
    return 0;
  }
  const endAt =
    options.minutes === undefined ? Number.POSITIVE_INFINITY : Date.now() + options.minutes * 60_000;
  let findings = 0;
  for (const target of options.targets) {
    if (Date.now() > endAt) {
      notify(`${target}: not begun, the time is over`);
      continue;
    }
    const startedAt = Date.now();
    const { inputs, finding } = await runTarget(target, options, endAt);
    const seconds = ((Date.now() - startedAt) / 1000).toFixed(0);
    notify(finding ? `${target}: NOT held: ${finding}` : `${target}: held, ${inputs} inputs in ${seconds} s`);
    if (finding) findings += 1;
  }
  return findings === 0 ? 0 : 1;
}

runProgram(main, { name: 'fuzz', lingers: true });
