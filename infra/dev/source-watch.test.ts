import { appendFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
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

/** Watches a clone; `sees` resolves when the change has been reported. */
function watched() {
  const root = clone();
  const seen: string[] = [];
  const watcher = watchSources(root, (file) => seen.push(file));
  open.unshift(() => watcher.close());
  return {
    path: (file: string) => join(root, file),
    seen,
    async sees(change: () => void, file: string) {
      seen.length = 0;
      change();
      await expect.poll(() => seen).toContain(file);
    },
  };
}

const CALL = 'control-plane/src/calls/call.ts';

it('edits in place, new files and nothing but sources are seen', async () => {
  const { path, seen } = watched();
  writeFileSync(path('infra/launcher/notes.txt'), 'no source');
  writeFileSync(path('infra/dist/main.ts'), 'compiled');
  appendFileSync(path(CALL), 'export const a = 1;\n');
  writeFileSync(path('infra/launcher/new.ts'), 'export {};\n');
  await expect.poll(() => [...new Set(seen)].sort()).toEqual([CALL, 'infra/launcher/new.ts']);
});

it('a file that took the place of another is seen whenever it changes, as editors and git write them', async () => {
  const { path, sees } = watched();
  const replace = () => {
    writeFileSync(path(`${CALL}.new`), 'export {};\n');
    renameSync(path(`${CALL}.new`), path(CALL));
  };
  await sees(replace, CALL);
  await sees(() => appendFileSync(path(CALL), '// more\n'), CALL);
  await sees(replace, CALL);
  await sees(() => rmSync(path(CALL)), CALL);
});

it('folders that come later are watched with all that is in them, and so is one in the place of another', async () => {
  const { path, sees } = watched();
  const add = () => {
    mkdirSync(path('media-plane/src/lines/acme'), { recursive: true });
    writeFileSync(path('media-plane/src/lines/acme/codec.ts'), 'export {};\n');
  };
  const edit = () => appendFileSync(path('media-plane/src/lines/acme/codec.ts'), '// more\n');
  await sees(add, 'media-plane/src/lines/acme/codec.ts');
  await sees(edit, 'media-plane/src/lines/acme/codec.ts');
  await sees(() => rmSync(path('media-plane/src/lines'), { recursive: true }), 'media-plane/src/lines');
  await sees(add, 'media-plane/src/lines/acme/codec.ts');
  await sees(edit, 'media-plane/src/lines/acme/codec.ts');
});
