import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { compiledSource } from './compiled-source.js';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'compiled-source-'));
});
afterEach(() => rmSync(root, { recursive: true }));

/** Writes an empty file that was changed so many seconds after 2026 began. */
function write(path: string, seconds: number): void {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, '');
  const changedAt = new Date(Date.UTC(2026, 0, 1) + seconds * 1000);
  utimesSync(file, changedAt, changedAt);
}
function writePlanes(builtAt: { readonly plane: number; readonly shared: number }): void {
  write('plane/src/call/thread.ts', 10);
  write('plane/src/call/thread.test.ts', 100);
  write('plane/dist/call/thread.js', 20);
  write('plane/dist/.tsbuildinfo', builtAt.plane);
  write('shared/src/ids.ts', 30);
  write('shared/dist/.tsbuildinfo', builtAt.shared);
}
const found = (path = 'plane/src/call/thread.ts') => compiledSource(pathToFileURL(join(root, path)).href);

describe('the compiled module of a source', () => {
  it('is that of the same path under dist, whatever tests have changed since', () => {
    writePlanes({ plane: 20, shared: 30 });
    expect(found()).toBe(pathToFileURL(join(root, 'plane/dist/call/thread.js')).href);
  });

  it.each([
    ['of its plane', { plane: 9, shared: 30 }],
    ['that is shared', { plane: 20, shared: 29 }],
  ])('is not taken when a source %s is newer than the last build', (_what, builtAt) => {
    writePlanes(builtAt);
    expect(found()).toBeUndefined();
  });

  it.each(['plane/src/call/testing.ts', 'plane/dist/call/thread.js'])('is none of %s', (path) => {
    writePlanes({ plane: 20, shared: 30 });
    expect(found(path)).toBeUndefined();
  });

  it('is none where nothing is built', () => {
    write('plane/src/call/thread.ts', 10);
    write('plane/dist/call/thread.js', 20);
    expect(found()).toBeUndefined();
  });
});
