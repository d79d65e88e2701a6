import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('./', import.meta.url));
const RELATIVE_IMPORT = /^(?:import(?! type)|export|\}) .*?from '(\.[^']*)\.js';$/gm;

/** The tests of the control plane. */
export const CONTROL_PLANE_TESTS = 'control-plane/src/**/*.test.ts';

/** Returns which of the files call one of the functions themselves, or by a source file that they import. */
export function callersOf(functions: readonly string[], files: readonly string[]): readonly string[] {
  const called = new RegExp(`(?<!function )(?:${functions.join('|')})\\(`);
  const known = new Map<string, boolean>();
  const calls = (file: string): boolean => {
    const before = known.get(file);
    if (before !== undefined || !existsSync(join(root, file))) return before ?? false;
    known.set(file, false);
    const text = readFileSync(join(root, file), 'utf8');
    const imported = () =>
      [...text.matchAll(RELATIVE_IMPORT)].map(([, path]) => `${join(dirname(file), path!)}.ts`);
    const found = called.test(text) || imported().some(calls);
    known.set(file, found);
    return found;
  };
  return files.filter(calls);
}

/** Lists the files of a pattern, relative to the root. */
export const filesOf = (pattern: string): readonly string[] => globSync(pattern, { cwd: root });
