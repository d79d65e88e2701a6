import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fromRoot, NODE } from './paths.mjs';

const LOCK_FILE = fromRoot('package-lock.json');
const STAMP = fromRoot('node_modules/.setup');
/** npm's own record of what it put into node_modules; written last. */
const NPM_RECORD = fromRoot('node_modules/.package-lock.json');

/** @returns {string} hash of the lock file */
const lockHash = () => createHash('sha256').update(readFileSync(LOCK_FILE)).digest('hex');

/** Remembers that node_modules is what the lock file asks for. */
export function stampInstalled() {
  writeFileSync(STAMP, `${lockHash()}\n`);
}

/**
 * Returns the reason why node_modules must be installed anew; undefined when it is what the lock file asks for. A
 * tree that the developer's own `npm install` brought up to date counts.
 * @returns {string | undefined}
 */
export function whyInstall() {
  if (!existsSync(LOCK_FILE)) return 'package-lock.json is missing';
  if (!existsSync(fromRoot('node_modules'))) return 'nothing is installed yet';
  if (!existsSync(NODE)) return 'the project’s own Node is not there';
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8').trim() === lockHash()) return undefined;
  if (!existsSync(NPM_RECORD)) return 'an earlier installation was not finished';
  const different = firstDifference(
    JSON.parse(readFileSync(LOCK_FILE, 'utf8')).packages,
    JSON.parse(readFileSync(NPM_RECORD, 'utf8')).packages,
  );
  if (different) return `${different} is not as package-lock.json has it`;
  stampInstalled();
  return undefined;
}

/**
 * @param {Record<string, { version?: string, optional?: boolean, link?: boolean }>} wanted
 * @param {Record<string, { version?: string }>} present
 * @returns {string | undefined} the first package that differs
 */
export function firstDifference(wanted, present) {
  for (const [path, entry] of Object.entries(wanted)) {
    if (!path.startsWith('node_modules/') && !path.includes('/node_modules/')) continue;
    const found = present[path];
    // Optional ones may be left out: they are for other platforms.
    if (found ? found.version !== entry.version : !entry.optional) return path;
  }
  return undefined;
}
