import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createVitest, type TestSpecification, type Vite } from 'vitest/node';
import { type Job, type JobRecord, judgedIn, paths, recordsIn } from './job.js';
import type { JudgedMutant } from './report.js';
import { withSwitches } from './schemata.js';
import type { Candidate, MutatedSource } from './sources.js';

const RUNNER = fileURLToPath(new URL('./runner.js', import.meta.url));
const LOOK_MS = 2000;
/** A test file that takes longer than this as it is, in ms, judges what the quicker ones left. */
const QUICK_MS = 400;
const HUNG = 'its worker hung or ended';
const LATE = new RegExp(`timed out in|${HUNG}`);
/** How often a test file is begun again after a mutant that hung, or took its worker along. */
const MOST_RESTARTS = 8;

export interface SessionOptions {
  readonly root: string;
  readonly sources: readonly MutatedSource[];
  /** The mutants that are to be judged. */
  readonly candidates: readonly Candidate[];
  /** Paths, or parts of paths, of the test files that judge. */
  readonly testFilters: readonly string[];
  /** Epoch ms. */
  readonly deadline: number;
  readonly log: (line: string) => void;
}

/** The tests fail as they are: a mutant could not be distinguished from none. */
export class BrokenTests extends Error {}

/** Has the tests judge the mutants, one test file after the other. Touches no source. */
export async function judge(options: SessionOptions): Promise<JudgedMutant[]> {
  const dir = mkdtempSync(join(tmpdir(), 'mutate-'));
  writeFileSync(paths(dir).records, '');
  // Workers inherit it; what the configuration sets comes after their runner is loaded.
  process.env.MUTATE_DIR = dir;
  const vitest = await createVitest(
    'test',
    {
      root: options.root,
      watch: false,
      reporters: [{}],
      runner: RUNNER,
      maxWorkers: 1,
      fileParallelism: false,
      passWithNoTests: true,
      // What is transformed here is for this run alone.
      fsModuleCache: false,
      // A mutant may leave anything behind.
      dangerouslyIgnoreUnhandledErrors: true,
    },
    { plugins: [switching(options)] },
  );
  try {
    await vitest.standalone();
    const all = await vitest.globTestSpecifications([...options.testFilters]);
    if (all.length === 0) throw new BrokenTests('No test file is there to judge them.');
    const judgeByAll = async (specifications: readonly TestSpecification[], quickMs: Job['quickMs']) => {
      const job: Job = { deadline: options.deadline, quickMs };
      writeFileSync(paths(dir).job, JSON.stringify(job));
      for (const specification of specifications) {
        if (Date.now() >= options.deadline) return;
        await judgeBy(specification, dir, options, (one) => vitest.runTestSpecifications([one]));
      }
    };
    await judgeByAll(all, QUICK_MS);
    await judgeByAll(slowIn(all, dir), null);
    const records = readFileSync(paths(dir).records, 'utf8');
    return options.candidates.map((candidate) => judged(candidate, records, all.length));
  } finally {
    await vitest.close();
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Gives the modules that are loaded their switches. */
function switching({ sources, candidates }: SessionOptions): Vite.Plugin {
  const texts = new Map(
    sources.map(({ path, source, loopGuards }) => [
      path,
      withSwitches(
        source,
        candidates.filter((mutant) => mutant.path === path),
        loopGuards,
      ),
    ]),
  );
  return {
    name: 'mutants',
    enforce: 'pre',
    transform(_code, id) {
      const code = texts.get(id.split('?')[0]!);
      return code === undefined ? null : { code, map: null };
    },
  };
}

/** Returns the test files that were put off, the quicker ones first. */
function slowIn(all: readonly TestSpecification[], dir: string): TestSpecification[] {
  const times = new Map(
    recordsIn(readFileSync(paths(dir).records, 'utf8')).flatMap((entry) =>
      entry.kind === 'put_off' ? [[entry.file, entry.ms] as const] : [],
    ),
  );
  const timeOf = ({ moduleId }: TestSpecification) => times.get(moduleId) ?? 0;
  return all.filter(({ moduleId }) => times.has(moduleId)).sort((a, b) => timeOf(a) - timeOf(b));
}

async function judgeBy(
  specification: TestSpecification,
  dir: string,
  { root, log }: SessionOptions,
  run: (specification: TestSpecification) => Promise<unknown>,
): Promise<void> {
  const { records } = paths(dir);
  const file = specification.moduleId;
  const mine = () =>
    recordsIn(readFileSync(records, 'utf8')).filter((entry) => 'file' in entry && entry.file === file);
  const startedAt = Date.now();
  for (let start = 0; start <= MOST_RESTARTS; start++) {
    const before = mine().length;
    const watch = setInterval(() => endHanging(records), LOOK_MS);
    await run(specification).catch(() => {});
    clearInterval(watch);
    settleInterrupted(records);
    const broken = mine().find(({ kind }) => kind === 'broken');
    if (broken?.kind === 'broken') {
      throw new BrokenTests(`${relative(root, file)} fails without any mutant: ${broken.message}`);
    }
    if (mine().at(-1)?.kind === 'put_off') return;
    if (mine().some(({ kind }) => kind === 'done') || mine().length === before) break;
  }
  const judgements = mine().flatMap((entry) => (entry.kind === 'judged' ? [entry] : []));
  const killed = judgements.filter((entry) => entry.killed).length;
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
  log(`${relative(root, file)}: ${killed} of ${judgements.length} mutants killed, ${seconds} s`);
}

/** Ends the worker that hangs in a mutant. */
function endHanging(records: string): void {
  const entries = recordsIn(readFileSync(records, 'utf8'));
  const last = entries.at(-1);
  if (last?.kind !== 'begun' || Date.now() - last.at < last.limitMs) return;
  const worker = entries.findLast(({ kind }) => kind === 'worker');
  if (worker?.kind !== 'worker') return;
  try {
    process.kill(worker.pid, 'SIGKILL');
  } catch {
    // It ended by itself.
  }
}

/** Counts a mutant with which a worker ended as noticed. */
function settleInterrupted(records: string): void {
  const last = recordsIn(readFileSync(records, 'utf8')).at(-1);
  if (last?.kind !== 'begun') return;
  const { id, file } = last;
  const entry: JobRecord = { kind: 'judged', id, file, killed: true, by: HUNG };
  appendFileSync(records, `${JSON.stringify(entry)}\n`);
}

function judged(candidate: Candidate, records: string, files: number): JudgedMutant {
  const { file, line, original, replacement } = candidate;
  const entries = recordsIn(records);
  const judgement = judgedIn(records).get(candidate.id);
  const finished = entries.filter(({ kind }) => kind === 'done').length === files;
  const alive = judgement ? 'survived' : 'not covered';
  // Another test file might have noticed what those that were in time did not.
  const fate = judgement?.killed ? 'killed' : finished ? alive : 'not run';
  const timedOut = entries.some(
    (entry) => entry.kind === 'judged' && entry.id === candidate.id && entry.killed && LATE.test(entry.by),
  );
  return { file, line, original, replacement, fate, timedOut };
}
