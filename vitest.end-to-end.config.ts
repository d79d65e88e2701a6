import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const shared = fileURLToPath(new URL('./shared/src/', import.meta.url));

const files = (...names: string[]) => names.map((name) => `loadtest/end-to-end/${name}.test.ts`);

/** Files whose tenants live on one system, which none of them harms. */
const SHARED = files(
  'agent-testing',
  'call-life',
  'clients',
  'dashboard',
  'examples',
  'guide-commands',
  'guides',
  'inbound-calls',
  'launcher',
  'live-streams',
  'login',
  'operator',
  'operator-requests',
  'transfers',
);
const SHARED_SYSTEM = ['loadtest/end-to-end/shared-system.global-setup.ts'];
/** Files that measure time, or need much of the machine: few of them at once, with nothing beside them. */
const HEAVY = files('lines-and-pipelines', 'worker-loss');
/** Of these, those on the shared system. */
const HEAVY_SHARED = files('talk');

/** People who talk take their time, and hardly any of the machine's: two files that wait for each core. */
const SIDE_BY_SIDE = { maxWorkers: 2 * availableParallelism(), sequence: { groupOrder: 1 } };
const BY_THEMSELVES = { maxWorkers: availableParallelism(), sequence: { groupOrder: 2 } };

/** Real processes on their own ports. */
export default defineConfig({
  resolve: { alias: [{ find: /^@voice\/shared\/(.*)$/, replacement: `${shared}$1.ts` }] },
  test: {
    globalSetup: ['vitest.global-setup.ts'],
    // These end what hangs; on a busy machine everything takes its time.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    pool: 'forks',
    isolate: false,
    // The calls of one file run side by side.
    maxConcurrency: 20,
    projects: [
      {
        extends: true,
        test: {
          name: 'one system',
          include: SHARED,
          globalSetup: SHARED_SYSTEM,
          ...SIDE_BY_SIDE,
        },
      },
      {
        extends: true,
        test: {
          name: 'systems of their own',
          include: ['loadtest/end-to-end/**/*.test.ts'],
          exclude: [...SHARED, ...HEAVY, ...HEAVY_SHARED],
          ...SIDE_BY_SIDE,
        },
      },
      {
        extends: true,
        test: {
          name: 'heavy on the one system',
          include: HEAVY_SHARED,
          globalSetup: SHARED_SYSTEM,
          ...BY_THEMSELVES,
        },
      },
      { extends: true, test: { name: 'heavy', include: HEAVY, ...BY_THEMSELVES } },
    ],
  },
});
