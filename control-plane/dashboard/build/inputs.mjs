import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const dashboard = fileURLToPath(new URL('../', import.meta.url));
const root = fileURLToPath(new URL('../../../', import.meta.url));

/** What the bundle is made of, relative to the dashboard's folder. */
const SOURCES = ['index.html', 'package.json', 'tsconfig.json', 'vite.config.ts', 'build/*.mjs', 'src/**/*'];
/** What else it is made of: shared code, and the code that describes the API. Relative to the root. */
const BESIDE = [
  'package-lock.json',
  'control-plane/assets/**/*',
  'control-plane/dist/.tsbuildinfo',
  'shared/dist/.tsbuildinfo',
];
const GENERATED = /openapi\.d\.ts$/;

/**
 * Returns a hash over everything the bundle depends on.
 * @returns {string}
 */
export function inputHash() {
  const hash = createHash('sha256');
  for (const [folder, patterns] of [
    [dashboard, SOURCES],
    [root, BESIDE],
  ]) {
    const files = globSync(patterns, { cwd: folder, withFileTypes: true })
      .filter((entry) => entry.isFile() && !GENERATED.test(entry.name))
      .map((entry) => `${entry.parentPath}/${entry.name}`)
      .sort();
    for (const file of files) {
      if (!existsSync(file)) continue;
      // The length keeps two files from being taken for two others with the same bytes in a row.
      const bytes = readFileSync(file);
      hash.update(`${file.slice(folder.length)}\0${bytes.length}\0`).update(bytes);
    }
  }
  return hash.digest('hex');
}
