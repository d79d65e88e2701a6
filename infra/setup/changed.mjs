import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fromRoot, ROOT } from './paths.mjs';

/** A module that brings more than this with it stands for a whole process: its tests say little of one file. */
const WHOLE_PROCESS_FILES = 150;
/** As many test files as end within a minute, and the nearest of them. */
const MOST_TEST_FILES = 40;
const WORKSPACES = ['control-plane', 'media-plane', 'shared', 'infra', 'loadtest'];
const END_TO_END = 'loadtest/end-to-end/';
/** Not of types alone: the compiler sees what those break. */
const IMPORT = /(?:^|\n)(?:import(?! type\b)|export|\})[^;']*?from '([^']+)'|import\(\s*'([^']+)'/g;

/** @typedef {ReadonlyMap<string, readonly string[]>} Graph what each file imports, by paths relative to the root */
/** @typedef {{ tests: string[], left: number }} Selection `left`: how many more reach the change from afar */

/**
 * The file that an import means; undefined outside the repository.
 * @param {string} from
 * @param {string} specifier
 * @param {(path: string) => boolean} exists
 */
export function resolveImport(from, specifier, exists) {
  const shared = /^@voice\/shared\/(.*)$/.exec(specifier)?.[1];
  if (shared === undefined && !specifier.startsWith('.')) return undefined;
  const path = shared === undefined ? normalize(join(dirname(from), specifier)) : `shared/src/${shared}.ts`;
  return [path.replace(/\.js$/, '.ts'), path].find(exists);
}

/**
 * The sources below a folder. `fs.globSync` is not in Node 20, on which this may run.
 * @param {string} folder relative to the root
 * @returns {string[]}
 */
function sourcesIn(folder) {
  return readdirSync(fromRoot(folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return /^(node_modules|dist)$/.test(entry.name) ? [] : sourcesIn(path);
    return /\.(ts|mjs)$/.test(entry.name) ? [path] : [];
  });
}

/** @returns {Graph} */
function importGraph() {
  const files = WORKSPACES.flatMap(sourcesIn);
  const known = new Set(files);
  return new Map(
    files.map((file) => {
      const text = readFileSync(fromRoot(file), 'utf8');
      const imported = [...text.matchAll(IMPORT)].map(([, from, called]) =>
        resolveImport(file, /** @type {string} */ (from ?? called), (path) => known.has(path)),
      );
      return [file, imported.filter((path) => path !== undefined)];
    }),
  );
}

/**
 * Everything that a file brings with it.
 * @param {Graph} graph
 * @param {string} file
 */
function closureOf(graph, file) {
  const found = new Set([file]);
  for (const one of found) for (const next of graph.get(one) ?? []) found.add(next);
  return found;
}

const isTest = (/** @type {string} */ file) => /\.test\.ts$/.test(file);
export const isEndToEnd = (/** @type {string} */ file) => file.startsWith(END_TO_END);

/**
 * The test files that a change touches, nearest first: those that import it without a whole process in between, then
 * those beside it and above it that reach it through one.
 * @param {Graph} graph
 * @param {readonly string[]} changed
 * @param {{ wholeProcess?: number, most?: number }} [limits]
 * @returns {Selection}
 */
export function testsOf(graph, changed, { wholeProcess = WHOLE_PROCESS_FILES, most = MOST_TEST_FILES } = {}) {
  /** @type {Map<string, string[]>} */
  const importers = new Map();
  for (const [file, imported] of graph) {
    for (const one of imported) importers.set(one, [...(importers.get(one) ?? []), file]);
  }
  const isWhole = (/** @type {string} */ file) => closureOf(graph, file).size > wholeProcess;
  // A set keeps the order in which it was filled: nearest first.
  const near = new Set(changed);
  for (const file of near) {
    if (!changed.includes(file) && (isTest(file) || isWhole(file))) continue;
    for (const importer of importers.get(file) ?? []) near.add(importer);
  }
  const reached = new Set(changed);
  for (const file of reached) for (const importer of importers.get(file) ?? []) reached.add(importer);
  // Processes of their own know nothing of imports: an end-to-end test is touched by its own change alone.
  const runs = (/** @type {string} */ file) => isTest(file) && (!isEndToEnd(file) || changed.includes(file));
  const all = [...reached].filter(runs);
  const nearest = [...near].filter(runs);
  const folders = changed.filter((file) => graph.has(file)).flatMap(foldersOf);
  const around = folders.flatMap((folder) => all.filter((test) => dirname(test) === folder));
  const chosen = [...new Set([...nearest, ...around])].slice(0, most);
  return { tests: chosen, left: all.length - chosen.length };
}

/**
 * The folder of a file and those above it, up to what is two below a workspace (`control-plane/src/calls`).
 * @param {string} file
 */
function foldersOf(file) {
  const parts = dirname(file).split('/');
  const depth = parts[1] === 'src' ? 3 : 2;
  return parts
    .map((_, n) => parts.slice(0, parts.length - n).join('/'))
    .filter((folder) => folder.split('/').length >= depth);
}

/** @param {readonly string[]} args */
function git(args) {
  const { status, stdout } = spawnSync('git', args, { cwd: ROOT, encoding: 'utf8' });
  return status === 0 ? stdout.split('\n').filter((line) => line !== '') : undefined;
}

/** The files that differ from where this branch left the main one, or from the last commit where this is it. */
export function changedFiles() {
  const [base] = git(['merge-base', 'HEAD', 'origin/main']) ??
    git(['merge-base', 'HEAD', 'main']) ?? ['HEAD'];
  const changed = git(['diff', '--name-only', base ?? 'HEAD']);
  if (changed === undefined) return undefined;
  return [...changed, ...(git(['ls-files', '--others', '--exclude-standard']) ?? [])].filter((file) =>
    existsSync(fromRoot(file)),
  );
}

/** @param {readonly string[]} changed */
export const testsOfChange = (changed) => testsOf(importGraph(), changed);
