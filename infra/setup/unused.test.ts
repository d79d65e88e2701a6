import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { fromRoot, NODE } from './paths.mjs';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'unused-'));
  cpSync(fromRoot('knip.jsonc'), join(root, 'knip.jsonc'));
  symlinkSync(fromRoot('node_modules'), join(root, 'node_modules'));
  writeFileSync(join(root, 'package.json'), '{ "name": "root", "workspaces": ["shared"] }');
  mkdirSync(join(root, 'shared/src'), { recursive: true });
  writeFileSync(join(root, 'shared/package.json'), '{ "name": "shared", "dependencies": {} }');
  writeFileSync(join(root, 'shared/src/money.test.ts'), "import { cents } from './money.js';\nvoid cents;\n");
  writeFileSync(join(root, 'shared/src/money.ts'), 'export const cents = 1;\n');
});
afterEach(() => rmSync(root, { recursive: true }));

/** The check as `npm run check` runs it, on another folder. */
function unused(): { readonly exitCode: number | null; readonly report: string } {
  const args = [fromRoot('node_modules/knip/bin/knip.js'), '--directory', root, '--no-progress'];
  const { status, stdout } = spawnSync(NODE, args, { encoding: 'utf8' });
  return { exitCode: status, report: stdout };
}

it('lets pass what is used', () => {
  expect(unused()).toMatchObject({ exitCode: 0 });
});

it('refuses an export that nothing uses', () => {
  writeFileSync(join(root, 'shared/src/money.ts'), 'export const cents = 1;\nexport const euros = 2;\n');
  const { exitCode, report } = unused();
  expect(exitCode).toBe(1);
  expect(report).toMatch(/Unused exports \(1\)\s+euros/);
});

it('refuses an export that only its own file uses', () => {
  writeFileSync(
    join(root, 'shared/src/money.ts'),
    'export const rate = 2;\nexport type Price = number;\nconst price: Price = rate;\nexport const cents = price;\n',
  );
  const { exitCode, report } = unused();
  expect(exitCode).toBe(1);
  expect(report).toMatch(/Unused exports \(1\)\s+rate/);
  expect(report).toMatch(/Unused exported types \(1\)\s+Price/);
});

it('refuses a file that nothing imports', () => {
  writeFileSync(join(root, 'shared/src/rates.ts'), 'export const rate = 1;\n');
  const { exitCode, report } = unused();
  expect(exitCode).toBe(1);
  expect(report).toMatch(/Unused files \(1\)\s+shared\/src\/rates\.ts/);
});

it('refuses a dependency that nothing imports', () => {
  writeFileSync(
    join(root, 'shared/package.json'),
    '{ "name": "shared", "dependencies": { "zod": "4.6.7" } }',
  );
  const { exitCode, report } = unused();
  expect(exitCode).toBe(1);
  expect(report).toMatch(/Unused dependencies \(1\)\s+zod/);
});
