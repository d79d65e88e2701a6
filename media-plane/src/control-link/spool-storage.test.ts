import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { silentLog } from '@voice/shared/log/log';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SpoolStorage } from './spool-storage.js';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'spool-storage-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

function storageOf(catchUp: () => Promise<boolean>) {
  const changes: boolean[] = [];
  const storage: SpoolStorage = new SpoolStorage({
    dir,
    clock: new ScriptedClock(),
    log: silentLog,
    catchUp,
    onChange: () => changes.push(storage.full),
  });
  return { storage, changes };
}

describe("the worker's disk", () => {
  it('is full from a write that failed until what stayed in memory was written', async () => {
    let caughtUp = false;
    const { storage, changes } = storageOf(async () => caughtUp);
    await storage.look();
    expect(changes).toEqual([]);
    storage.failed(new Error('ENOSPC'));
    storage.failed(new Error('ENOSPC'));
    await storage.look();
    expect(changes).toEqual([true]);
    caughtUp = true;
    await storage.look();
    expect(changes).toEqual([true, false]);
    expect(readdirSync(dir)).toEqual([]);
    storage.stop();
  });

  it('stays full while a probe cannot be written, though nothing waits in memory', async () => {
    const { storage, changes } = storageOf(async () => true);
    symlinkSync('/dev/full', join(dir, '.room'));
    storage.failed(new Error('ENOSPC'));
    await storage.look();
    expect(storage.full).toBe(true);
    // The probe's own file is removed whatever became of it; the next one finds room.
    await storage.look();
    expect(changes).toEqual([true, false]);
    storage.stop();
  });

  it('stays full, and goes on looking, where a probe can neither be written nor removed', async () => {
    const { storage, changes } = storageOf(async () => true);
    mkdirSync(join(dir, '.room'));
    storage.failed(new Error('EIO'));
    await storage.look();
    expect([storage.full, changes]).toEqual([true, [true]]);
    storage.stop();
  });
});
