import { mkdirSync, rmSync } from 'node:fs';
import { BUNDLER } from './build.mjs';
import { changedFiles, isEndToEnd, testsOfChange } from './changed.mjs';
import { BIOME, CHECKS } from './checks.mjs';
import { runNode } from './child.mjs';
import { NO_EXPLAIN, startIndependentStore } from './independent-store.mjs';
import { notify, secondsSince } from './messages.mjs';
import { contentsOfTree, passedChecks } from './passed-checks.mjs';
import { DASHBOARD_BUILD, fromRoot } from './paths.mjs';
import {
  add,
  afterSecondTry,
  countTests,
  countTestsBut,
  failedTests,
  NOTHING,
  readReport,
  sumLine,
  worthASecondTry,
} from './test-report.mjs';

const TSC = fromRoot('node_modules/typescript/bin/tsc');
const VITEST = fromRoot('node_modules/vitest/vitest.mjs');

/** @typedef {{ key: string, name: string, config: string }} Suite */

/** For the suite on two replicas: every test of the control plane, not only what a second replica can break. */
const EVERYTHING = { TWO_REPLICAS: 'all' };
/** For the unit tests: what a second replica can break runs on two there, and needs no suite of its own. */
const ONCE = { EACH_TEST: 'once' };

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

/** Types with build, which everything else stands on; the sizes of the dashboard, which have limits. */
async function types() {
  const built = await counted('types and build', [TSC, '-b']);
  // The types of the dashboard are made of what was built.
  return built.failed > 0 ? built : add(built, await counted('dashboard', [DASHBOARD_BUILD, '--check']));
}

/**
 * Lint, imports, dead code, rules, deployment, description of the API: what has not passed on the same files before.
 * @param {import('./child.mjs').RunOptions} [options]
 */
async function checks(options) {
  const passed = passedChecks(contentsOfTree());
  let counts = NOTHING;
  for (const check of CHECKS) {
    if (passed.has(check)) {
      notify(`${check.name}: passed before, and nothing that it reads has changed`);
      counts = add(counts, { ...NOTHING, passed: 1 });
      continue;
    }
    const result = await counted(check.name, check.args, options);
    if (result.failed === 0) passed.note(check);
    counts = add(counts, result);
  }
  return counts;
}

/** `npm run check` */
export async function check() {
  return conclude(add(await types(), await checks()));
}

/**
 * `npm test`: every test once, on two replicas if a second one can break it, else on one. An argument that is a suite's
 * key leaves only that suite, whole, any other only the test files whose path holds it.
 * @param {readonly string[]} args
 */
export async function test(args) {
  if (args.includes('--changed')) return testChanged();
  return args.length === 0 ? runAll(ONCE) : runAll(EVERYTHING, args);
}

/** @type {Suite} */
const GIVEN_MONGODB = {
  key: 'mongo',
  name: 'the control plane’s tests on the given MongoDB',
  config: 'vitest.mongodb.config.ts',
};
const MONGODB_URI = /^mongodb(\+srv)?:\/\//;

/**
 * `npm run test:mongo`: the control plane's tests that use a store, on the server at the URI, or on another
 * implementation of the protocol that is started for them (`--independent`).
 * @param {readonly string[]} args
 */
export async function testMongo([server, ...filters]) {
  const isIndependent = server === '--independent';
  if (!isIndependent && !MONGODB_URI.test(server ?? '')) {
    notify('name a server: npm run test:mongo -- mongodb://… [PATH …], or --independent instead of it.');
    return 2;
  }
  const counts = await types();
  if (counts.failed > 0) return conclude(counts);
  const store = isIndependent ? await startIndependentStore() : { uri: server ?? '', end: () => {} };
  if ('missing' in store) {
    notify(`!!! SKIPPED: the independent store needs ${store.missing} (Java 17, Maven and Maven Central).`);
    return 0;
  }
  try {
    if (isIndependent) {
      notify('!!! SKIPPED on this store: changed indexes (it takes two of one name), and what needs explain');
    }
    const env = { TEST_MONGODB_URI: store.uri, ...(isIndependent ? { TEST_INDEPENDENT_STORE: '1' } : {}) };
    const { report, counts: all } = await runFiles(GIVEN_MONGODB.name, GIVEN_MONGODB, filters, { env });
    return conclude(add(counts, isIndependent && report ? countTestsBut(report, NO_EXPLAIN) : all));
  } finally {
    store.end();
  }
}

/**
 * `npm run test:deployment`: the guides' commands of deployment as a reader types them, which build an image, start
 * what the Compose file has and change a cluster; each where the machine has what it needs.
 */
export const testDeployment = () =>
  runAll({ ...EVERYTHING, TEST_DEPLOYMENT: '1' }, ['end-to-end', 'guide-deployment']);

/** `npm run test:all`: every test of every suite. */
export const testAll = () => runAll(EVERYTHING);

/**
 * @param {NodeJS.ProcessEnv} env of the test runner
 * @param {readonly string[]} [args]
 */
