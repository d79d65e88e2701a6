import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { choosePackagesWay, ensurePackages, installCommand, missingPackages } from './debian-packages.js';

const signal = new AbortController().signal;
const COMPILER = [
  { debianPackage: 'g++', isThere: async () => false },
  { debianPackage: 'ninja-build', isThere: async () => false },
];
const PURPOSE = { that: 'the worker is built with', next: 'npm run worker' };

describe('what is needed', () => {
  it('is named by Debian package where it is missing', async () => {
    const there = { debianPackage: 'g++', isThere: async () => true };
    const absent = { debianPackage: 'libuv1-dev', isThere: async () => false };
    expect(await missingPackages([there, absent])).toEqual(['libuv1-dev']);
    expect(installCommand(['libuv1-dev', 'g++'])).toMatch(/^apt-get install -y .*libuv1-dev g\+\+$/);
  });

  it.each([
    { missing: [], isRoot: false, hasApt: false, way: 'nothing' },
    { missing: ['g++'], isRoot: true, hasApt: true, way: 'install' },
    { missing: ['g++'], isRoot: false, hasApt: true, way: 'ask' },
    { missing: ['g++'], isRoot: true, hasApt: false, way: 'ask' },
  ])('missing $missing, root $isRoot, apt-get $hasApt: $way', ({ missing, way, ...machine }) => {
    expect(choosePackagesWay(missing, machine)).toBe(way);
  });
});

describe('on a machine with nothing but apt-get', () => {
  const path = process.env.PATH;
  let bin: string;
  let log: string;
  beforeEach(() => {
    bin = mkdtempSync(join(tmpdir(), 'bare-machine-'));
    log = join(bin, 'log');
    symlinkSync('/bin/sh', join(bin, 'sh'));
    process.env.PATH = bin;
  });
  afterEach(() => {
    process.env.PATH = path;
    rmSync(bin, { recursive: true, force: true });
  });
  const aptGet = (exitCode: number, failing = '*') =>
    writeFileSync(
      join(bin, 'apt-get'),
      `#!/bin/sh
[ "$1" = --version ] && exit 0
echo "$DEBIAN_FRONTEND $@" >> ${log}
case "$*" in ${failing}) echo E: no such mirror >&2; exit ${exitCode};; esac
`,
      { mode: 0o755 },
    );
  const ensure = (isRoot: boolean, onStep: (step: string) => void = () => {}) =>
    ensurePackages(COMPILER, PURPOSE, { isRoot, signal, onStep });
  const asked = () => readFileSync(log, 'utf8').trim().split('\n');

  it('downloads, then installs the packages as root, without a question', async () => {
    aptGet(0);
    const steps: string[] = [];
    await ensure(true, (step) => steps.push(step));
    const [update, download, install, ...more] = asked();
    expect(update).toMatch(/^noninteractive .*update$/);
    expect(download).toMatch(
      /^noninteractive .*--download-only install -y --no-install-recommends g\+\+ ninja-build$/,
    );
    expect(install).toMatch(/^noninteractive .* install -y --no-install-recommends g\+\+ ninja-build$/);
    expect(install).not.toContain('--download-only');
    expect(more).toEqual([]);
    expect(steps).toEqual(['installing g++, ninja-build']);
  });

  it('goes on where one source of many is out of reach', async () => {
    aptGet(100, '*update*');
    await ensure(true);
    expect(asked()).toHaveLength(3);
  });

  it('says what apt-get said where the download fails, and installs nothing', async () => {
    aptGet(100, '*--download-only*');
    await expect(ensure(true)).rejects.toThrow(
      /could not install what the worker is built with: E: no such mirror.*apt-get install -y/s,
    );
    expect(asked()).toHaveLength(2);
  });

  it('says which command to run where it is not root', async () => {
    aptGet(0);
    await expect(ensure(false)).rejects.toThrow(
      'Packages are missing that the worker is built with. Run: sudo apt-get install -y --no-install-recommends g++ ninja-build; then: npm run worker',
    );
    expect(existsSync(log)).toBe(false);
  });

  it('names the packages where there is no apt-get', async () => {
    await expect(ensure(true)).rejects.toThrow(/these Debian packages hold \(g\+\+, ninja-build\)/);
  });
});
