import { createRequire } from 'node:module';

// TypeScript 7.0 has no compiler API: this is the TypeScript 5 that openapi-typescript has (package.json, `overrides`).
const fromControlPlane = createRequire(new URL('../../control-plane/package.json', import.meta.url));
export const requireOfTypescript5 = createRequire(fromControlPlane.resolve('openapi-typescript'));
/** @type {{ createSourceFile(name: string, source: string, ...rest: unknown[]): unknown }} */
const typescript = requireOfTypescript5('typescript');

/** The last line of an import or of what is exported from another file; the formatter begins it so. */
const STATEMENT = /^(?:(?:import|export|\}).*\bfrom\s*['"].*|import\s*['"].*)$/gm;
/** Where else a file is named: these may be anywhere. */
const ELSEWHERE = /\b(?:import|require)\b\s*[(.]|^\s*declare\b|\bimport\s+\w+\s*=/m;

/**
 * Returns the beginning of a source that holds all of its imports. Pure.
 * @param {string} source
 */
export function upToLastImport(source) {
  if (ELSEWHERE.test(source)) return source;
  const last = [...source.matchAll(STATEMENT)].at(-1);
  return last ? source.slice(0, last.index + last[0].length) : '';
}

/**
 * TypeScript for who looks at imports alone: it parses sources no further than they have any, which is most of the work.
 */
export default Object.create(typescript, {
  createSourceFile: {
    value: (/** @type {string} */ name, /** @type {string} */ source, /** @type {unknown[]} */ ...rest) =>
      typescript.createSourceFile(name, upToLastImport(source), ...rest),
  },
});
