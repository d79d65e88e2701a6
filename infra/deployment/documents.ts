import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';

/** Any value of a YAML or JSON document. */
export type Value = string | number | boolean | null | readonly Value[] | { readonly [name: string]: Value };

/** An object for a cluster, and where it is written. */
export interface Manifest {
  readonly file: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly object: { readonly [name: string]: Value };
}

/** Parses YAML's documents, merge keys included. @throws Error that names the file and the first thing that is wrong */
export function parseYaml(text: string, file: string): Value[] {
  return parseAllDocuments(text, { merge: true, uniqueKeys: true }).map((document) => {
    const [problem] = [...document.errors, ...document.warnings];
    if (problem) throw new Error(`${file}: ${problem.message}`);
    return document.toJS({ maxAliasCount: 1000 }) as Value;
  });
}

export const isObject = (value: Value | undefined): value is { readonly [name: string]: Value } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Reads the objects of some YAML text. @throws Error where one has no kind */
export function manifestsOf(text: string, file: string): Manifest[] {
  return parseYaml(text, file)
    .filter((value) => value !== null)
    .map((object) => {
      if (!isObject(object)) throw new Error(`${file}: expected objects`);
      const { apiVersion, kind } = object;
      if (typeof apiVersion !== 'string' || typeof kind !== 'string')
        throw new Error(`${file}: an object without apiVersion and kind`);
      return { file, apiVersion, kind, object };
    });
}

/** Reads every object below a repository's `infra/kubernetes` and `infra/monitoring`, as it is written there. */
export function writtenManifests(root: string): Manifest[] {
  return globSync('infra/{kubernetes,monitoring}/**/*.yaml', { cwd: root })
    .sort()
    .flatMap((file) => manifestsOf(readFileSync(join(root, file), 'utf8'), file));
}

/** Walks a value in depth and gives what `pick` finds in it. */
export function collect<T>(value: Value, pick: (value: Value) => readonly T[]): T[] {
  const below = Array.isArray(value)
    ? value.flatMap((entry) => collect(entry, pick))
    : isObject(value)
      ? Object.values(value).flatMap((entry) => collect(entry, pick))
      : [];
  return [...pick(value), ...below];
}
