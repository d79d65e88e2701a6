import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startThread } from '../threads/start-thread.js';
import { DiskClient } from './disk-client.js';

const bytes = (text: string) => Buffer.from(text);

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'disk-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('the disk', () => {
  it('writes in the order in which it is asked, at a place or behind what is there', async () => {
    const disk = new DiskClient();
    const path = join(folder, 'order');
    const file = await disk.open(path, 'w');
    await Promise.all([
      disk.write(file, bytes('abcdef'), 0),
      disk.write(file, bytes('CD'), 2),
      disk.write(file, bytes(''), 0),
      disk.truncate(file, 5),
      disk.close(file),
    ]);
    expect(readFileSync(path, 'utf8')).toBe('abCDe');

    const again = await disk.open(path, 'a');
    await Promise.all([disk.write(again, bytes('f'), null), disk.write(again, bytes('g'), null)]);
    await disk.close(again);
    expect(readFileSync(path, 'utf8')).toBe('abCDefg');
  });

  it('makes files that are their owner’s alone, and empties what is opened to be written anew', async () => {
    const disk = new DiskClient();
    const path = join(folder, 'mode');
    for (const text of ['long', 'x']) {
      const file = await disk.open(path, 'w');
      await disk.write(file, bytes(text), 0);
      await disk.close(file);
    }
    expect(readFileSync(path, 'utf8')).toBe('x');
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('removes a file, and minds none that is not there', async () => {
    const disk = new DiskClient();
    const path = join(folder, 'removed');
    await disk.close(await disk.open(path, 'w'));
    await disk.remove(path);
    await disk.remove(path);
    expect(existsSync(path)).toBe(false);
  });

  it('says what the system says of what cannot be done, and does the rest of the same batch', async () => {
    const disk = new DiskClient();
    const path = join(folder, 'rest');
    const [full, file] = await Promise.all([disk.open('/dev/full', 'a'), disk.open(path, 'w')]);
    const [onFull, missing, written] = await Promise.allSettled([
      disk.write(full, bytes('x'), null),
      disk.open(join(folder, 'missing', 'file'), 'w'),
      disk.write(file, bytes('rest'), null),
    ]);
    expect(onFull).toMatchObject({ status: 'rejected', reason: { code: 'ENOSPC' } });
    expect(missing).toMatchObject({ status: 'rejected', reason: { code: 'ENOENT' } });
    expect(written.status).toBe('fulfilled');
    await Promise.all([disk.close(full), disk.close(file)]);
    expect(readFileSync(path, 'utf8')).toBe('rest');
  });

  it('asks its thread once for all that many calls write within a step', async () => {
    const clock = new ScriptedClock();
    let messages = 0;
    const disk = new DiskClient(clock, () => {
      const thread = startThread(import.meta.url, './disk-thread');
      const post = thread.postMessage.bind(thread);
      thread.postMessage = (...args: Parameters<Worker['postMessage']>) => {
        messages++;
        post(...args);
      };
      return thread;
    });
    const opened = Promise.all(
      Array.from({ length: 50 }, (_, n) => disk.open(join(folder, `call-${n}`), 'w')),
    );
    expect(messages).toBe(0);
    clock.advance(10);
    expect(messages).toBe(1);
    const files = await opened;
    const written = Promise.all(files.map((file, n) => disk.write(file, bytes(`call ${n}`), 0)));
    clock.advance(10);
    expect(messages).toBe(2);
    await written;
    expect(readFileSync(join(folder, 'call-49'), 'utf8')).toBe('call 49');
    const closed = Promise.all(files.map((file) => disk.close(file)));
    clock.advance(10);
    await closed;
    expect(messages).toBe(3);
  });

  it('fails what a thread had that is lost, and goes on with another', async () => {
    const clock = new ScriptedClock();
    const threads: Worker[] = [];
    const disk = new DiskClient(clock, () => {
      const thread = startThread(import.meta.url, './disk-thread');
      threads.push(thread);
      return thread;
    });
    const open = (name: string) => {
      const opened = disk.open(join(folder, name), 'w');
      clock.advance(10);
      return opened;
    };
    const lost = open('lost');
    const ended = threads[0]!.terminate();
    await expect(lost).rejects.toThrow('stopped');
    await ended;
    const file = await open('another');
    expect(threads).toHaveLength(2);
    const closed = disk.close(file);
    clock.advance(10);
    await closed;
  });
});
