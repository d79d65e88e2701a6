import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { transformSync } from 'rolldown/utils';

/** What the compiler leaves out of what runs. */
const OF_TESTS = /\.test\.ts$|\.d\.ts$|(^|\/)testing(\/|\.ts$)/;
const SOURCE = /^(shared|control-plane|media-plane)\/src\/(.+)\.ts$|^(infra)\/(.+)\.ts$/;

/** Returns where a source is compiled to, relative to the root; undefined for one that is no part of what runs. */
export function compiledFileOf(source: string): string | undefined {
  const [, plane, inPlane, infra, inInfra] = SOURCE.exec(source) ?? [];
  if (OF_TESTS.test(source)) return undefined;
  if (plane !== undefined) return `${plane}/dist/${inPlane}.js`;
  return infra === undefined ? undefined : `infra/dist/${inInfra}.js`;
}

/**
 * Writes what a source becomes without its types, which nothing has checked: the compiler, which takes seconds, does so
 * later and writes the same again. Each source stands for itself (`isolatedModules`).
 * @returns the compiled file, relative to the root; undefined where there is none to be written: the source is gone, has
 * an error of syntax, or is no part of what runs
 */
export function transpile(root: string, source: string): string | undefined {
  const compiled = compiledFileOf(source);
  if (compiled === undefined) return undefined;
  const text = textOf(join(root, source));
  if (text === undefined) return undefined;
  const { code, map, errors } = transformSync(basename(source), text, {
    lang: 'ts',
    target: 'es2023',
    sourcemap: true,
    // Of tsconfig.base.json: `verbatimModuleSyntax`.
    typescript: { onlyRemoveTypeImports: true },
    // The compiler's configuration is said here.
    tsconfig: false,
  });
  if (errors.length > 0 || !map) return undefined;
  const file = join(root, compiled);
  mkdirSync(dirname(file), { recursive: true });
  const sources = [relative(dirname(file), join(root, source))];
  writeFileSync(`${file}.map`, JSON.stringify({ ...map, file: basename(file), sources }));
  writeFileSync(file, `${code}\n//# sourceMappingURL=${basename(file)}.map`);
  return compiled;
}

/** Returns a source's text; undefined where it is gone. */
function textOf(file: string): string | undefined {
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) return undefined;
  return readFileSync(file, 'utf8');
}
