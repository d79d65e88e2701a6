import { mkdirSync, rmSync } from 'node:fs';
import { runNode } from './child.mjs';
import { notify, secondsSince } from './messages.mjs';
import { fromRoot } from './paths.mjs';
import {
  add,
  afterSecondTry,
  countTests,
  failedTests,
  NOTHING,
  readReport,
  sumLine,
  worthASecondTry,
} from './test-report.mjs';

const BIOME = fromRoot('node_modules/@biomejs/biome/bin/biome');
const TSC = fromRoot('node_modules/typescript/bin/tsc');
const KNIP = fromRoot('node_modules/knip/bin/knip.js');
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

/** Lint with format, types with build, imports, dead code, the API's description as linters and generators read it. */
async function checks() {
  const steps = [
    { name: 'lint and format', args: [BIOME, 'check', '--error-on-warnings', fromRoot('.')] },
    { name: 'types and build', args: [TSC, '-b'] },
    { name: 'who imports whom', args: [fromRoot('infra/setup/check-dependencies.mjs')] },
    { name: 'nothing unused', args: [KNIP, '--directory', fromRoot('.'), '--no-progress'] },
    { name: 'description of the API', args: [fromRoot('control-plane/dist/openapi-check/main.js')] },
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
  if (needsMediasoup(filters)) await obtainMediasoup();
  for (const suite of suites) counts = add(counts, await runSuite(suite, filters));
  return conclude(counts);
}

/**
 * `npm run coverage`: the unit tests, and which lines and branches they run. No part of `npm test`: it judges nothing.
 * @param {readonly string[]} filters
 */
export const coverage = (filters) =>
  runNode([
    VITEST,
    'run',
    '--config',
    fromRoot('vitest.config.ts'),
    '--coverage.enabled',
    '--coverage.provider=v8',
    '--coverage.include=*/src/**/*.ts',
    '--coverage.include=infra/**/*.ts',
    '--coverage.exclude=**/testing/**',
    '--coverage.exclude=**/dist/**',
    '--coverage.reporter=text-summary',
    '--coverage.reporter=html',
    '--coverage.reporter=lcovonly',
    ...filters,
  ]);

/**
 * Whether what is run may hold tests of WebRTC.
 * @param {readonly string[]} filters
 */
export const needsMediasoup = (filters) =>
  filters.length === 0 || filters.some((filter) => /webrtc|mediasoup|talk/i.test(filter));

/** Brings mediasoup's worker where it is missing, which takes minutes once; without it its tests are skipped. */
async function obtainMediasoup() {
  const code = await runNode([fromRoot('infra/dist/mediasoup-worker/main.js')], { quiet: true });
  if (code !== 0)
    notify('!!! mediasoup’s worker cannot be had (the reason is above): WebRTC’s tests are SKIPPED');
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
 * A suite. Of a run of everything, files that failed are run once more, with nothing beside them: the tests measure
 * time, and a machine that stood still for a moment is no fault of the code. What failed the first time and
 * passed the second is counted as passed, and named.
 * @param {Suite} suite
 * @param {readonly string[]} filters
 */
async function runSuite({ name, config }, filters) {
  const first = await runFiles(name, config, filters);
  const files = filters.length === 0 && first.report ? worthASecondTry(first.report) : [];
  if (files.length === 0) return first.counts;
  const second = await runFiles(`${name}, the files that failed once more`, config, files);
  for (const test of failedTests(first.report)) notify(`unsteady: ${test} failed at the first try`);
  return second.report ? afterSecondTry(first.report, second.counts) : first.counts;
}

/**
 * @param {string} name
 * @param {string} config
 * @param {readonly string[]} filters
 */
async function runFiles(name, config, filters) {
  mkdirSync(fromRoot('.setup'), { recursive: true });
  const path = fromRoot(`.setup/${config}.json`);
  rmSync(path, { force: true });
  const args = [VITEST, 'run', '--config', fromRoot(config), '--reporter=default', '--reporter=json'];
  const passed = await step(name, () =>
    runNode([
      ...args,
      `--outputFile.json=${path}`,
      ...(filters.length > 0 ? ['--passWithNoTests', ...filters] : []),
    ]),
  );
  const report = readReport(path);
  const counts = report ? countTests(report) : { ...NOTHING, failed: 1 };
  // A runner that failed without naming a failed test (an unhandled error, a crash) has failed all the same.
  return { report, counts: !passed && counts.failed === 0 ? { ...counts, failed: 1 } : counts };
}

/**
 * @param {string} name
 * @param {() => Promise<number>} task gives an exit code
 */
async function step(name, task) {
  const startedAt = Date.now();
  notify(`${name} …`);
  const passed = (await task()) === 0;
  notify(`${name}: ${passed ? 'passed' : 'FAILED'} in ${secondsSince(startedAt)}`);
  return passed;
}

/** @param {import('./test-report.mjs').Counts} counts */
function conclude(counts) {
  process.stdout.write(`${sumLine(counts)}\n`);
  return counts.failed > 0 || counts.passed === 0 ? 1 : 0;
}
