import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** From shared/dist/process as from shared/src/process. */
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** Which bundle of a plane is the last one made, and what it was made of: `<plane>/dist/bundle/current.json`. */
export interface BundleRecord {
  /** The bundle's folder, beside the record. */
  readonly folder: string;
  /** Hashes by file, relative to the root: the compiler's records of a plane and of what is shared, the lock file, the bundler. */
  readonly madeOf: Readonly<Record<string, string>>;
}

export const bundlesOf = (plane: string, root = ROOT): string => `${root}${plane}/dist/bundle/`;

/** Returns the hashes of what a plane's bundle is made of now; a file that is not there is left out. */
export function ingredientsOf(plane: string, root = ROOT): BundleRecord['madeOf'] {
  const files = [
    `${plane}/dist/.tsbuildinfo`,
    'shared/dist/.tsbuildinfo',
    'package-lock.json',
    'infra/dist/bundle/bundle.js',
    'infra/dist/bundle/main.js',
  ];
  return Object.fromEntries(
    files
      .filter((file) => existsSync(root + file))
      .map((file) => [
        file,
        createHash('sha256')
          .update(readFileSync(root + file))
          .digest('hex'),
      ]),
  );
}

/** Returns the record of the plane's last bundle; undefined where there is none. */
export function bundleRecord(plane: string, root = ROOT): BundleRecord | undefined {
  const record = `${bundlesOf(plane, root)}current.json`;
  return existsSync(record) ? (JSON.parse(readFileSync(record, 'utf8')) as BundleRecord) : undefined;
}

/** Records a bundle as the plane's last one. At once: what starts meanwhile runs the one or the other. */
export function recordBundle(plane: string, record: BundleRecord, root = ROOT): void {
  const all = bundlesOf(plane, root);
  writeFileSync(`${all}next.json`, JSON.stringify(record));
  renameSync(`${all}next.json`, `${all}current.json`);
}

/** Has no process start from the plane's bundle any more: a compiled file has changed that no compiler's record knows of. */
export function outdateBundle(plane: string, root = ROOT): void {
  const record = bundleRecord(plane, root);
  if (!record) return;
  const outdated = Object.fromEntries(Object.keys(record.madeOf).map((file) => [file, '']));
  recordBundle(plane, { ...record, madeOf: outdated }, root);
}

/**
 * Returns the address of the plane's bundle where it is made of what is there now; undefined where it is not, or where
 * there is none. What is missing (an image of a production system holds no records of the compiler) cannot have changed.
 */
export function currentBundle(plane: string, root = ROOT): string | undefined {
  const record = bundleRecord(plane, root);
  if (!record) return undefined;
  const now = ingredientsOf(plane, root);
  const isCurrent = Object.entries(record.madeOf).every(
    ([file, hash]) => now[file] === undefined || now[file] === hash,
  );
  return isCurrent ? pathToFileURL(`${bundlesOf(plane, root)}${record.folder}/run.js`).href : undefined;
}
