import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const shared = fileURLToPath(new URL('./shared/src/', import.meta.url));

export default defineConfig({
  resolve: { alias: [{ find: /^@voice\/shared\/(.*)$/, replacement: `${shared}$1.ts` }] },
  test: {
    include: ['*/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/dist/**', 'loadtest/end-to-end/**'],
    globalSetup: ['vitest.global-setup.ts'],
    // Ends what hangs; on a busy machine everything takes its time.
    testTimeout: 150_000,
    hookTimeout: 150_000,
    expect: { poll: { timeout: 60_000, interval: 25 } },
    pool: 'forks',
    // Importing a whole control plane costs as much as many a test file: each worker does it once. So a test that
    // changes what other files see (a module's state, the environment, a prototype) puts it back.
    isolate: false,
    // Many tests wait for something most of the time: more at once than there are cores.
    maxWorkers: availableParallelism() + 1,
  },
});
