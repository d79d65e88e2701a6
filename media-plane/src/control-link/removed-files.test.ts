import fs, { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@voice/shared/clock/clock';
import { newId } from '@voice/shared/ids/ids';
import { silentLog } from '@voice/shared/log/log';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { DiskClient } from '../disk/disk-client.js';
import { EventSpool } from './event-spool.js';
import { Uploads } from './uploads.js';

const disk = new DiskClient();

/** What removals wait for. */
let ready: Promise<void>;
const { rm } = promises;
const { rmSync, readdirSync: readFolder, renameSync } = fs;
const removals = vi.fn(async (...[path, options]: Parameters<typeof rm>) => {
  await ready;
  await rm(path, options);
});
const removalsOnTheMainThread = vi.fn(rmSync);
const readsOnTheMainThread = vi.fn(readFolder);
const movesOnTheMainThread = vi.fn(renameSync);

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'removed-'));
  ready = Promise.resolve();
  removals.mockClear();
  for (const calls of [removalsOnTheMainThread, readsOnTheMainThread, movesOnTheMainThread])
    calls.mockClear();
  // Also for modules that another file has imported before.
  Object.assign(promises, { rm: removals });
  Object.assign(fs, {
    rmSync: removalsOnTheMainThread,
    readdirSync: readsOnTheMainThread,
    renameSync: movesOnTheMainThread,
  });
  syncBuiltinESMExports();
});
afterEach(() => {
  Object.assign(promises, { rm });
  Object.assign(fs, { rmSync, readdirSync: readFolder, renameSync });
  syncBuiltinESMExports();
  rmSync(dir, { recursive: true });
});

it('removes the events of a call that is over beside the main thread', async () => {
  const spool = new EventSpool({ dir, clock: systemClock, disk, log: silentLog, onEvent: () => {} });
  const call = newId();
  spool.append(call, { kind: 'notice', code: 'c', message: 'm' });
  await spool.close();
  const successor = new EventSpool({ dir, clock: systemClock, disk, log: silentLog, onEvent: () => {} });
  successor.forget(call, 1);
  await successor.close();
  expect(readdirSync(dir)).toEqual([]);
  expect(removalsOnTheMainThread).not.toHaveBeenCalled();
});

it('removes a recording beside the main thread, and uploads its MP3 when the raw one is gone', async () => {
  const sent: string[] = [];
  let removeNow = () => {};
  ready = new Promise((resolve) => {
    removeNow = resolve;
  });
  const uploads = new Uploads({
    dir,
    client: { send: async ({ path }: { path: string }) => void sent.push(path) } as never,
    clock: systemClock,
    log: silentLog,
    encodeRecording: async (_raw, mp3Path) => {
      writeFileSync(mp3Path, 'mp3');
      return { durationMs: 1000, bytes: 3 };
    },
  });
  const call = newId();
  writeFileSync(uploads.recordingPath(call), 'raw');
  uploads.recordingEnded(call, Promise.resolve());
  await expect.poll(() => removals.mock.calls.map(([path]) => path)).toHaveLength(1);
  expect(readdirSync(join(dir, 'ready'))).toEqual([`${call}.1000.mp3`]);
  await new Promise((resolve) => setTimeout(resolve, 0));
  expect(sent).toEqual([]);
  removeNow();
  await uploads.flush(AbortSignal.timeout(240_000));
  const left = ['ready', 'recordings/live', 'recordings/waiting'].map((name) => readdirSync(join(dir, name)));
  expect(left).toEqual([[], [], []]);
  expect(sent).toEqual([`/internal/calls/${call}/recording`]);
  expect(removalsOnTheMainThread).not.toHaveBeenCalled();
  uploads.stop();
});

it('reads its folders once, and moves the files of calls that are over beside the main thread', async () => {
  const sent: string[] = [];
  const uploads = new Uploads({
    dir,
    client: { send: async ({ path }: { path: string }) => void sent.push(path) } as never,
    clock: systemClock,
    log: silentLog,
    encodeRecording: async (_raw, mp3Path) => {
      writeFileSync(mp3Path, 'mp3');
      return { durationMs: 1000, bytes: 3 };
    },
  });
  readsOnTheMainThread.mockClear();
  const calls = Array.from({ length: 20 }, () => newId());
  for (const call of calls) {
    writeFileSync(uploads.recordingPath(call), 'raw');
    writeFileSync(uploads.decisionLogPath(call), '{}\n');
    uploads.recordingEnded(call, Promise.resolve());
    uploads.decisionLogEnded(call, Promise.resolve());
  }
  await uploads.flush(AbortSignal.timeout(240_000));
  expect(sent).toHaveLength(2 * calls.length);
  expect(uploads.pendingCount).toBe(0);
  expect(readsOnTheMainThread).not.toHaveBeenCalled();
  expect(movesOnTheMainThread).not.toHaveBeenCalled();
  uploads.stop();
});
