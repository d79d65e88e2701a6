import { globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Limits of what a browser loads, gzip-compressed, in bytes. */
const FIRST_LOAD_LIMIT = 250_000;
const PAGE_LIMIT = 150_000;

/**
 * `first`: everything the first page load takes before any page's own code. `pages`: the largest first.
 * @typedef {{ first: number, pages: { name: string, bytes: number }[] }} Sizes
 */

/**
 * Sums the compressed sizes of a built dashboard.
 * @param {string} dist
 * @returns {Sizes}
 */
export function bundleSizes(dist) {
  const manifest = JSON.parse(readFileSync(join(dist, '.vite/manifest.json'), 'utf8'));
  const size = (file) => statSync(join(dist, globSync(`${file}.gz`, { cwd: dist })[0] ?? file)).size;
  /** @param {string} key @param {Set<string>} seen */
  const filesOf = (key, seen) => {
    const chunk = manifest[key];
    seen.add(chunk.file);
    for (const css of chunk.css ?? []) seen.add(css);
    for (const imported of chunk.imports ?? []) {
      if (!seen.has(manifest[imported].file)) filesOf(imported, seen);
    }
    return seen;
  };
  const first = filesOf('index.html', new Set());
  const sum = (files) => [...files].reduce((bytes, file) => bytes + size(file), 0);
  const pages = Object.entries(manifest)
    .filter(([, chunk]) => chunk.isDynamicEntry)
    .map(([key]) => ({
      name: key.replace(/^src\//, ''),
      bytes: sum([...filesOf(key, new Set())].filter((file) => !first.has(file))),
    }))
    .sort((a, b) => b.bytes - a.bytes);
  return { first: sum(first), pages };
}

const kb = (bytes) => `${(bytes / 1000).toFixed(1)} KB`;

/**
 * The sizes as lines for a terminal.
 * @param {Sizes} sizes
 */
export function sizeLines({ first, pages }) {
  const line = (name, bytes) => `  ${name.padEnd(34)}${kb(bytes).padStart(10)}`;
  return [line('first load (gzip)', first), ...pages.map(({ name, bytes }) => line(name, bytes))];
}

/**
 * What is larger than it may be, in words.
 * @param {Sizes} sizes
 * @returns {string[]}
 */
export function overLimit({ first, pages }) {
  const problems = [];
  if (first > FIRST_LOAD_LIMIT) {
    problems.push(
      `The first load is ${kb(first)}; the limit is ${kb(FIRST_LOAD_LIMIT)}. Load more of it lazily.`,
    );
  }
  for (const { name, bytes } of pages) {
    if (bytes > PAGE_LIMIT) {
      problems.push(`${name} adds ${kb(bytes)}; the limit is ${kb(PAGE_LIMIT)}. Load parts of it lazily.`);
    }
  }
  return problems;
}
