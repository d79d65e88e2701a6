import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CHECKS } from './checks.mjs';
import { contentsOfTree, passedChecks, readBy } from './passed-checks.mjs';

const CHECK = { name: 'a check', args: ['check.js'], ignores: /\.md$/ };
const TREE: ReadonlyMap<string, string> = new Map([
  ['a.ts', '1'],
  ['b.md', '1'],
]);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'passed-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('a check that passed', () => {
  it('is not repeated while nothing that it reads has changed', () => {
    const passed = passedChecks(TREE, folder);
    expect(passed.has(CHECK)).toBe(false);
    passed.note(CHECK);
    expect(passed.has(CHECK)).toBe(true);
    expect(passedChecks(new Map([...TREE, ['b.md', '2']]), folder).has(CHECK)).toBe(true);
  });

  it.each([
    ['changed', new Map([...TREE, ['a.ts', '2']])],
    ['added', new Map([...TREE, ['c.ts', '1']])],
    ['removed', new Map([['b.md', '1']])],
  ])('is repeated when something was %s', (_what, tree) => {
    passedChecks(TREE, folder).note(CHECK);
    expect(passedChecks(tree, folder).has(CHECK)).toBe(false);
  });

  it('is repeated when it is run otherwise, or by other tools', () => {
    const before = readBy(CHECK, TREE, 'lint 1');
    expect(readBy({ ...CHECK, args: ['check.js', '--strict'] }, TREE, 'lint 1')).not.toBe(before);
    expect(readBy(CHECK, TREE, 'lint 2')).not.toBe(before);
    expect(readBy(CHECK, new Map([...TREE].reverse()), 'lint 1')).toBe(before);
  });

  it('is repeated where nobody knows what has changed', () => {
    const passed = passedChecks(undefined, folder);
    passed.note(CHECK);
    expect(passed.has(CHECK)).toBe(false);
  });
});

it('what a check reads is known of every file of this repository', () => {
  const contents = contentsOfTree();
  // An installation without git has none.
  if (contents === undefined) return;
  expect(contents.get('package.json')).toMatch(/^100644 [0-9a-f]{40,} 0$/);
  expect([...contents.keys()].filter((path) => path.includes('node_modules/'))).toEqual([]);
});

it('no check ignores the code that it is about', () => {
  const readers = (path: string) => CHECKS.filter(({ ignores }) => !ignores?.test(path)).length;
  expect(readers('control-plane/src/app.ts')).toBe(CHECKS.length);
  expect(readers('package-lock.json')).toBe(CHECKS.length);
  expect(readers('clients/generate/generated.mjs')).toBe(CHECKS.length);
  expect(readers('media-plane/src/main.ts')).toBe(CHECKS.length - 1);
});
