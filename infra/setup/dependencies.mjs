import { globSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import config from '../../.dependency-cruiser.mjs';
import { folderCycles } from './folder-cycles.mjs';
import { requireOfTypescript5 } from './typescript-imports.mjs';

/** Product, tests, tools and what browsers are given; what is built from them is not looked at. */
const SOURCES = [
  '*.{ts,mjs}',
  '.dependency-cruiser.mjs',
  '{clients,control-plane,examples,infra,loadtest,media-plane,shared}/**/*.{ts,tsx,mjs,js}',
];
const BUILT = /(^|\/)(dist|node_modules|coverage)\//;
/** A test stands beside what it tests, and brings other folders together that do not know each other. */
const TESTS = /\.test\.tsx?$|[./-]testing\.ts$|\/testing\//;

/** A source's import of `./x.js` is of `./x.ts`: tried first, that spares most of the looking. */
const RESOLVING = { extensionAlias: { '.js': ['.ts', '.js'] } };
/** Files do not change meanwhile. */
const KEPT = { cachedInputFileSystem: { cacheDuration: 600_000 } };

// The parser of dependency-cruiser needs TypeScript's compiler API, and only looks at imports.
registerHooks({
  resolve(specifier, context, nextResolve) {
    const isIts = /^typescript(\/|$)/.test(specifier) && context.parentURL?.includes('/dependency-cruiser/');
    if (!isIts) return nextResolve(specifier, context);
    const url =
      specifier === 'typescript'
        ? new URL('./typescript-imports.mjs', import.meta.url)
        : pathToFileURL(requireOfTypescript5.resolve(specifier));
    return { url: url.href, shortCircuit: true };
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
  const files = globSync(SOURCES, { cwd: root, exclude: (path) => BUILT.test(`${path}/`) });
  const options = {
    ...config.options,
    baseDir: root,
    validate: true,
    ruleSet: { forbidden: config.forbidden },
  };
  const { output } = await cruise(files, { ...options, enhancedResolveOptions: KEPT }, RESOLVING);
  if (typeof output === 'string') throw new Error(output);
  const { modules, summary } = output;
  const isOneOfTests = (/** @type {string} */ path) => TESTS.test(path);
  const imports = modules
    .filter(({ source }) => !isOneOfTests(source))
    .flatMap(({ source, dependencies }) =>
      dependencies.map(({ resolved }) => ({ from: source, to: resolved })),
    )
    .filter(({ to }) => !BUILT.test(to) && !isOneOfTests(to));
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
