import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { locateWorker } from '@voice/shared/mediasoup-worker/location';
import { readWorkerBuildStatus } from '@voice/shared/mediasoup-worker/status';
import { afterEach, describe, expect, it } from 'vitest';
import { mendBioCallback } from './compile.js';
import { readConfig } from './config.js';
import { isRecentEnough } from './meson.js';
import { obtain } from './obtain.js';
import { readNinjaLine, roughly, secondsLeft } from './progress.js';
import { StatusFile } from './status-file.js';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});
function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'mediasoup-worker-'));
  folders.push(path);
  return path;
}

const signal = new AbortController().signal;

describe('obtaining mediasoup’s worker', () => {
  it('takes the one in the cache', async () => {
    const cacheHome = folder();
    const location = locateWorker({ cacheHome, home: '/nowhere', arch: process.arch });
    mkdirSync(dirname(location.binary), { recursive: true });
    writeFileSync(location.binary, '#!/bin/sh\nexit 41\n', { mode: 0o755 });
    const config = { ...readConfig({}), location };
    const binary = await obtain({ config, root: '/nowhere', signal, notify: () => {} });
    expect(binary).toBe(location.binary);
  });

  it('refuses a binary of the operator’s that does not run, rather than take another', async () => {
    const config = readConfig({ MEDIASOUP_WORKER_BIN: '/bin/false' });
    await expect(obtain({ config, root: '/nowhere', signal, notify: () => {} })).rejects.toThrow(
      /MEDIASOUP_WORKER_BIN \(\/bin\/false\) is no mediasoup worker.*unset it/,
    );
  });
});

describe('meson', () => {
  it.each([
    ['1.0.1', false],
    ['1.1.0', true],
    ['1.12.1', true],
    ['2.0', true],
    ['0.64.1', false],
    ['', false],
  ])('%s is recent enough: %s', (version, expected) => {
    expect(isRecentEnough(version)).toBe(expected);
  });
});

describe('the mended callback', () => {
  it('tests the flag where mediasoup compares the number', () => {
    const source = 'const long r = (operationType == BIO_CB_RETURN) ? ret : 1;';
    expect(mendBioCallback(source)).toBe('const long r = (operationType & BIO_CB_RETURN) ? ret : 1;');
    expect(mendBioCallback(mendBioCallback(source))).toBe(mendBioCallback(source));
  });

  it('does not let an unknown source pass', () => {
    expect(() => mendBioCallback('int main() {}')).toThrow(/not as this build knows it/);
  });
});

describe('progress', () => {
  it('is read from ninja', () => {
    expect(readNinjaLine('[12/261] Compiling C++ object x.o')).toEqual({ done: 12, total: 261 });
    expect(readNinjaLine('ninja: Entering directory')).toBeUndefined();
  });

  it('is estimated by what was seen elsewhere until there is a measure', () => {
    expect(secondsLeft({ done: 0, total: 261, elapsedSeconds: 0, jobs: 2 })).toBe(200);
    expect(secondsLeft({ done: 1, total: 261, elapsedSeconds: 20, jobs: 4 })).toBe(80);
    expect(secondsLeft({ done: 130, total: 260, elapsedSeconds: 60, jobs: 2 })).toBe(60);
    expect(secondsLeft({ done: 261, total: 261, elapsedSeconds: 99, jobs: 2 })).toBe(0);
  });

  it('is said in round figures', () => {
    expect([200, 90, 41, 0].map(roughly)).toEqual([
      'about 3 minutes',
      'about 2 minutes',
      'about 45 s',
      'about 5 s',
    ]);
  });
});

describe('the status beside the binary', () => {
  it('is what a media worker reads, and is gone when the work is over', () => {
    const path = join(folder(), 'status.json');
    const status = new StatusFile(path);
    status.publish({ state: 'working', step: 'building', seconds_left: 90 });
    expect(readWorkerBuildStatus(path)).toMatchObject({
      state: 'working',
      step: 'building',
      seconds_left: 90,
    });
    status.close();
    expect(existsSync(path)).toBe(false);
  });

  it('keeps a failure', () => {
    const path = join(folder(), 'status.json');
    const status = new StatusFile(path);
    status.publish({ state: 'failed', reason: 'Packages are missing.' });
    status.close();
    expect(readWorkerBuildStatus(path)).toMatchObject({ state: 'failed', reason: 'Packages are missing.' });
  });
});
