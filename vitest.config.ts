import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { CONTROL_PLANE_TESTS, filesOf } from './vitest.callers.js';

const root = fileURLToPath(new URL('./', import.meta.url));
const shared = fileURLToPath(new URL('./shared/src/', import.meta.url));

/** Returns the absolute path of a test file. */
export const inRoot = (file: string): string => join(root, file);

/** What a test file says of itself when a second replica can break what it shows: `@replicas` and why. */
const MAY_BREAK = /^\/\*\* @replicas \S/m;

/** Returns the test files that say that a second replica can break what they show. */
export const ofReplicas = (): readonly string[] =>
  filesOf(CONTROL_PLANE_TESTS).filter((file) => MAY_BREAK.test(readFileSync(join(root, file), 'utf8')));

export default defineConfig({
  resolve: { alias: [{ find: /^@voice\/shared\/(.*)$/, replacement: `${shared}$1.ts` }] },
  test: {
    include: ['*/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/dist/**', 'loadtest/end-to-end/**'],
    setupFiles: ['vitest.replicas.ts'],
    // Where each test runs once, what a second replica can break runs on two.
    provide: { onTwoReplicas: process.env.EACH_TEST === 'once' ? ofReplicas().map(inRoot) : [] },
    globalSetup: ['vitest.global-setup.ts'],
    // Ends what hangs; on a busy machine everything takes its time.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 240_000, interval: 25 } },
    pool: 'forks',
    // Much is allocated and little kept: with room for four times as much as by default, what is young is looked through
    // a quarter as often, and most of it is gone by then (5 % of a worker's processor time, for 150 MB).
    execArgv: ['--min-semi-space-size=64', '--max-semi-space-size=64'],
    // Importing a whole control plane costs as much as many a test file: each worker does it once. So a test that
    // changes what other files see (a module's state, the environment, a prototype) puts it back.
    isolate: false,
    // Many tests wait for something most of the time: more at once than there are cores.
    maxWorkers: availableParallelism() + 2,
  },
});
