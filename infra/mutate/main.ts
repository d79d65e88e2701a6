import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { runProgram } from '@voice/shared/process/run-program';
import { reportText, scoreOf } from './report.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const USAGE = `Usage: npm run mutate -- FOLDER … [OPTION …]

Changes the sources of each FOLDER (or file) in small ways, each of which a test should notice, and names the
changes that none does. No file is touched: the changes are made to the modules as they are loaded.

  --max N         of the mutants, at most so many, drawn by chance (default: 300)
  --minutes N     begins no mutant after so many minutes (default: 10)
  --seed N        another draw (default: 1)
  --tests PATH    test files that judge, by a part of their path; may be repeated (default: those of the folders)
  --least PERCENT exit code 1 where fewer are killed (default: 0)
`;

runProgram(async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      max: { type: 'string', default: '300' },
      minutes: { type: 'string', default: '10' },
      seed: { type: 'string', default: '1' },
      least: { type: 'string', default: '0' },
      tests: { type: 'string', multiple: true },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  const [max, minutes, seed, least] = [values.max, values.minutes, values.seed, values.least].map(Number);
  const missing = positionals.find((folder) => !existsSync(resolve(ROOT, folder)));
  const problem =
    positionals.length === 0
      ? 'FOLDER is missing.'
      : missing !== undefined
        ? `${missing} is not there.`
        : [max, minutes, seed, least].some((number) => !Number.isFinite(number) || number! < 0)
          ? '--max, --minutes, --seed and --least take numbers from 0.'
          : undefined;
  if (problem !== undefined) {
    process.stderr.write(`${problem}\n\n${USAGE}`);
    return 2;
  }
  // The test runner and the parser are not loaded for help, or for an option that is none.
  const { mutantsOf, sampleOf, sourcesOf } = await import('./sources.js');
  const { BrokenTests, judge } = await import('./session.js');
  const { sources, candidates: all } = mutantsOf(ROOT, sourcesOf(ROOT, positionals));
  const candidates = sampleOf(all, max!, seed!);
  process.stderr.write(`${candidates.length} of ${all.length} mutants\n`);
  try {
    const mutants = await judge({
      root: ROOT,
      sources,
      candidates,
      testFilters: values.tests ?? positionals.map((folder) => folder.replace(/\/[^/]*\.ts$/, '')),
      deadline: Date.now() + minutes! * 60_000,
      log: (line) => process.stderr.write(`${line}\n`),
    });
    process.stdout.write(reportText(positionals.join(', '), mutants, all.length));
    return scoreOf(mutants).percent < least! ? 1 : 0;
  } catch (error) {
    if (!(error instanceof BrokenTests)) throw error;
    process.stderr.write(`${error.message}\n`);
    return 2;
  }
});
