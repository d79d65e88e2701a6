import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { compiledFileOf, transpile } from './transpile.js';

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'transpile-'));
  writeFileSync(join(root, 'package.json'), '{"type":"module"}');
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

function source(path: string, text: string): string {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
  return path;
}

it.each([
  ['shared/src/clock/clock.ts', 'shared/dist/clock/clock.js'],
  ['control-plane/src/main.ts', 'control-plane/dist/main.js'],
  ['infra/launcher/main.ts', 'infra/dist/launcher/main.js'],
  ['media-plane/src/call/call.test.ts', undefined],
  ['shared/src/clock/testing/scripted.ts', undefined],
  ['shared/types/package.d.ts', undefined],
  ['control-plane/src/calls', undefined],
])('%s becomes %s', (from, to) => {
  expect(compiledFileOf(from)).toBe(to);
});

it('a source runs without its types, as the compiler would have it', async () => {
  const text = `import type { Nothing } from './nowhere.js';
enum Kind { call = 'call' }
export class Call {
  readonly kind: Kind = Kind.call;
  constructor(readonly id: string, nothing?: Nothing) { void nothing; }
}
`;
  const compiled = transpile(root, source('media-plane/src/call/call.ts', text));
  expect(compiled).toBe('media-plane/dist/call/call.js');
  const { Call } = (await import(pathToFileURL(join(root, compiled!)).href)) as {
    Call: new (id: string) => { kind: string; id: string };
  };
  expect(new Call('a')).toMatchObject({ kind: 'call', id: 'a' });
  const map = JSON.parse(readFileSync(join(root, `${compiled}.map`), 'utf8')) as { sources: string[] };
  expect(map.sources).toEqual(['../../src/call/call.ts']);
});

it('one with an error of syntax, or that is gone, changes nothing', () => {
  const path = source('shared/src/a.ts', 'export const a = 1;\n');
  transpile(root, path);
  source(path, 'export const a = ;\n');
  expect(transpile(root, path)).toBeUndefined();
  expect(readFileSync(join(root, 'shared/dist/a.js'), 'utf8')).toContain('a = 1');
  expect(transpile(root, 'shared/src/gone.ts')).toBeUndefined();
});
