import { dirname, join } from 'node:path';

const IMPORT = /(?:\bfrom|\bimport)\s*\(?\s*['"]([^'"]+)['"]/g;
/** A thread's file: `new URL('./x.js', import.meta.url)`; its ending may be chosen where it runs. */
const THREAD = /new URL\(\s*(['"`])(\.{1,2}\/.*?)\1\s*,\s*import\.meta\.url/g;
/** A child process's file, without its ending: `ownProcess(import.meta.url, './x')`. */
const CHILD_PROCESS = /\(\s*import\.meta\.url,\s*['"](\.[\w./-]+)['"]/g;
/** A package that is loaded with the file itself, and not when some function asks for it. */
const PACKAGE = /^(?:import|export)\b(?:[^'";(]*?\bfrom)?\s*['"]((?!node:|@voice\/)[^'".][^'"]*)['"]/gm;
const SHARED = '@voice/shared/';

/** Returns the compiled files of the repository that a compiled file refers to, relative to the root. */
export function referencesOf(file: string, text: string): string[] {
  const beside = (path: string) => join(dirname(file), path);
  const imports = [...text.matchAll(IMPORT)].flatMap(([, path = '']) => {
    if (path.startsWith(SHARED)) return [`shared/dist/${path.slice(SHARED.length)}.js`];
    return path.startsWith('.') ? [beside(path)] : [];
  });
  const threads = [...text.matchAll(THREAD)].map(([, , path = '']) =>
    beside(path.replace(/\$\{.*\}$/, 'js')),
  );
  const processes = [...text.matchAll(CHILD_PROCESS)].map(([, path = '']) => beside(`${path}.js`));
  return [...imports, ...threads, ...processes];
}

/** Returns the packages that a compiled file imports as it is loaded. */
export function packagesOf(text: string): string[] {
  return [...text.matchAll(PACKAGE)].map(([, name = '']) => name);
}

/** Returns the files that run when the entry runs: itself and whatever it refers to, directly or not. */
export function filesBehind(entry: string, referencesIn: (file: string) => readonly string[]): Set<string> {
  const files = new Set<string>();
  const waiting = [entry];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (files.has(file)) continue;
    files.add(file);
    waiting.push(...referencesIn(file));
  }
  return files;
}

/** Returns the names of the entries behind which one of the changed files is. */
export function affected<Name extends string>(
  changed: readonly string[],
  entries: Readonly<Record<Name, string>>,
  referencesIn: (file: string) => readonly string[],
): Name[] {
  const names = Object.keys(entries) as Name[];
  return names.filter((name) => {
    const files = filesBehind(entries[name], referencesIn);
    return changed.some((file) => files.has(file));
  });
}
