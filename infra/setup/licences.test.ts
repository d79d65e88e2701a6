import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const path = (name: string) => fileURLToPath(new URL(`../../${name}`, import.meta.url));
const read = (name: string) => readFileSync(path(name), 'utf8');

/** Licences that ask for nothing but their own text to be passed on (SPDX). */
const PERMISSIVE = new Set([
  'MIT',
  'ISC',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'Unlicense',
]);

/** Begins the text of the MIT licence. */
const MIT_GRANT = 'Permission is hereby granted, free of charge, to any person obtaining a copy';

interface LockEntry {
  readonly version?: string;
  readonly license?: string;
  readonly link?: boolean;
}

const lock = JSON.parse(read('package-lock.json')) as { packages: Record<string, LockEntry> };
const installed = Object.entries(lock.packages)
  .filter(([place, { link }]) => place.includes('node_modules/') && !link)
  .map(([place, entry]) => ({ place, name: place.slice(place.lastIndexOf('node_modules/') + 13), ...entry }));
const notice = read('NOTICE');

/** Checks whether one of the alternatives of a licence expression is permissive. */
const isPermissive = (expression: string) =>
  expression
    .replaceAll(/[()]/g, '')
    .split(/ OR /)
    .some((alternative) => alternative.split(/ AND /).every((licence) => PERMISSIVE.has(licence)));
/** Gives the family of a package that comes once for each platform. */
const family = (name: string) => name.replace(/-(android|darwin|freebsd|linux|win32)-.*$/, '');

describe('NOTICE', () => {
  it('names every package whose licence asks for more than to be passed on', () => {
    expect(installed.length).toBeGreaterThan(200);
    const demanding = installed.filter(({ license }) => license !== undefined && !isPermissive(license));
    expect(demanding.length).toBeGreaterThan(0);
    const unnamed = demanding.filter(
      ({ name, license = '' }) => !notice.includes(family(name)) || !notice.includes(license),
    );
    expect(unnamed.map(({ name, license }) => `${name}: ${license}`)).toEqual([]);
  });

  it('says under which licence each package comes whose licence the lock file does not name', () => {
    const unknown = installed.filter(({ license }) => license === undefined);
    const unresolved = unknown.filter(({ name, version }) => !notice.includes(`${name} ${version} (MIT)`));
    expect(unresolved.map(({ name, version }) => `${name} ${version}`)).toEqual([]);
  });

  it('has that from the licence that the package itself brings', () => {
    for (const [, name] of notice.matchAll(/^\s*([\w./@-]+) [\d.]+ \(MIT\)/gm)) {
      const file = `node_modules/${name}/LICENSE`;
      expect(existsSync(path(file)), file).toBe(true);
      expect(read(file)).toContain(MIT_GRANT);
    }
  });

  it('names no package as unknown that the lock file no longer has', () => {
    const known = new Set(installed.map(({ name, version }) => `${name} ${version}`));
    const named = [...notice.matchAll(/^\s*([\w./@-]+ [\d.]+) \(MIT\)/gm)].map(([, both]) => both!);
    expect(named.filter((both) => !known.has(both))).toEqual([]);
  });
});
