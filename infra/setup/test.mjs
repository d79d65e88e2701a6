import { mkdirSync, rmSync } from 'node:fs';
import { runNode } from './child.mjs';
import { fromRoot } from './paths.mjs';
import { secondsSince, tell } from './tell.mjs';
import { add, NOTHING, readReport, sumLine } from './test-report.mjs';

const BIOME = fromRoot('node_modules/@biomejs/biome/bin/biome');
const TSC = fromRoot('node_modules/typescript/bin/tsc');
const VITEST = fromRoot('node_modules/vitest/vitest.mjs');

/** @typedef {{ key: string, name: string, config: string }} Suite */

/**
 * Vitest's configurations, in the order in which they run.
 * @type {readonly Suite[]}
 */
const SUITES = [
  { key: 'unit', name: 'unit tests', config: 'vitest.config.ts' },
  {
    key: 'two-replicas',
    name: 'the control plane’s tests on two replicas',
    config: 'vitest.two-replicas.config.ts',
  },
  { key: 'end-to-end', name: 'end-to-end tests', config: 'vitest.end-to-end.config.ts' },
];

/** Lint with format, then types with build: each counts as one test. */
async function checks() {
  const steps = [
    { name: 'lint and format', args: [BIOME, 'check', '--error-on-warnings', fromRoot('.')] },
    { name: 'types and build', args: [TSC, '-b'] },
  ];
  let counts = NOTHING;
  for (const { name, args } of steps) {
    const passed = await step(name, () => runNode(args));
    counts = add(counts, passed ? { ...NOTHING, passed: 1 } : { ...NOTHING, failed: 1 });
  }
  return counts;
}

/** `npm run check` */
export async function check() {
  return conclude(await checks());
}

/**
 * `npm test`: everything; an argument that is a suite's key leaves only that suite, any other only the test
 * files whose path holds it.
 * @param {readonly string[]} args
 */
export async function test(args) {
  const { suites, filters } = chosen(args);
  let counts = await checks();
  for (const suite of suites) counts = add(counts, await runSuite(suite, filters));
  return conclude(counts);
}

/** @param {readonly string[]} args */
export function chosen(args) {
  const named = SUITES.filter(({ key }) => args.includes(key));
  return {
    suites: named.length > 0 ? named : SUITES,
    filters: args.filter((arg) => SUITES.every(({ key }) => arg !== key)),
  };
}

/**
 * @param {Suite} suite
 * @param {readonly string[]} filters
 */
async function runSuite({ name, config }, filters) {
  mkdirSync(fromRoot('.setup'), { recursive: true });
  const report = fromRoot(`.setup/${config}.json`);
  rmSync(report, { force: true });
  const args = [VITEST, 'run', '--config', fromRoot(config), '--reporter=default', '--reporter=json'];
  const passed = await step(name, () =>
    runNode([
      ...args,
      `--outputFile.json=${report}`,
      ...(filters.length > 0 ? ['--passWithNoTests', ...filters] : []),
    ]),
  );
  const counts = readReport(report);
  // A runner that failed without naming a failed test (an unhandled error, a crash) has failed all the same.
  return !passed && counts.failed === 0 ? { ...counts, failed: 1 } : counts;
}

/**
 * @param {string} name
 * @param {() => Promise<number>} task gives an exit code
 */
async function step(name, task) {
  const startedAt = Date.now();
  tell(`${name} …`);
  const passed = (await task()) === 0;
  tell(`${name}: ${passed ? 'passed' : 'FAILED'} in ${secondsSince(startedAt)}`);
  return passed;
}

/** @param {import('./test-report.mjs').Counts} counts */
function conclude(counts) {
  process.stdout.write(`${sumLine(counts)}\n`);
  return counts.failed > 0 || counts.passed === 0 ? 1 : 0;
}
