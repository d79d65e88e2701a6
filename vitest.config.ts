import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const shared = fileURLToPath(new URL('./shared/src/', import.meta.url));

export default defineConfig({
  resolve: { alias: [{ find: /^@voice\/shared\/(.*)$/, replacement: `${shared}$1.ts` }] },
  test: {
    include: ['*/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/dist/**', 'loadtest/end-to-end/**'],
    testTimeout: 20_000,
    hookTimeout: 60_000,
    pool: 'forks',
  },
});
