import { globSync, readFileSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { parseAst } from 'vitest/node';
import { findMutations, type LoopGuard, type Node } from './mutations.js';
import type { Mutant } from './schemata.js';

export interface MutatedSource {
  /** Absolute. */
  readonly path: string;
  readonly source: string;
  readonly loopGuards: readonly LoopGuard[];
}

/** A mutant with its place. */
export interface Candidate extends Mutant {
  readonly path: string;
  /** Relative to the root. */
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly original: string;
}

/** Programs, and what only tests, measures or describes. */
const NOT_MUTATED = /(?:\.test|\.d|\/main|\/benchmark)\.ts$|\/(?:testing|node_modules|dist)\//;

const NOT_LOADED = /\.d\.ts$|\/(?:node_modules|dist)\//;

/** Returns the sources of folders or files; and the tests and what supports them, whose loops are guarded alone. */
export function sourcesOf(
  root: string,
  folders: readonly string[],
): { mutated: string[]; guarded: string[] } {
  const found = folders.flatMap((folder) => {
    const path = resolve(root, folder);
    const isFolder = statSync(path).isDirectory();
    return isFolder ? globSync('**/*.ts', { cwd: path }).map((file) => join(path, file)) : [path];
  });
  const loaded = [...new Set(found)].filter((file) => !NOT_LOADED.test(file)).sort();
  return {
    mutated: loaded.filter((file) => !NOT_MUTATED.test(file)),
    guarded: loaded.filter((file) => NOT_MUTATED.test(file)),
  };
}

function parsed(path: string) {
  const source = readFileSync(path, 'utf8');
  const program = parseAst(source, { lang: 'ts', sourceType: 'module' }, path) as unknown as Node;
  return { path, source, ...findMutations(source, program) };
}

/** Returns every mutant of the files, numbered from 1. */
export function mutantsOf(
  root: string,
  { mutated, guarded }: ReturnType<typeof sourcesOf>,
): { sources: MutatedSource[]; candidates: Candidate[] } {
  const candidates: Candidate[] = [];
  const sources = mutated.map(parsed);
  for (const { path, source, mutations } of sources) {
    for (const mutation of mutations) {
      const { start, end } = mutation;
      candidates.push({
        ...mutation,
        id: candidates.length + 1,
        path,
        file: relative(root, path),
        line: source.slice(0, start).split('\n').length,
        original: source.slice(start, end),
      });
    }
  }
  return { sources: [...sources, ...guarded.map(parsed)], candidates };
}

/** `count` of them, the same for the same seed, in their order. Pure. */
export function sampleOf<T>(all: readonly T[], count: number, seed: number): T[] {
  if (all.length <= count) return [...all];
  const next = randomFrom(seed);
  return all
    .map((value, at) => ({ value, at, order: next() }))
    .sort((a, b) => a.order - b.order)
    .slice(0, count)
    .sort((a, b) => a.at - b.at)
    .map(({ value }) => value);
}

/** Numbers from 0 to 1 by mulberry32. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
