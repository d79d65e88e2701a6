import { appendFileSync, readFileSync } from 'node:fs';
import { type RunnerTask, type RunnerTestFile, TestRunner, type TestTryOptions, vi } from 'vitest';
import { startTests } from 'vitest/internal/browser';
import { type JobRecord, judgedIn, paths, readJob } from './job.js';
import { GUARD, SWITCH } from './schemata.js';

/** More rounds than any loop of a test has: a mutant that loops for ever is stopped by it, and counts as noticed. */
const MOST_ROUNDS = 1_000_000;
/** A mutant may take this many times as long as the slowest test without one, and at least this long, in ms. */
const SLOWER = 4;
const LEAST_TIMEOUT_MS = 3000;
/** And a whole file this much and ten times as long, in ms. */
const LEAST_LIMIT_MS = 15_000;

/** The mutant that is switched on; 0 for none. */
let active = 0;
let rounds = 0;
/** The tests that are under way. */
const underWay = new Set<string>();
/** By which tests a mutant was executed while none was switched on; null: outside of any one test. */
const executed = new Map<number, Set<string> | null>();

function note(id: number): void {
  const [test] = underWay;
  if (test === undefined || underWay.size > 1) executed.set(id, null);
  else if (!executed.has(id)) executed.set(id, new Set([test]));
  else executed.get(id)?.add(test);
}

Object.assign(globalThis, {
  [SWITCH]: (id: number) => {
    if (active === 0) note(id);
    return active === id;
  },
  [GUARD]: () => {
    if (active !== 0 && ++rounds > MOST_ROUNDS) throw new Error('a mutant loops for ever');
  },
});

const dir = process.env.MUTATE_DIR!;
const record = (entry: JobRecord) => appendFileSync(paths(dir).records, `${JSON.stringify(entry)}\n`);
record({ kind: 'worker', pid: process.pid });

/**
 * Runs a test file as it is, then once more for each mutant that it executes, in the same worker: modules are
 * evaluated anew, and transformed but once.
 */
export default class MutationRunner extends TestRunner {
  override onBeforeTryTask(test: RunnerTask, options: TestTryOptions): void {
    super.onBeforeTryTask(test, options);
    underWay.add(test.id);
  }

  override onAfterRunTask(test: RunnerTask): void {
    super.onAfterRunTask(test);
    underWay.delete(test.id);
  }

  override async onAfterRunFiles(files: RunnerTestFile[]): Promise<void> {
    super.onAfterRunFiles(files);
    const [file] = files;
    if (!file) return;
    if (file.result?.state === 'fail') {
      record({ kind: 'broken', file: file.filepath, message: failureOf(file) ?? 'it fails' });
      return;
    }
    const { deadline, quickMs } = readJob(dir);
    const ms = file.result?.duration ?? 0;
    if (quickMs !== null && ms > quickMs) {
      record({ kind: 'put_off', file: file.filepath, ms });
      return;
    }
    const timeout = Math.max(LEAST_TIMEOUT_MS, SLOWER * slowestOf(file));
    Object.assign(this.config, {
      testTimeout: timeout,
      hookTimeout: Math.max(timeout, this.config.hookTimeout),
    });
    const limitMs = LEAST_LIMIT_MS + 10 * ms;
    const known = judgedIn(readFileSync(paths(dir).records, 'utf8'));
    const open = [...executed.keys()].filter((id) => {
      const judged = known.get(id);
      return !judged?.killed && !judged?.by.has(file.filepath);
    });
    for (const id of open) {
      if (Date.now() >= deadline) return;
      record({ kind: 'begun', id, file: file.filepath, at: Date.now(), limitMs });
      const killer = await this.#killerOf(id, file.filepath);
      record({ kind: 'judged', id, file: file.filepath, killed: killer !== null, by: killer ?? '' });
    }
    record({ kind: 'done', file: file.filepath });
  }

  /** Returns the name of the first test that fails with the mutant; null where all pass. */
  async #killerOf(id: number, filepath: string): Promise<string | null> {
    vi.resetModules();
    active = id;
    rounds = 0;
    try {
      // Only the tests that execute it can notice it.
      const testIds = executed.get(id);
      const tests = testIds ? { filepath, testIds: [...testIds] } : filepath;
      const [file] = await startTests([tests] as string[], this.#quiet());
      return file?.result?.state === 'fail' ? (failureOf(file) ?? filepath) : null;
    } catch (error) {
      return String(error);
    } finally {
      active = 0;
    }
  }

  /** This runner, which reports nothing, and stops at the first failure. */
  #quiet(): TestRunner {
    const quiet = Object.create(this) as TestRunner;
    return Object.assign(quiet, {
      cancelRun: false,
      onTaskUpdate: async () => {},
      onCollected: async () => {},
      onCollectStart: (file: RunnerTestFile) => TestRunner.prototype.onCollectStart.call(quiet, file),
      onAfterRunFiles: () => {},
      onAfterRunTask: (task: RunnerTask) => {
        TestRunner.prototype.onAfterRunTask.call(quiet, task as never);
        if (task.result?.state === 'fail') Object.assign(quiet, { cancelRun: true });
      },
    });
  }
}

function* tasksOf(task: RunnerTask): Generator<RunnerTask> {
  yield task;
  if ('tasks' in task) for (const each of task.tasks) yield* tasksOf(each);
}

/** Returns the name of what failed first, and how. */
function failureOf(file: RunnerTestFile): string | null {
  for (const task of tasksOf(file)) {
    const message = task.result?.errors?.[0]?.message;
    if (message !== undefined) return `${task.name}: ${message.split('\n')[0]}`;
  }
  return null;
}

/** In ms. */
function slowestOf(file: RunnerTestFile): number {
  return Math.max(
    0,
    ...[...tasksOf(file)].filter(({ type }) => type === 'test').map(({ result }) => result?.duration ?? 0),
  );
}
