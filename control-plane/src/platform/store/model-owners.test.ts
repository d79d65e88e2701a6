import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const SOURCES = fileURLToPath(new URL('../../', import.meta.url));
const TEST_SUPPORT = /\.test\.ts$|(^|\/)testing[./]|^(benchmark|conformance|openapi-check|specification)\//;

/** The source files that run in production, without their comments. */
const sources = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !TEST_SUPPORT.test(path))
  .map((path) => ({
    path,
    code: readFileSync(`${SOURCES}/${path}`, 'utf8').replaceAll(/^\s*(\/\*\*|\*|\/\/).*$/gm, ''),
  }));
const matchesIn = (pattern: RegExp) =>
  sources.flatMap(({ path, code }) => [...code.matchAll(pattern)].map(([, name]) => ({ path, name: name! })));

describe('the model of a collection', () => {
  const factories = matchesIn(/export function (\w+Model)\(/g);

  it('is built in one place', () => {
    expect(factories.length).toBeGreaterThan(25);
    for (const { name } of factories) {
      const places = matchesIn(new RegExp(`(?<!function )\\b(${name})\\(`, 'g'));
      expect.soft(places, name).toHaveLength(1);
    }
  });

  it('is registered on the connection once', () => {
    const registered = matchesIn(/\.model<\w+>\(\s*'(\w+)'/g).map(({ name }) => name);
    expect(registered.length).toBeGreaterThan(factories.length);
    expect(registered.toSorted()).toEqual([...new Set(registered)].toSorted());
  });

  it('is not fetched from the connection by its name, past its owner', () => {
    expect(matchesIn(/\b(?:store|connection)\.(model)\(/g)).toEqual([]);
  });
});
