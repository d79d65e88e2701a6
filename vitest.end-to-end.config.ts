import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const shared = fileURLToPath(new URL('./shared/src/', import.meta.url));

/** Files that measure time, or need all of the machine: one after the other, with nothing beside them. */
const ALONE = ['call-life', 'lines-and-pipelines', 'talk', 'worker-loss'].map(
  (name) => `loadtest/end-to-end/${name}.test.ts`,
);

/** Real processes on their own ports. */
export default defineConfig({
  resolve: { alias: [{ find: /^@voice\/shared\/(.*)$/, replacement: `${shared}$1.ts` }] },
  test: {
    globalSetup: ['vitest.global-setup.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    pool: 'forks',
    // The calls of one file run side by side.
    maxConcurrency: 20,
    projects: [
      {
        extends: true,
        test: {
          name: 'side by side',
          include: ['loadtest/end-to-end/**/*.test.ts'],
          exclude: ALONE,
          // People who talk take their time, and hardly any of the machine's.
          maxWorkers: 2 * availableParallelism(),
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: { name: 'alone', include: ALONE, maxWorkers: 1, sequence: { groupOrder: 2 } },
      },
    ],
  },
});
