import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { runProgram } from '@voice/shared/process/run-program';
import { BATCH } from './batches.js';
import type { FuzzReport } from './fuzz-thread.js';
import { type FuzzOptions, readOptions, USAGE } from './options.js';

/** A thread that says nothing for so long hangs: its inputs take microseconds, and it says where it is twice a second. */
const HANGS_AFTER_MS = 60_000;
/** What a target may hold more at its end than when it was warm, after its first batch, in bytes. */
const MOST_GROWTH = 40e6;
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
  let shown = { at: lastAt, input: 0 };
  let warm: number | undefined;
  let heap: number | undefined;
  return new Promise((resolve) => {
    const end = (finding?: string) => {
      clearInterval(watch);
      void thread.terminate().then(() => {
        rmSync(dir, { recursive: true, force: true });
        resolve({ inputs: last, finding });
      });
    };
    const again = (from: number, upTo: number) =>
      `again: npm run fuzz -- --targets ${target} --seed ${from} --inputs ${upTo}`;
    /** Where it stopped within a second of its last word. */
    const againFromLast = () => again(seed + Math.floor(last / BATCH), BATCH);
    const show = () => {
      const rate = (1000 * (last - shown.input)) / (lastAt - shown.at);
      const inUse = heap === undefined ? '' : `, heap ${(heap / 1e6).toFixed(0)} MB`;
      notify(`${target}: ${last} of ${inputs}, ${rate.toFixed(0)} a second${inUse}`);
      shown = { at: lastAt, input: last };
    };
    const watch = setInterval(() => {
      if (Date.now() - lastAt > HANGS_AFTER_MS) end(`hangs after input ${last}; ${againFromLast()}`);
      else if (Date.now() > endAt) end();
    }, 500);
    thread.on('message', (report: FuzzReport) => {
      last = report.input;
      lastAt = Date.now();
      if (report.kind === 'failed') {
        end(`input ${report.input}: ${report.message}\n  ${again(report.seed, report.inputs)}`);
        return;
      }
      if (report.kind !== 'at') {
        heap = report.heap;
        warm ??= report.heap;
      }
      if (lastAt - shown.at > PROGRESS_EVERY_MS) show();
      if (report.kind !== 'done') return;
      const growth = report.heap - (warm ?? report.heap);
      end(growth > MOST_GROWTH ? `memory grew by ${(growth / 1e6).toFixed(0)} MB` : undefined);
    });
    thread.on('error', (error) => end(`ended after input ${last}: ${String(error)}; ${againFromLast()}`));
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
  const waiting = [...options.targets];
  const lane = async () => {
    for (let target = waiting.shift(); target !== undefined; target = waiting.shift()) {
      if (Date.now() > endAt) {
        notify(`${target}: not begun, the time is over`);
        continue;
      }
      const startedAt = Date.now();
      const { inputs, finding } = await runTarget(target, options, endAt);
      const seconds = ((Date.now() - startedAt) / 1000).toFixed(0);
      notify(
        finding ? `${target}: NOT held: ${finding}` : `${target}: held, ${inputs} inputs in ${seconds} s`,
      );
      if (finding) findings += 1;
    }
  };
  await Promise.all(Array.from({ length: options.sideBySide }, lane));
  return findings === 0 ? 0 : 1;
}

runProgram(main, { name: 'fuzz', lingers: true });
