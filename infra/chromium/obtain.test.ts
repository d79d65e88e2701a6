import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromiumPath } from '@voice/shared/chromium/environment';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readConfig } from './config.js';
import { obtainChromium } from './obtain.js';

const before = process.env.PATH;
let bin: string;
let path: string;
const steps: string[] = [];

beforeEach(() => {
  bin = mkdtempSync(join(tmpdir(), 'bare-machine-'));
  path = join(bin, 'chromium');
  symlinkSync('/bin/sh', join(bin, 'sh'));
  process.env.PATH = bin;
  steps.length = 0;
});
afterEach(() => {
  process.env.PATH = before;
  rmSync(bin, { recursive: true, force: true });
});

/** apt-get that installs by this line of the shell. */
function aptGet(installing: string): void {
  const file = join(bin, 'apt-get');
  writeFileSync(
    file,
    `#!/bin/sh\ncase "$*" in *--download-only*|*update|--version) ;; *) ${installing};; esac\n`,
  );
  chmodSync(file, 0o755);
}
const obtain = (config: { isGiven?: boolean; isRoot?: boolean } = {}) =>
  obtainChromium(
    { path, isGiven: false, isRoot: true, ...config },
    { signal: new AbortController().signal, onStep: (step) => steps.push(step) },
  );

describe('the browser of the tests', () => {
  it('is the one that is there', async () => {
    writeFileSync(path, '');
    aptGet('exit 1');
    expect(await obtain()).toBe(path);
    expect(steps).toEqual([]);
  });

  it('is Debian’s, installed as root, where none is', async () => {
    aptGet(`: > ${path}`);
    expect(await obtain()).toBe(path);
    expect(steps).toEqual(['installing chromium-headless-shell']);
  });

  it('is not installed in place of one that the environment names', async () => {
    aptGet(`: > ${path}`);
    await expect(obtain({ isGiven: true })).rejects.toThrow(/There is no .*chromium\. Correct CHROMIUM/);
  });

  it('is not installed by a user who may not', async () => {
    aptGet(`: > ${path}`);
    await expect(obtain({ isRoot: false })).rejects.toThrow(
      'Run: sudo apt-get install -y --no-install-recommends chromium-headless-shell; then: npm test',
    );
  });

  it('is lacking where the package is another system’s, which brings it elsewhere', async () => {
    aptGet(':');
    await expect(obtain()).rejects.toThrow('Set CHROMIUM');
  });

  it('is Debian’s without a window; its other one where only that is there', () => {
    const among = (...paths: string[]) => chromiumPath({}, (path) => paths.includes(path));
    const [shell, chromium] = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];
    expect(among()).toBe(shell);
    expect(among(chromium)).toBe(chromium);
    expect(among(chromium, shell)).toBe(shell);
  });

  it('is the variable’s, and an empty one counts as none', () => {
    expect(readConfig({})).toMatchObject({ path: chromiumPath({}), isGiven: false });
    expect(readConfig({ CHROMIUM: '' })).toMatchObject({ path: chromiumPath({}), isGiven: false });
    expect(readConfig({ CHROMIUM: '/opt/chrome' })).toMatchObject({ path: '/opt/chrome', isGiven: true });
  });
});