async function runAll(env, args = []) {
  const { filters, ...named } = chosen(args);
  const suites = named.suites.filter(({ key }) => env !== ONCE || key !== 'two-replicas');
  let counts = await types();
  // Seventy control planes and fifty workers start in the tests: from few files each takes half the time.
  if (counts.failed === 0) counts = add(counts, await counted('bundle', [BUNDLER]));
  if (needsMediasoup(filters)) await obtainMediasoup();
  if (needsChromium({ suites, filters })) await obtainChromium();
  // People who talk hardly need the machine, and what they measure must not wait for it: what computes runs beside
  // them, and gives way. One output is shown as it comes, the others when they are whole.
  const runs = suites.map(async (suite, n) => {
    const yields = suites.length > 1 && suite.key !== 'end-to-end';
    return { suite, first: await runFiles(suite.name, suite, filters, { env, yields, held: n > 0 }) };
  });
  const checked = checks({ held: true, yields: true });
  for (const { suite, first } of await Promise.all(runs)) {
    counts = add(counts, await withSecondTry(suite, first, filters, { env }));
  }
  return conclude(add(counts, await checked));
}

/** `npm test -- --changed`: types, and lint and tests of what differs from the main branch. */
async function testChanged() {
  const changed = changedFiles();
  if (changed === undefined) {
    notify('--changed: this is no clone of git, so nobody knows what has changed. Run npm test.');
    return 2;
  }
  const { tests, left } = testsOfChange(changed);
  const far = left > 0 ? `; ${left} more reach them through a whole process: npm test runs those too` : '';
  notify(`${changed.length} files differ from the main branch, and touch ${tests.length} test files${far}`);
  const linted = [
    BIOME,
    'check',
    '--error-on-warnings',
    '--no-errors-on-unmatched',
    ...changed.map(fromRoot),
  ];
  let counts = NOTHING;
  if (changed.length > 0) counts = add(counts, await counted('lint and format', linted));
  counts = add(counts, await types());
  for (const { suite, files } of [
    { suite: suiteOf('unit'), files: tests.filter((file) => !isEndToEnd(file)) },
    { suite: suiteOf('end-to-end'), files: tests.filter(isEndToEnd) },
  ]) {
    if (files.length > 0) counts = add(counts, (await runFiles(suite.name, suite, files)).counts);
  }
  return conclude(counts);
}

/**
 * @param {string} name
 * @param {readonly string[]} args
 * @param {import('./child.mjs').RunOptions} [options]
 */
async function counted(name, args, options) {
  const passed = await step(name, () => runNode(args, options));
  return passed ? { ...NOTHING, passed: 1 } : { ...NOTHING, failed: 1 };
}

const suiteOf = (/** @type {string} */ wanted) =>
  /** @type {Suite} */ (SUITES.find(({ key }) => key === wanted));

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
  filters.length === 0 ||
  filters.some((filter) => /webrtc|mediasoup|end-to-end|dashboard|talk|pipelines|realtime-op/i.test(filter));

/** Brings mediasoup's worker where it is missing, which takes minutes once; without it its tests are skipped. */
async function obtainMediasoup() {
  const code = await runNode([fromRoot('infra/dist/mediasoup-worker/main.js')], { quiet: true });
  if (code !== 0)
    notify('!!! mediasoup’s worker cannot be had (the reason is above): WebRTC’s tests are SKIPPED');
}

/**
 * Whether what is run may hold tests in a browser.
 * @param {{ suites: readonly Suite[], filters: readonly string[] }} run
 */
export const needsChromium = ({ suites, filters }) =>
  suites.some(({ key }) => key === 'end-to-end') &&
  (filters.length === 0 || filters.some((filter) => /end-to-end|dashboard|talk/i.test(filter)));

/** Brings Debian's Chromium where no browser is and root may install it; without one its tests are skipped. */
async function obtainChromium() {
  const code = await runNode([fromRoot('infra/dist/chromium/main.js')], { quiet: true });
  if (code !== 0) notify('!!! Chromium cannot be had (the reason is above): the browser’s tests are SKIPPED');
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
 * A suite's counts. Of a run of everything, files that failed are run once more, with nothing beside them: the tests
 * measure time, and a machine that stood still for a moment is no fault of the code. What failed the first time and
 * passed the second is counted as passed, and named.
 * @param {Suite} suite
 * @param {Run} first
 * @param {readonly string[]} filters
 * @param {import('./child.mjs').RunOptions} options
 */
async function withSecondTry(suite, { report, counts }, filters, options) {
  const files = filters.length === 0 && report ? worthASecondTry(report) : [];
  if (!report || files.length === 0) return counts;
  const again = `${suite.name}, the files that failed once more`;
  const second = await runFiles(again, suite, ['--maxWorkers=1', ...files], options);
  for (const test of failedTests(report)) notify(`unsteady: ${test} failed at the first try`);
  return second.report ? afterSecondTry(report, second.counts) : counts;
}

/** @typedef {{ report: import('./test-report.mjs').Report | undefined, counts: import('./test-report.mjs').Counts }} Run */

/**
 * @param {string} name
 * @param {Suite} suite
 * @param {readonly string[]} filters
 * @param {import('./child.mjs').RunOptions} [options]
 * @returns {Promise<Run>}
 */
async function runFiles(name, { config }, filters, options) {
  mkdirSync(fromRoot('.setup'), { recursive: true });
  const path = fromRoot(`.setup/${config}.json`);
  rmSync(path, { force: true });
  const args = [VITEST, 'run', '--config', fromRoot(config), '--reporter=default', '--reporter=json'];
  const passed = await step(name, () =>
    runNode(
      [
        ...args,
        `--outputFile.json=${path}`,
        ...(filters.length > 0 ? ['--passWithNoTests', ...filters] : []),
      ],
      options,
    ),
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
