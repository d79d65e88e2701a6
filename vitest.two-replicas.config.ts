import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { CONTROL_PLANE_TESTS, callersOf, filesOf } from './vitest.callers.js';
import unitTests, { inRoot, ofReplicas } from './vitest.config.js';

const everything = process.env.TWO_REPLICAS === 'all';

/** The test files that run: those that say so, or all to which a second replica makes a difference. */
const include = [
  ...callersOf(['startTestControlPlane'], everything ? filesOf(CONTROL_PLANE_TESTS) : ofReplicas()),
];

/** The control plane's tests once more, on two replicas of one store behind a load balancer. */
export default defineConfig({
  ...unitTests,
  test: {
    ...unitTests.test,
    name: 'two replicas',
    include,
    exclude: [],
    provide: { onTwoReplicas: include.map(inRoot) },
    // The unit tests run beside them.
    maxWorkers: availableParallelism(),
  },
});
