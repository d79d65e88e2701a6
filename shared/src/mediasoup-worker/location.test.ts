import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { locateWorker, MEDIASOUP_VERSION } from './location.js';

const machine = { home: '/home/ada', arch: 'x64' };

it('is kept in the user’s cache, by version and architecture', () => {
  expect(locateWorker(machine)).toEqual({
    binary: `/home/ada/.cache/voice-agent-platform/mediasoup-worker/${MEDIASOUP_VERSION}-x64/mediasoup-worker`,
    isGiven: false,
    status: `/home/ada/.cache/voice-agent-platform/mediasoup-worker/${MEDIASOUP_VERSION}-x64/mediasoup-worker.status.json`,
  });
});

it('follows XDG_CACHE_HOME, which counts as unset when it is empty', () => {
  expect(locateWorker({ ...machine, cacheHome: '/var/cache' }).binary).toMatch(/^\/var\/cache\/voice-agent/);
  expect(locateWorker({ ...machine, cacheHome: '' })).toEqual(locateWorker(machine));
});

it('is what MEDIASOUP_WORKER_BIN names', () => {
  expect(locateWorker({ ...machine, given: '/opt/mediasoup-worker' })).toMatchObject({
    binary: '/opt/mediasoup-worker',
    isGiven: true,
  });
});

it('is of the version that the lock file holds', () => {
  const lock = JSON.parse(readFileSync(new URL('../../../package-lock.json', import.meta.url), 'utf8'));
  expect(lock.packages['node_modules/mediasoup'].version).toBe(MEDIASOUP_VERSION);
});
