import { fromRoot } from './paths.mjs';

export const BIOME = fromRoot('node_modules/@biomejs/biome/bin/biome');
const KNIP = fromRoot('node_modules/knip/bin/knip.js');

/**
 * `ignores`: of the repository's files those whose change cannot change what the check says; it is not repeated for
 * them. Everything else is taken for something that it reads.
 * @typedef {{ name: string, args: readonly string[], ignores?: RegExp }} Check
 */

/** Words for people, and what they look at. */
const WORDS = /\.(md|png|svg)$/;
/** What describes no API: words, tests, and workspaces that the control plane knows nothing of. */
const NOT_OF_THE_API =
  /\.(md|png|svg)$|\.test\.tsx?$|^(docs|examples|infra|loadtest|media-plane|control-plane\/dashboard)\//;

/**
 * Lint with format, imports, dead code, rules of the specification without a test, the API's description as linters
 * and generators read it.
 * @type {readonly Check[]}
 */
export const CHECKS = [
  { name: 'lint and format', args: [BIOME, 'check', '--error-on-warnings', fromRoot('.')], ignores: WORDS },
  { name: 'imports', args: [fromRoot('infra/setup/check-dependencies.mjs')], ignores: WORDS },
  { name: 'nothing unused', args: [KNIP, '--directory', fromRoot('.'), '--no-progress'], ignores: WORDS },
  {
    name: 'a test for every rule',
    args: [fromRoot('control-plane/dist/conformance/rules/main.js'), '--check'],
  },
  { name: 'deployment files', args: [fromRoot('infra/dist/deployment/main.js')] },
  {
    name: 'description of the API, and the clients made of it',
    args: [fromRoot('clients/generate/check.mjs')],
    ignores: NOT_OF_THE_API,
  },
];
