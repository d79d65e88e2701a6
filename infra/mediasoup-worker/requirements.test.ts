import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { choosePackagesWay, ensurePackages, installCommand, missingPackages } from './requirements.js';

const signal = new AbortController().signal;

describe('what the build needs', () => {
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
  const aptGet = (exitCode: number) =>
    writeFileSync(
      join(bin, 'apt-get'),
      `#!/bin/sh\n[ "$1" = --version ] && exit 0\necho "$DEBIAN_FRONTEND $@" >> ${log}\necho E: no such mirror >&2\nexit ${exitCode}\n`,
      { mode: 0o755 },
    );

  it('installs the packages as root, without a question', async () => {
    aptGet(0);
    const steps: string[] = [];
    await ensurePackages(true, signal, (step) => steps.push(step));
    const [update, install] = readFileSync(log, 'utf8').split('\n');
    expect(update).toBe('noninteractive update');
    expect(install).toMatch(
      /^noninteractive install -y --no-install-recommends g\+\+ ninja-build .*libabsl-dev$/,
    );
    expect(steps).toEqual([expect.stringMatching(/^installing g\+\+, ninja-build/)]);
  });

  it('says what apt-get said where that fails', async () => {
    aptGet(100);
    await expect(ensurePackages(true, signal, () => {})).rejects.toThrow(
      /E: no such mirror.*apt-get install -y/s,
    );
  });

  it('says which command to run where it is not root', async () => {
    aptGet(0);
    await expect(ensurePackages(false, signal, () => {})).rejects.toThrow(
      /Run: sudo apt-get install -y --no-install-recommends g\+\+ .*; then: npm run mediasoup/,
    );
    expect(existsSync(log)).toBe(false);
  });
});
