import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { createLog } from '@voice/shared/log/log';
import type { WorkerBuildStatus } from '@voice/shared/mediasoup-worker/status';
import { afterEach, describe, expect, it } from 'vitest';
import { WebRtcHost } from './host.js';
import { RestartBackoff } from './restart-backoff.js';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function scene({ isGiven = false } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'webrtc-host-'));
  folders.push(folder);
  const binary = join(folder, 'mediasoup-worker');
  const clock = new ScriptedClock();
  const host = new WebRtcHost({
    port: 0,
    address: { ip: '127.0.0.1', announced: undefined },
    worker: { binary, isGiven, status: `${binary}.status.json` },
    clock,
    log: createLog({ name: 'test', level: 'fatal' }),
  });
  const publish = (status: WorkerBuildStatus) =>
    writeFileSync(`${binary}.status.json`, JSON.stringify(status));
  const appear = (script = '#!/bin/sh\nexit 1\n') => writeFileSync(binary, script, { mode: 0o755 });
  return { host, clock, publish, appear };
}

describe('whether WebRTC is available', () => {
  it('says what to do where mediasoup’s worker is missing', async () => {
    const { host } = scene();
    expect(host.availability()).toMatchObject({
      available: false,
      reason: expect.stringContaining('npm run mediasoup'),
    });
    await expect(host.room(111)).rejects.toMatchObject({ status: 503, code: 'webrtc_not_available' });
  });

  it('says how long the build still takes', () => {
    const { host, clock, publish } = scene();
    publish({ state: 'working', step: 'building', seconds_left: 90, updated_at: clock.now() });
    expect(host.availability()).toEqual({
      available: false,
      reason: 'mediasoup’s worker is on its way: building.',
      ready_in_seconds: 90,
    });
  });

  it('takes no word of a builder that was killed', () => {
    const { host, clock, publish } = scene();
    publish({ state: 'working', step: 'building', seconds_left: 90, updated_at: clock.now() - 60_000 });
    expect(host.availability().reason).toMatch(/not there/);
  });

  it('says why the build failed', () => {
    const { host, clock, publish } = scene();
    publish({ state: 'failed', reason: 'Packages are missing. Run: apt-get …', updated_at: clock.now() });
    expect(host.availability().reason).toMatch(/could not be had. Packages are missing/);
  });

  it('names the variable where the operator’s own binary is missing', () => {
    expect(scene({ isGiven: true }).host.availability().reason).toMatch(/^MEDIASOUP_WORKER_BIN/);
  });

  it('changes as soon as the binary appears', () => {
    const { host, appear } = scene();
    appear();
    expect(host.availability()).toEqual({ available: true });
  });

  it('is held back, longer and longer, where the worker does not start', async () => {
    const { host, clock, appear } = scene();
    appear();
    const refused = { status: 503, code: 'webrtc_not_available' };
    await expect(host.room(111)).rejects.toMatchObject(refused);
    expect(host.availability()).toEqual({ available: true });
    await expect(host.room(111)).rejects.toMatchObject(refused);
    expect(host.availability()).toMatchObject({ available: false, ready_in_seconds: 1 });
    clock.advance(1000);
    expect(host.availability()).toEqual({ available: true });
  });

  it('is over once the media worker stops', async () => {
    const { host, appear } = scene();
    appear();
    host.close();
    await expect(host.room(111)).rejects.toMatchObject({ status: 503 });
  });
});

it('waits longer from death to death, and not at all after a long life', () => {
  const backoff = new RestartBackoff();
  expect([0, 100, 100, 100, 100, 100, 100, 100].map((lived) => backoff.next(lived))).toEqual([
    0, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000,
  ]);
  expect(backoff.next(60_000)).toBe(0);
});
