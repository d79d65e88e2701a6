import { runNode } from './child.mjs';
import { fromRoot } from './paths.mjs';
import { check, coverage, test, testAll, testDeployment, testMongo } from './test.mjs';

const CHAOS = 'loadtest/dist/chaos/main.js';

/**
 * What can be asked for after `npm run` (or `npm start`, `npm test`). Each runs after the set-up.
 * @type {Readonly<Record<string, { summary: string, takes: import('./arguments.mjs').Takes, words?: string, flags?: readonly string[], entry?: string, build: boolean, bundle?: boolean, run(args: readonly string[], startedAt: number): Promise<number> }>>}
 */
export const COMMANDS = {
  start: {
    summary: 'run the whole system: store, simulated carrier, control plane, media worker',
    takes: 'options',
    entry: 'infra/dist/launcher/main.js',
    build: true,
    bundle: true,
    run: (args, startedAt) =>
      runNode([fromRoot('infra/dist/launcher/main.js'), ...args], {
        env: { SETUP_STARTED_AT: String(startedAt) },
        ipc: true,
      }),
  },
  dev: {
    summary: 'run the whole system, compile what changes, restart what runs it',
    takes: 'options',
    entry: 'infra/dist/dev/main.js',
    build: true,
    run: (args) => runNode([fromRoot('infra/dist/dev/main.js'), ...args], { ipc: true }),
  },
  key: built('create an API key on the running system', 'infra/dist/cli/key.js'),
  login: built('a one-time link to the dashboard of the running system', 'infra/dist/cli/login.js'),
  secrets: built('change the key of what is encrypted in the store', 'infra/dist/cli/secrets.js'),
  restart: built(
    'restart the running system’s workers and control planes without losing a call',
    'infra/dist/cli/restart.js',
  ),
  workers: built('the media workers, and which of them get no new calls', 'infra/dist/cli/workers.js'),
  operator: built(
    'a request of the operator to the running system: tenants, credit, regions, attestation, the list that binds all',
    'infra/dist/cli/operator.js',
  ),
  rollups: built(
    'hold the sums of overview, usage and analytics against a full count',
    'infra/dist/cli/rollups.js',
    {
      takes: 'words',
      words: 'check|rebuild',
    },
  ),
  migrate: built(
    'bring the store up to date, or say what that would do (--dry-run)',
    'infra/dist/cli/migrate.js',
  ),
  call: built('place a sandbox call on the running system and follow it', 'infra/dist/cli/call.js'),
  models: built('fetch a speech recogniser and a neural voice that need no key', 'infra/dist/models/main.js'),
  test: {
    summary: 'lint, types, unit tests, two replicas, end-to-end tests',
    takes: 'words',
    words: 'SUITE or PATH …, or --changed',
    flags: ['--changed'],
    build: false,
    run: test,
  },
  'test:all': {
    summary: 'the same, with every test of the control plane on two replicas',
    takes: 'nothing',
    build: false,
    run: testAll,
  },
  'test:mongo': {
    summary: 'the control plane’s tests on any MongoDB server, or on another implementation of its protocol',
    takes: 'words',
    words: 'mongodb://… or --independent, and PATH …',
    flags: ['--independent'],
    build: false,
    run: testMongo,
  },
  'test:clients': {
    summary: 'the client libraries, against scripted services and the running system',
    takes: 'nothing',
    build: false,
    run: () => test(['clients']),
  },
  'test:deployment': {
    summary: 'the guides’ commands of Docker and Kubernetes, where those are',
    takes: 'nothing',
    build: false,
    run: testDeployment,
  },
  clients: built(
    'write what the client libraries have from the description of the API',
    'clients/generate/main.mjs',
    { takes: 'nothing' },
  ),
  'publish:clients': built(
    'pack the client libraries; with --publish, send them to npm and PyPI',
    'clients/publish/main.mjs',
  ),
  check: {
    summary:
      'lint, format, types, imports, dead code, rules without a test and the description of the API only',
    takes: 'nothing',
    build: false,
    run: check,
  },
  coverage: {
    summary: 'unit tests with a report of what they cover, in coverage/index.html',
    takes: 'words',
    words: 'PATH …',
    build: true,
    run: coverage,
  },
  docs: built(
    'write docs/configuration.md from the configuration schemas',
    'infra/dist/configuration/main.js',
    {
      takes: 'nothing',
    },
  ),
  rules: built(
    'the rules of the specification, the tests that show each, and their files',
    'control-plane/dist/conformance/rules/main.js',
  ),
  build: {
    summary: 'set up and compile, nothing else',
    takes: 'nothing',
    build: true,
    bundle: true,
    run: async () => 0,
  },
  generators: built(
    'generate clients by openapi-python-client and openapi-generator (those that are installed)',
    'control-plane/dist/openapi-check/generators.js',
  ),
  bench: built('latency and cost of calls on one worker', 'loadtest/dist/bench/main.js'),
  'bench:api': built('the API against bare Express and mongoose', 'control-plane/dist/benchmark/main.js'),
  'bench:store': built('the embedded store at 100,000 documents', 'infra/dist/embedded-store/benchmark.js', {
    takes: 'nothing',
  }),
  'bench:campaign': built(
    'a campaign of 10,000 contacts, one replica killed half-way',
    'loadtest/dist/campaign-bench/main.js',
  ),
  'bench:scale': built(
    'what many calls cost the API: lists, detail, sums and POST /calls beside the same with few',
    'control-plane/dist/benchmark/scale/main.js',
  ),
  'bench:dials': built(
    'how soon a call is dialed, and what it costs the control plane and the store',
    'loadtest/dist/dial-bench/main.js',
  ),
  load: built(
    'load by k6, with a report: smoke, load, stress, spike, soak or capacity',
    'loadtest/dist/k6/main.js',
  ),
  chaos: built(
    '100 random faults (processes, disk, connections, providers) over campaigns and calls, then an audit',
    CHAOS,
  ),
  'chaos:quick': {
    ...built('the same with 30 faults, in 5 minutes', CHAOS),
    run: (args) => runNode([fromRoot(CHAOS), '--quick', ...args]),
  },
  'chaos:partitions': built(
    'cut the network between the planes under live calls (Linux, as root)',
    'loadtest/dist/partitions/main.js',
  ),
  'chaos:restart': built(
    'replace every process of both planes under live calls and requests, by npm run restart',
    'loadtest/dist/rolling-restart/main.js',
  ),
  pictures: built(
    'pictures of every page of the dashboard, its dialogs and its states, at two widths in both themes',
    'loadtest/dist/pictures/main.js',
  ),
  fuzz: built('damaged input for everything that reads what others send', 'loadtest/dist/fuzz/main.js'),
  'bench:decisions': built('what a turn-taking decision costs', 'media-plane/dist/bench/decisions.js', {
    takes: 'nothing',
  }),
  'bench:turns': built(
    'false ends of turn and the delay at the end, with and without the semantic end of turn',
    'media-plane/dist/bench/turns.js',
    { takes: 'nothing' },
  ),
  'bench:audio': built('what each audio stage costs', 'media-plane/dist/bench/audio-stages.js', {
    takes: 'nothing',
  }),
  mutate: built('changes of the sources that no test of their folder notices', 'infra/dist/mutate/main.js'),
  mediasoup: built(
    'download or build mediasoup’s worker, which WebRTC needs',
    'infra/dist/mediasoup-worker/main.js',
    { takes: 'nothing' },
  ),
  chromium: built(
    'install Debian’s Chromium (as root), in which the dashboard is tested',
    'infra/dist/chromium/main.js',
    {
      takes: 'nothing',
    },
  ),
  store: built('run the embedded store alone', 'infra/dist/embedded-store/main.js'),
  replay: built(
    'show a call by its decision log, and what today’s turn-taking would decide',
    'infra/dist/cli/replay.js',
  ),
};

/**
 * @param {string} summary
 * @param {string} entry a built file, relative to the root
 * @param {{ takes?: import('./arguments.mjs').Takes, words?: string }} [given]
 */
function built(summary, entry, { takes = 'options', words } = {}) {
  const run = (/** @type {readonly string[]} */ args) => runNode([fromRoot(entry), ...args]);
  return { summary, takes, words, entry, build: true, run };
}
