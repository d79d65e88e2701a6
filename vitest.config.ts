import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const shared = fileURLToPath(new URL('./shared/src/', import.meta.url));

export default defineConfig({
  resolve: { alias: [{ find: /^@voice\/shared\/(.*)$/, replacement: `${shared}$1.ts` }] },
  test: {
    include: ['*/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/dist/**', 'loadtest/end-to-end/**'],
    // Ends what hangs; on a busy machine everything takes its time.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
    // Many tests wait for something most of the time: two at once, even where there are only two cores.
    maxWorkers: Math.max(2, availableParallelism() - 1),
  },
});
