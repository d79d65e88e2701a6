import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bundlesOf, currentBundle, ingredientsOf, outdateBundle } from './bundle.js';

let root: string;
beforeEach(() => {
  root = `${mkdtempSync(join(tmpdir(), 'bundle-'))}/`;
  write('plane/dist/.tsbuildinfo', 'compiled');
  write('shared/dist/.tsbuildinfo', 'compiled, too');
  write('package-lock.json', '{}');
  write('infra/dist/bundle/main.js', 'bundle()');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(root + path), { recursive: true });
  writeFileSync(root + path, text);
}

/** Records a bundle of what is there now; gives its address. */
function record(): string {
  const made = { folder: 'a', madeOf: ingredientsOf('plane', root) };
  write('plane/dist/bundle/current.json', JSON.stringify(made));
  return pathToFileURL(`${bundlesOf('plane', root)}a/run.js`).href;
}

describe('the bundle of a plane', () => {
  it('is none before one was made', () => {
    expect(currentBundle('plane', root)).toBeUndefined();
  });

  it('runs while it is made of what is there', () => {
    expect(currentBundle('plane', root)).toBeUndefined();
    expect(record()).toBe(currentBundle('plane', root));
  });

  it.each([
    'plane/dist/.tsbuildinfo',
    'shared/dist/.tsbuildinfo',
    'package-lock.json',
    'infra/dist/bundle/main.js',
  ])('is out of date once %s has changed', (file) => {
    record();
    write(file, 'changed');
    expect(currentBundle('plane', root)).toBeUndefined();
  });

  it('is out of date once a compiled file was changed by something else than the compiler', () => {
    record();
    outdateBundle('plane', root);
    expect(currentBundle('plane', root)).toBeUndefined();
    outdateBundle('never-bundled', root);
  });

  it('runs in an image without the records that nothing there changes', () => {
    const bundle = record();
    for (const file of Object.keys(ingredientsOf('plane', root))) rmSync(root + file);
    expect(currentBundle('plane', root)).toBe(bundle);
  });
});
