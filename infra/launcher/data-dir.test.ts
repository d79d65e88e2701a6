import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { keepSecrets, secretsPath } from '../installation/kept-secrets.js';
import { processBirth, stillRuns } from '../installation/process-identity.js';
import { writeRuntime } from '../installation/runtime-file.js';
import { prepareDataDir } from './data-dir.js';
import { lockDataDir } from './data-lock.js';
import { endLeftovers } from './leftovers.js';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'data-dir-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

describe('the data directory', () => {
  const mode = (path: string) => statSync(path).mode & 0o777;

  it('is made for its owner alone; one that is there keeps its permissions', () => {
    const made = join(dir, 'made', 'here');
    prepareDataDir(made);
    expect(mode(made)).toBe(0o700);
    chmodSync(made, 0o750);
    prepareDataDir(made);
    expect(mode(made)).toBe(0o750);
  });

  it('that cannot be written is refused by the name of its variable', () => {
    writeFileSync(join(dir, 'file'), '');
    expect(() => prepareDataDir(join(dir, 'file'))).toThrow(/^DATA_DIR .*file cannot be written/);
  });
});

describe('the lock on a data directory', () => {
  const HOLDER = `
    const { DatabaseSync } = require('node:sqlite');
    new DatabaseSync(process.argv[1]).exec('BEGIN EXCLUSIVE');
    console.log('held'); setInterval(() => {}, 1000);`;

  it('is refused while another process holds it, and free once that one was killed', async () => {
    const holder = spawn(process.execPath, ['-e', HOLDER, join(dir, 'launcher.lock')]);
    await once(holder.stdout, 'data');
    expect(lockDataDir(dir)).toBeUndefined();
    holder.kill('SIGKILL');
    await once(holder, 'exit');
    const lock = lockDataDir(dir);
    expect(lock).toBeDefined();
    lock?.free();
  });
});

describe('kept secrets', () => {
  it('are made once, for their owner alone', () => {
    const made = keepSecrets(dir);
    expect(keepSecrets(dir)).toEqual(made);
    expect(statSync(secretsPath(dir)).mode & 0o777).toBe(0o600);
  });

  it('are never replaced when damaged: what they encrypt would be lost', () => {
    writeFileSync(secretsPath(dir), '{"internal_secret": ');
    expect(() => keepSecrets(dir)).toThrow(/damaged/);
  });
});

describe('what a killed launcher left behind', () => {
  const runtime = (pid: number, birth: string | null) =>
    writeRuntime(dir, {
      pid: 1,
      started_at: '2026-01-01T00:00:00Z',
      public_url: 'http://127.0.0.1:1',
      api_url: 'http://127.0.0.1:1',
      internal_url: 'http://127.0.0.1:2',
      processes: [{ name: 'store', role: 'store', pid, birth, port: 1 }],
    });

  it('is ended before the next start', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    await once(child, 'spawn');
    const left = { pid: child.pid!, birth: processBirth(child.pid!) };
    runtime(left.pid, left.birth);
    await endLeftovers(dir, () => {});
    expect(stillRuns(left)).toBe(false);
  });

  it('is left alone when the number belongs to another process by now', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    await once(child, 'spawn');
    runtime(child.pid!, '1');
    await endLeftovers(dir, () => {});
    expect(stillRuns({ pid: child.pid!, birth: processBirth(child.pid!) })).toBe(true);
    child.kill('SIGKILL');
  });

  it('knows no birth of a process that has ended', () => {
    const { pid } = spawnSync(process.execPath, ['-e', '']);
    expect(processBirth(pid)).toBeNull();
  });
});
