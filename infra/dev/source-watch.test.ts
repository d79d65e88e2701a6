import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { sourceFolders, watchSources } from './source-watch.js';

const FOLDERS = ['shared/src', 'control-plane/src/calls', 'media-plane/src', 'infra/launcher', 'infra/dist'];
const open: (() => void)[] = [];
afterEach(() => {
  for (const close of open.splice(0)) close();
});

function clone(): string {
  const root = mkdtempSync(join(tmpdir(), 'sources-'));
  open.push(() => rmSync(root, { recursive: true }));
  for (const folder of FOLDERS) mkdirSync(join(root, folder), { recursive: true });
  writeFileSync(join(root, 'control-plane/src/calls/call.ts'), 'export {};\n');
  return root;
}

it('sources are where the processes are compiled from, without what is compiled', () => {
  expect(sourceFolders(clone())).toEqual([
    'shared/src',
    'control-plane/src',
    'media-plane/src',
    'infra/launcher',
  ]);
});

it('edits in place, new files and nothing but sources are seen', async () => {
  const root = clone();
  const seen = new Set<string>();
  const watcher = watchSources(root, (file) => seen.add(file));
  open.unshift(() => watcher.close());
  writeFileSync(join(root, 'infra/launcher/notes.txt'), 'no source');
  writeFileSync(join(root, 'infra/dist/main.ts'), 'compiled');
  appendFileSync(join(root, 'control-plane/src/calls/call.ts'), 'export const a = 1;\n');
  writeFileSync(join(root, 'infra/launcher/new.ts'), 'export {};\n');
  await expect
    .poll(() => [...seen].sort())
    .toEqual(['control-plane/src/calls/call.ts', 'infra/launcher/new.ts']);
});
