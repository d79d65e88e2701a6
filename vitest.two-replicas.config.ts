import { existsSync, globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import unitTests, { ofReplicas } from './vitest.config.js';

const root = fileURLToPath(new URL('./', import.meta.url));
const RELATIVE_IMPORT = /^(?:import(?! type)|export|\}) .*?from '(\.[^']*)\.js';$/gm;
const known = new Map<string, boolean>();

/** Whether a source file, or one that it imports, starts a whole control plane for tests. */
function startsControlPlane(file: string): boolean {
  const before = known.get(file);
  if (before !== undefined || !existsSync(join(root, file))) return before ?? false;
  known.set(file, false);
  const text = readFileSync(join(root, file), 'utf8');
  const imported = () =>
    [...text.matchAll(RELATIVE_IMPORT)].map(([, path]) => `${join(dirname(file), path!)}.ts`);
  const starts = /(?<!function )startTestControlPlane\(/.test(text) || imported().some(startsControlPlane);
  known.set(file, starts);
  return starts;
}

const everything = process.env.TWO_REPLICAS === 'all';

/** The test files that run: those that say so, or all to which a second replica makes a difference. */
const include = (
  everything ? globSync('control-plane/src/**/*.test.ts', { cwd: root }) : [...ofReplicas()]
).filter(startsControlPlane);

/** The control plane's tests once more, on two replicas of one store behind a load balancer. */
export default defineConfig({
  ...unitTests,
  test: {
    ...unitTests.test,
    name: 'two replicas',
    include,
    exclude: [],
    env: { REPLICAS: '2' },
    // The unit tests run beside them.
    maxWorkers: availableParallelism(),
  },
});
