import { defineConfig } from 'vitest/config';
import { CONTROL_PLANE_TESTS, callersOf, filesOf } from './vitest.callers.js';
import unitTests from './vitest.config.js';

/** Where the tests of what the embedded store's process does when it is harmed lie: no server is harmed for them. */
const OF_EMBEDDED_STORE = 'control-plane/src/platform/harmed-store/';

/** The independent store takes two indexes of one name, and then cannot drop the database. */
const OF_CHANGED_INDEXES = [
  'control-plane/src/platform/migrations/**',
  'control-plane/src/platform/store/ensure-indexes.test.ts',
];

/** The control plane's tests that use a store, on the server at TEST_MONGODB_URI (npm run test:mongo). */
export default defineConfig({
  ...unitTests,
  test: {
    ...unitTests.test,
    name: 'the control plane on a given MongoDB',
    include: callersOf(['startTestStore'], filesOf(CONTROL_PLANE_TESTS)).filter(
      (file) => !file.startsWith(OF_EMBEDDED_STORE),
    ),
    exclude: process.env.TEST_INDEPENDENT_STORE ? OF_CHANGED_INDEXES : [],
  },
});
