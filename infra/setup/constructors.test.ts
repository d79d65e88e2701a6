import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from './paths.mjs';

/** Of the product; what a test's doubles take is beside them. */
const sources = globSync(['{control-plane,media-plane,shared}/src/**/*.ts', 'infra/**/*.ts'], {
  cwd: ROOT,
  exclude: (path) =>
    /(^|\/)(dist|node_modules|testing)\/|\.test\.ts$/.test(`${path}${path.endsWith('.ts') ? '' : '/'}`),
});

it('every constructor that takes options has a named type for them', () => {
  expect(sources.length).toBeGreaterThan(1000);
  const unnamed = sources.filter((path) =>
    /constructor\((?:options|\{[^}]*\}): \{/.test(readFileSync(join(ROOT, path), 'utf8')),
  );
  expect(unnamed).toEqual([]);
});
