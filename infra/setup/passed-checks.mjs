import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fromRoot, ROOT } from './paths.mjs';

/** A megabyte, which is the default, is less than the names of all files may take. */
const MOST_OUTPUT = 64 * 1024 * 1024;
/** What npm installed: another linter may say something else. */
const INSTALLED = fromRoot('node_modules/.package-lock.json');

/** @typedef {ReadonlyMap<string, string>} Contents a hash of each file of the repository, by its path */

/**
 * Returns the name of what a check would read. Pure.
 * @param {import('./checks.mjs').Check} check
 * @param {Contents} contents
 * @param {string} tools what names everything outside the repository that takes part
 */
export function readBy({ name, args, ignores }, contents, tools) {
  const hash = createHash('sha256').update(JSON.stringify([name, args, tools]));
  for (const [path, content] of [...contents].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (!ignores?.test(path)) hash.update(`${path}\0${content}\0`);
  }
  return hash.digest('hex');
}

/**
 * @param {readonly string[]} args
 * @param {string} [input]
 */
function git(args, input) {
  const { status, stdout } = spawnSync('git', args, {
    cwd: ROOT,
    encoding: 'utf8',
    input,
    maxBuffer: MOST_OUTPUT,
  });
  return status === 0 ? stdout.split('\n').filter((line) => line !== '') : undefined;
}

/**
 * Returns what is in the working tree, committed or not; undefined where this is no clone of git. Files that git ignores
 * are made of the others.
 * @returns {Contents | undefined}
 */
export function contentsOfTree() {
  const staged = git(['ls-files', '--stage']);
  const differing = git(['diff-files', '--name-only']);
  const untracked = git(['ls-files', '--others', '--exclude-standard']);
  if (!staged || !differing || !untracked) return undefined;
  const contents = new Map(
    staged.map((line) => {
      const [facts = '', path = ''] = line.split('\t');
      return [path, facts];
    }),
  );
  for (const path of differing) contents.delete(path);
  const changed = [...differing, ...untracked].filter((path) => existsSync(fromRoot(path)));
  const hashes = git(['hash-object', '--stdin-paths'], changed.map((path) => `${path}\n`).join(''));
  if (hashes?.length !== changed.length) return undefined;
  // As git would name them once they are added.
  for (const [n, path] of changed.entries()) contents.set(path, `100644 ${hashes[n]} 0`);
  return contents;
}

/**
 * Remembers which checks passed, and what they had read: they are not repeated on the same.
 * @param {Contents | undefined} contents
 * @param {string} [folder] where it is kept
 */
export function passedChecks(contents, folder = fromRoot('.setup/passed')) {
  const tools = existsSync(INSTALLED) ? readFileSync(INSTALLED, 'utf8') : '';
  const fileOf = (/** @type {string} */ name) => `${folder}/${name.replaceAll(/\W+/g, '-')}`;
  return {
    /** @param {import('./checks.mjs').Check} check */
    has(check) {
      const path = fileOf(check.name);
      return (
        contents !== undefined &&
        existsSync(path) &&
        readFileSync(path, 'utf8') === readBy(check, contents, tools)
      );
    },
    /** @param {import('./checks.mjs').Check} check */
    note(check) {
      if (contents === undefined) return;
      mkdirSync(folder, { recursive: true });
      writeFileSync(fileOf(check.name), readBy(check, contents, tools));
    },
  };
}
