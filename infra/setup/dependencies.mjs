import { globSync } from 'node:fs';
import { createRequire, registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import config, { TEST_SUPPORT } from '../../.dependency-cruiser.mjs';
import { folderCycles } from './folder-cycles.mjs';

/** Product, tests and tools; what is built from them is not looked at. */
const SOURCES = ['{control-plane,media-plane,shared}/src/**/*.ts', 'infra/**/*.{ts,mjs}', 'loadtest/**/*.ts'];
const BUILT = /(^|\/)(dist|node_modules)\//;

// The parser of dependency-cruiser needs TypeScript's compiler API, which TypeScript 7.0 does not have: it is given the
// TypeScript 5 that openapi-typescript has (package.json, `overrides`).
const fromControlPlane = createRequire(new URL('../../control-plane/package.json', import.meta.url));
const typescript5 = createRequire(fromControlPlane.resolve('openapi-typescript'));
registerHooks({
  resolve(specifier, context, nextResolve) {
    const isIts = /^typescript(\/|$)/.test(specifier) && context.parentURL?.includes('/dependency-cruiser/');
    if (!isIts) return nextResolve(specifier, context);
    return { url: pathToFileURL(typescript5.resolve(specifier)).href, shortCircuit: true };
  },
});

/**
 * Holds every import below a folder that is laid out as the repository to the rules of `.dependency-cruiser.mjs`.
 * @param {string} root
 * @returns {Promise<{ files: number, violations: string[] }>} a violation as `rule: from → to`
 */
export async function checkDependencies(root) {
  // Imported here, after the hook is there.
  const { cruise } = await import('dependency-cruiser');
  const files = globSync(SOURCES, { cwd: root }).filter((path) => !BUILT.test(path));
  const { output } = await cruise(files, {
    ...config.options,
    baseDir: root,
    validate: true,
    ruleSet: { forbidden: config.forbidden },
  });
  if (typeof output === 'string') throw new Error(output);
  const { modules, summary } = output;
  const isTestSupport = (path) => TEST_SUPPORT.some((pattern) => new RegExp(pattern).test(path));
  const imports = modules
    .filter(({ source }) => !isTestSupport(source))
    .flatMap(({ source, dependencies }) =>
      dependencies.map(({ resolved }) => ({ from: source, to: resolved })),
    )
    .filter(({ to }) => !BUILT.test(to) && !isTestSupport(to));
  return {
    files: files.length,
    violations: [
      ...summary.violations.map(
        ({ rule, from, to, cycle }) =>
          `${rule.name}: ${[from, ...(cycle?.map(({ name }) => name) ?? [to])].join(' → ')}`,
      ),
      ...folderCycles(imports).map((folders) => `no-cycle-of-folders: ${folders.join(' → ')}`),
    ],
  };
}
