import { runNode } from './child.mjs';
import { fromRoot } from './paths.mjs';
import { check, test } from './test.mjs';

/**
 * What can be asked for after `npm run` (or `npm start`, `npm test`). Each runs after the set-up.
 * @type {Readonly<Record<string, { summary: string, build: boolean, run(args: readonly string[], startedAt: number): Promise<number> }>>}
 */
export const COMMANDS = {
  start: {
    summary: 'run the whole system: store, simulated carrier, control plane, media worker',
    build: true,
    run: (args, startedAt) =>
      runNode([fromRoot('infra/dist/launcher/main.js'), ...args], {
        env: { SETUP_STARTED_AT: String(startedAt) },
        ipc: true,
      }),
  },
  key: built('create an API key on the running system', 'infra/dist/cli/key.js'),
  login: built('a one-time link to the dashboard of the running system', 'infra/dist/cli/login.js'),
  call: built('place a sandbox call on the running system and follow it', 'infra/dist/cli/call.js'),
  test: { summary: 'lint, types, unit tests, two replicas, end-to-end tests', build: false, run: test },
  check: { summary: 'lint, format and types only', build: false, run: check },
  build: { summary: 'set up and compile, nothing else', build: true, run: async () => 0 },
  bench: built('latency and cost of calls on one worker', 'loadtest/dist/bench/main.js'),
  'bench:api': built('the API against bare Express and mongoose', 'control-plane/dist/benchmark/main.js'),
  'bench:store': built('the embedded store at 100,000 documents', 'infra/dist/embedded-store/benchmark.js'),
  'bench:campaign': built(
    'a campaign of 10,000 contacts, one replica killed half-way',
    'loadtest/dist/campaign-bench/main.js',
  ),
  'bench:decisions': built(
    'what a turn-taking decision costs',
    'media-plane/dist/call/turn-taking/benchmark.js',
  ),
  'bench:audio': built('what each audio stage costs', 'media-plane/dist/audio/benchmark.js'),
  store: built('run the embedded store alone', 'infra/dist/embedded-store/main.js'),
  replay: built('run a decision log through today’s turn-taking', 'media-plane/dist/replay.js'),
};

/**
 * @param {string} summary
 * @param {string} entry a built file, relative to the root
 */
function built(summary, entry) {
  return { summary, build: true, run: (args) => runNode([fromRoot(entry), ...args]) };
}
