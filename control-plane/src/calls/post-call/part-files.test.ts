import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { type Log, silentLog } from '@voice/shared/log/log';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DiskStorage } from './disk-storage.js';
import { createPartFilesModule } from './part-files.js';
import { S3Storage } from './s3-storage.js';

const MINUTE_MS = 60_000;

let dataDir: string;
let clock: ScriptedClock;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'part-files-test-'));
  clock = new ScriptedClock();
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

const parts = () => readdir(join(dataDir, 'parts')).catch(() => []);

/** Leaves a file there that was last written to so long ago. */
async function leave(name: string, agoMs: number): Promise<void> {
  await mkdir(join(dataDir, 'parts'), { recursive: true });
  const path = join(dataDir, 'parts', name);
  await writeFile(path, 'audio');
  const at = new Date(clock.now() - agoMs);
  await utimes(path, at, at);
}

describe('files that are not whole yet', () => {
  it('lie in the folder for them alone, also on their way to a bucket', async () => {
    const bucket = { bucket: 'b', region: 'us-east-1', accessKeyId: 'a', secretAccessKey: 's' };
    for (const storage of [new DiskStorage(dataDir), new S3Storage(bucket, dataDir)]) {
      const source = new PassThrough();
      const putting = storage.put('recordings/t/c.mp3', source, 1000, 'audio/mpeg');
      source.write('half');
      await expect.poll(parts).toHaveLength(1);
      expect(await readdir(join(dataDir, 'recordings', 't')).catch(() => [])).toEqual([]);
      source.destroy(new Error('the worker is gone'));
      await expect(putting).rejects.toThrow('the worker is gone');
      expect(await parts()).toEqual([]);
    }
  });

  it('are removed at the start where a killed process left them; what is fresh may be in the hands of another', async () => {
    await leave('left', 61 * MINUTE_MS);
    await leave('fresh', 59 * MINUTE_MS);
    const module = createPartFilesModule({ dataDir, clock, log: silentLog });
    await module.start?.();
    expect(await parts()).toEqual(['fresh']);
    await module.stop?.();
    expect(clock.pending).toBe(0);
  });

  it('are looked for again each hour, also before there are any', async () => {
    const error = vi.fn<Log['error']>();
    const module = createPartFilesModule({ dataDir, clock, log: { ...silentLog, error } });
    await module.start?.();
    expect(existsSync(join(dataDir, 'parts'))).toBe(false);
    for (const hour of [1, 2]) {
      await leave(`left ${hour}`, MINUTE_MS);
      clock.advance(60 * MINUTE_MS);
      await expect.poll(parts).toEqual([]);
    }
    await module.stop?.();
    expect(error).not.toHaveBeenCalled();
  });
});
