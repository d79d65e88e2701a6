import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const ROOT = new URL('../../', import.meta.url);

it('the threat model names only tests that there are', () => {
  const page = readFileSync(fileURLToPath(new URL('docs/threat-model.md', ROOT)), 'utf8');
  const named = [...page.matchAll(/`([\w./-]+\.test\.ts)`/g)].map(([, path]) => path!);
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((path) => !existsSync(fileURLToPath(new URL(path, ROOT))))).toEqual([]);
});
